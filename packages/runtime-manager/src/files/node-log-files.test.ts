import { appendFile, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createVirtualClock } from '@rxlet/component-base/testing';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { readContainerLog } from '../logs/read-container-log.ts';
import { createNodeLogFiles } from './node-log-files.ts';

let directory: string;
let path: string;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'runtime-manager-'));
  path = join(directory, '0.log');
});
afterEach(() => rm(directory, { recursive: true, force: true }));

const line = (text: string): string => `2026-01-01T00:00:00Z stdout F ${text}\n`;

it('opens nothing where nothing is', async () => {
  expect(await createNodeLogFiles().open(path)).toBeUndefined();
});

it('follows real files across a rotation by their changes alone', async () => {
  await writeFile(path, line('one'));
  let running = true;
  // Its clock stands still, so nothing is ever found by looking now and then.
  const ports = { files: createNodeLogFiles(), clock: createVirtualClock(), isRunning: () => running };
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
