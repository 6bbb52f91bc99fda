import { execFileSync } from 'node:child_process';
import { appendFile, mkdtemp, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { noopLogger } from '@rxlet/component-base';
import { createVirtualClock, recordingLogger } from '@rxlet/component-base/testing';
import { ContainerState } from '@rxlet/cri-api';
import { createFileLogs } from '@rxlet/fake-cri';
import { createHostFiles, createNodeFiles } from '@rxlet/node-files';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { type ContainerLogRotatorPorts, createContainerLogRotator } from '../rotate/container-log-rotator.ts';
import { readContainerLog } from './read-container-log.ts';

let directory: string;
let path: string;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'container-logs-'));
  path = join(directory, '0.log');
});
afterEach(() => rm(directory, { recursive: true, force: true }));

const line = (text: string): string => `2026-01-01T00:00:00Z stdout F ${text}\n`;

it('reads nothing but regular files, and does not wait for a pipe', async () => {
  const ports = { files: createHostFiles(), clock: createVirtualClock(), isRunning: () => false };
  const read = (log: string) => readContainerLog(ports, log).next();
  await expect(read(path)).rejects.toMatchObject({ reason: 'NotFound' });
  execFileSync('mkfifo', [path]);
  await expect(read(path)).rejects.toMatchObject({ reason: 'NotAFile' });
  await expect(read(directory)).rejects.toMatchObject({ reason: 'NotAFile' });
});

it('follows real files across rotations by the rotator', async () => {
  const clock = createVirtualClock();
  const log = join(directory, 'app', '0.log');
  const logs = createFileLogs(noopLogger);
  let file = logs.open(log);
  const status = { state: ContainerState.CONTAINER_RUNNING, logPath: log };
  const runtime = {
    listContainers: async () => ({ containers: [{ id: 'c1', state: status.state }] }),
    containerStatus: async () => ({ status }),
    async reopenContainerLog() {
      const reopened = logs.open(log);
      // The runtime is slow to turn to the new file.
      file.append(line('late'));
      file.close();
      file = reopened;
    },
  } as unknown as ContainerLogRotatorPorts['runtime'];
  const files = createNodeFiles({ roots: [directory] });
  const logger = recordingLogger();
  await using rotator = createContainerLogRotator({ runtime, files, clock, logger }, { maxSizeBytes: 1, maxFiles: 3 });
  let running = true;
  let shown = '';
  const rotate = async (): Promise<void> => {
    const earlier = logger.lines.length;
    rotator.start();
    await clock.advance(10_000);
    await vi.waitFor(() => expect(logger.lines).toHaveLength(earlier + 1));
    expect(logger.lines.at(-1)).toMatchObject({ message: 'rotated a container log' });
    file.append(line('next'));
  };
  file.append(line('begin'));
  const ports = { files: createHostFiles(), clock: createVirtualClock(), isRunning: () => running };
  for await (const { bytes } of readContainerLog(ports, log, { follow: true })) {
    shown += Buffer.from(bytes).toString();
    const lines = shown.split('\n').length - 1;
    if (lines === 9) running = false;
    else if (lines % 2 === 1) await rotate();
  }
  expect(shown).toBe(`begin\n${'late\nnext\n'.repeat(4)}`);
  expect((await readdir(join(directory, 'app'))).toSorted()).toEqual([
    '0.log',
    expect.stringMatching(/^0\.log\.\d{8}-\d{6}\.gz$/) as string,
    expect.stringMatching(/^0\.log\.\d{8}-\d{6}$/) as string,
  ]);
});

it('follows real files across a rotation by their changes alone', async () => {
  await writeFile(path, line('one'));
  let running = true;
  // Its clock stands still, so nothing is ever found by looking now and then.
  const ports = { files: createHostFiles(), clock: createVirtualClock(), isRunning: () => running };
  const chunks = readContainerLog(ports, path, { follow: true });
  const next = async (): Promise<string> => Buffer.from((await chunks.next()).value?.bytes ?? []).toString();
  expect(await next()).toBe('one\n');
  const second = next();
  await appendFile(path, line('two'));
  expect(await second).toBe('two\n');
  const third = next();
  await rename(path, `${path}.1`);
  await writeFile(path, line('three'));
  expect(await third).toBe('three\n');
  running = false;
  expect((await chunks.next()).done).toBe(true);
});
