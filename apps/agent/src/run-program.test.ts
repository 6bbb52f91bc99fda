import { Writable } from 'node:stream';
import { onAbort } from '@rxlet/component-base';
import { Command } from 'commander';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { UsageError } from './config/config-error.ts';
import { createProgram } from './program.ts';
import { runProgram } from './run-program.ts';

/** A stream that keeps what is written, or fails each write with `code`. */
function output(code?: string): { stream: Writable; text: () => string } {
  const written: string[] = [];
  const stream = new Writable({
    // As the streams of a process: they stay open after a failure.
    autoDestroy: false,
    write(chunk: Buffer, _encoding, done) {
      if (code === undefined) written.push(chunk.toString());
      done(code === undefined ? null : Object.assign(new Error(`${code}: no luck, write`), { code }));
    },
  });
  return { stream, text: () => written.join('') };
}

interface Outcome {
  readonly exitCode: number;
  readonly stderr: string;
  readonly interrupted: boolean;
}

async function run(
  argv: readonly string[],
  program: (stdout: Writable, signal: AbortSignal) => Command,
  stdoutFailure?: string,
): Promise<Outcome> {
  const interruption = new AbortController();
  const [stdout, stderr] = [output(stdoutFailure), output()];
  const command = program(stdout.stream, interruption.signal);
  for (const each of [command, ...command.commands])
    each.exitOverride().configureOutput({
      writeOut: (text) => stdout.stream.write(text),
      writeErr: (text) => stderr.stream.write(text),
    });
  const process = { argv: ['node', 'rxlet', ...argv], stdout: stdout.stream, stderr: stderr.stream };
  const exitCode = await runProgram(command, process, interruption);
  return { exitCode, stderr: stderr.text(), interrupted: interruption.signal.aborted };
}

const acting = (action: (stdout: Writable, signal: AbortSignal) => void | Promise<void>) => {
  return (stdout: Writable, signal: AbortSignal) => new Command('rxlet').action(() => action(stdout, signal));
};

describe('runProgram', () => {
  // An agent may run on this machine.
  beforeEach(() => void vi.stubEnv('RXLET_ROOT', '/nonexistent'));
  afterEach(() => void vi.unstubAllEnvs());

  it('returns 0 after a command that succeeds', async () => {
    const outcome = await run(
      [],
      acting((stdout) => void stdout.write('done\n')),
    );
    expect(outcome).toEqual({ exitCode: 0, stderr: '', interrupted: false });
  });

  it('prints a failure with its causes in one line and returns 1', async () => {
    const outcome = await run(
      [],
      acting(() => {
        throw new SuppressedError(
          new Error('cannot close the socket'),
          new Error('cannot start', { cause: new Error('no disk') }),
        );
      }),
    );
    expect(outcome.exitCode).toBe(1);
    expect(outcome.stderr).toBe('rxlet: cannot start: no disk; clean-up failed: cannot close the socket\n');
  });

  it.each([
    ['an unknown flag', ['--frobnicate'], 'unknown flag: --frobnicate'],
    ['a bad value of a flag', ['--v', 'loud'], 'whole number'],
    ['a bad value of a flag of the kubelet', ['--max-pods=many'], 'invalid value "many" of flag --max-pods'],
    ['a bad score', ['--oom-score-adj', '-1001'], 'from -1000 to 1000'],
    ['an unknown command', ['frobnicate'], 'unknown command frobnicate'],
    ['a missing argument of a command', ['exec'], "missing required argument 'pod'"],
    ['a bad value of a choice', ['completion', 'sh'], 'Allowed choices are bash'],
    ['a word too many', ['restart', 'web', 'main'], 'too many arguments'],
    ['a container twice', ['logs', 'web', 'main', '-c', 'main'], 'only one of -c or an inline [CONTAINER]'],
    ['a command of kubectl', ['apply', '-f', 'x.yaml'], 'use rxlet play FILE --replace'],
    ['a kind that an agent does not have', ['get', 'deploy'], 'it has pods, events, nodes, manifests'],
    ['an unknown flag of a command', ['events', '--all'], "unknown option '--all'"],
    ['a bad duration', ['logs', 'web', '--since', '5'], 'invalid --since "5"'],
    ['flags that exclude each other', ['--fake-runtime', '--container-runtime-endpoint', 'unix:///x'], 'excludes'],
    ['an address that is none', ['--node-ip', 'node1'], '--node-ip "node1"'],
  ])('returns 2 for %s', async (_title, argv, message) => {
    const outcome = await run(argv, (_stdout, signal) => createProgram(argv, signal));
    expect(outcome.stderr).toContain(message);
    expect(outcome.exitCode).toBe(2);
  });

  it('returns 2 for a usage error that an action finds', async () => {
    const outcome = await run(
      [],
      acting(() => {
        throw new UsageError('--a excludes --b');
      }),
    );
    expect(outcome).toMatchObject({ exitCode: 2, stderr: 'rxlet: --a excludes --b\n' });
  });

  it.each([['--version'], ['--help']])('returns 0 for %s', async (flag) => {
    const outcome = await run([flag], (_stdout, signal) => createProgram([flag], signal));
    expect(outcome).toMatchObject({ exitCode: 0, stderr: '' });
  });

  it('ends quietly when the reader of its output left', async () => {
    const following = acting(async (stdout, signal) => {
      stdout.write('a line\n');
      await new Promise((resolve) => onAbort(signal, resolve));
    });
    expect(await run([], following, 'EPIPE')).toEqual({ exitCode: 0, stderr: '', interrupted: true });
  });

  it('reports output that cannot be written in one line', async () => {
    for (const argv of [[], ['--help']]) {
      const outcome = await run(
        argv,
        acting((stdout) => void stdout.write('a line\n')),
        'ENOSPC',
      );
      expect(outcome.exitCode).toBe(1);
      expect(outcome.stderr).toBe('rxlet: cannot write to standard output: ENOSPC: no luck, write\n');
    }
  });

  it('keeps the exit code of a failure that it cannot print', async () => {
    const interruption = new AbortController();
    const process = { argv: ['node', 'rxlet'], stdout: output().stream, stderr: output('EPIPE').stream };
    const program = new Command('rxlet').exitOverride().action(() => {
      throw new Error('no luck');
    });
    expect(await runProgram(program, process, interruption)).toBe(1);
  });
});
