import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sleep, systemClock } from '@rxlet/component-base';
import { useAllDescriptors } from '@rxlet/component-base/testing';
import { eventually } from '@rxlet/test-containerd/eventually';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { acquireFileLock } from './file-lock.ts';

let folder: string;
let path: string;
let children: ChildProcess[];
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'rxlet-lock-'));
  path = join(folder, 'lock');
  children = [];
});
afterEach(async () => {
  for (const child of children) child.kill('SIGKILL');
  await rm(folder, { recursive: true });
});

const ports = { clock: systemClock };
const never = new AbortController().signal;

/** Starts another process that locks the file, and holds the lock until its standard input ends. */
function startOther(): { readonly child: ChildProcess; readonly isLocked: () => boolean } {
  const child = spawn('flock', ['--exclusive', path, 'sh', '-c', 'echo locked; exec cat']);
  children.push(child);
  let output = '';
  child.stdout.on('data', (data: Buffer) => (output += data.toString()));
  return { child, isLocked: () => output.includes('locked') };
}

describe('acquireFileLock', () => {
  it('creates a private file, and keeps other processes out until it is disposed of', async () => {
    const lock = await acquireFileLock(path, ports, never);
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    const other = startOther();
    await lock.contention(never);
    expect(other.isLocked()).toBe(false);
    await lock[Symbol.asyncDispose]();
    await eventually('the other process has the lock', async () => other.isLocked());
  });

  it('waits for another process', async () => {
    const other = startOther();
    await eventually('the other process has the lock', async () => other.isLocked());
    let isAcquired = false;
    const acquiring = acquireFileLock(path, ports, never).then((lock) => ((isAcquired = true), lock));
    await sleep(systemClock, 200);
    expect(isAcquired).toBe(false);
    other.child.stdin!.end();
    await (await acquiring)[Symbol.asyncDispose]();
  });

  it('gives up when it is cancelled', async () => {
    const other = startOther();
    await eventually('the other process has the lock', async () => other.isLocked());
    const cancel = new AbortController();
    const acquiring = acquireFileLock(path, ports, cancel.signal);
    systemClock.setTimer(50, () => cancel.abort(new Error('stopping')));
    await expect(acquiring).rejects.toThrow('stopping');
  });

  it('names a path that cannot be locked', async () => {
    await expect(acquireFileLock(folder, ports, never)).rejects.toThrow(`cannot acquire the file lock "${folder}"`);
  });
});

describe('contention', () => {
  it('is reported when the file is deleted, or replaced', async () => {
    await using lock = await acquireFileLock(path, ports, never);
    await rm(path);
    await lock.contention(never);
    await writeFile(path, '');
    await lock.contention(never);
  });

  it('is not reported while the agent has no file descriptors left', async () => {
    await using lock = await acquireFileLock(path, ports, never);
    const ended = vi.fn<() => void>();
    let contention: Promise<void>;
    {
      using _descriptors = useAllDescriptors();
      contention = lock.contention(never).finally(ended);
      await sleep(systemClock, 100);
    }
    expect(ended).not.toHaveBeenCalled();
    startOther();
    await contention;
  });

  it('ends with its signal', async () => {
    await using lock = await acquireFileLock(path, ports, never);
    const stopping = new AbortController();
    systemClock.setTimer(50, () => stopping.abort(new Error('stopping')));
    await expect(lock.contention(stopping.signal)).rejects.toThrow('stopping');
  });
});
