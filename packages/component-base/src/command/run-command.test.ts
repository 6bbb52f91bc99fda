import { EventEmitter, once } from 'node:events';
import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { type CommandIo, type CommandProcess, runCommand } from './run-command.ts';

const fakeProcess = () => {
  const [stdout, stderr] = [new PassThrough({ encoding: 'utf8' }), new PassThrough({ encoding: 'utf8' })];
  const process = Object.assign(new EventEmitter(), {
    argv: ['node', 'main.js', '--flag'],
    exitCode: undefined as number | undefined,
    stdout,
    stderr,
  });
  return { process, asProcess: process as unknown as CommandProcess, stdout, stderr };
};
const untilStopped = async ({ signal }: CommandIo): Promise<number> => {
  if (!signal.aborted) await once(signal, 'abort');
  return 0;
};

describe('a command', () => {
  it('gets its arguments and output, and sets the exit code', async () => {
    const { process, asProcess, stdout, stderr } = fakeProcess();
    await runCommand('fake', asProcess, async (args, io) => {
      io.stdout(args.join());
      io.stderr('warning');
      return 3;
    });
    expect([stdout.read(), stderr.read(), process.exitCode]).toEqual(['--flag', 'warning', 3]);
  });

  it('stops on a signal', async () => {
    const { process, asProcess } = fakeProcess();
    const ended = runCommand('fake', asProcess, (_args, io) => untilStopped(io));
    process.emit('SIGTERM');
    await ended;
    expect(process.exitCode).toBe(0);
  });

  it('fails when its output cannot be written, unless the reader is gone', async () => {
    const { process, asProcess, stdout, stderr } = fakeProcess();
    const ended = runCommand('fake', asProcess, (_args, io) => untilStopped(io));
    stdout.emit('error', Object.assign(new Error('broken pipe'), { code: 'EPIPE' }));
    expect(stderr.read()).toBeNull();
    stdout.emit('error', Object.assign(new Error('disk full'), { code: 'ENOSPC' }));
    await ended;
    expect([stderr.read(), process.exitCode]).toEqual(['fake: cannot write to standard output: disk full\n', 1]);
  });
});
