import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sleep, systemClock } from '@rxlet/component-base';
import { spawnWithoutDescriptors } from '@rxlet/component-base/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { runPluginProcess } from './run-plugin.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'plugin-'));
});
afterEach(() => rm(folder, { recursive: true }));

const run = (script: string, signal = new AbortController().signal): Promise<string> =>
  runPluginProcess('/bin/sh', ['-c', script], { FOLDER: folder }, signal);

/** Returns whether a process runs. A zombie, which stays where the first process of a container does not reap, does not. */
async function isRunning(pid: number): Promise<boolean> {
  const stat = await readFile(`/proc/${String(pid)}/stat`, 'utf8').catch(() => ') Z ');
  return !stat.includes(') Z ');
}

describe('the process of an exec plugin', () => {
  it('has nothing to read, and the environment of the agent besides its own', async () => {
    expect(await run('cat; printf "%s %s" "$FOLDER" "$PATH"')).toBe(`${folder} ${process.env['PATH']!}`);
  });

  it('rejects with its exit code, and when it writes too much', async () => {
    await expect(run('echo hunter2; exit 3')).rejects.toMatchObject({ code: 3 });
    await expect(run('kill -9 $$')).rejects.toMatchObject({ signal: 'SIGKILL' });
    await expect(run('head -c 2000000 /dev/zero')).rejects.toThrow('it wrote more than 1048576 bytes');
  });

  it('ends with all its child processes when the signal aborts', async () => {
    const cancellation = new AbortController();
    const running = run(
      'sleep 600 & echo $! > "$FOLDER/pid.new"; mv "$FOLDER/pid.new" "$FOLDER/pid"; wait',
      cancellation.signal,
    );
    const ended = expect(running).rejects.toThrow('given up');
    let pid = '';
    while (pid === '') {
      await sleep(systemClock, 10);
      pid = await readFile(join(folder, 'pid'), 'utf8').catch(() => '');
    }
    cancellation.abort(new Error('given up'));
    await ended;
    for (let attempts = 0; attempts < 200 && (await isRunning(Number(pid))); attempts += 1)
      await sleep(systemClock, 10);
    const isLeft = await isRunning(Number(pid));
    if (isLeft) process.kill(Number(pid));
    expect(isLeft).toBe(false);
  });

  it('rejects when no descriptor is left for it', async () => {
    using _failing = spawnWithoutDescriptors();
    await expect(run('exit 0')).rejects.toThrow('spawn /bin/sh EMFILE');
  });
});
