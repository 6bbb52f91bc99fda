import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { sleep, systemClock } from '@rxlet/component-base';
import { expect, it, onTestFinished } from 'vitest';
import { Registration } from '../../gen/pluginregistration/v1/api_pb.js';
import { createTestPluginServer } from '../testing/test-plugin-server.ts';
import { connectToPlugin } from './plugin-connection.ts';

const { signal } = new AbortController();

async function socketPath(): Promise<string> {
  const directory = await mkdtemp(`${tmpdir()}/plugins-`);
  onTestFinished(() => rm(directory, { recursive: true }));
  return `${directory}/p.sock`;
}

async function until(condition: () => boolean): Promise<void> {
  for (let step = 0; step < 2_000 && !condition(); step += 1) await sleep(systemClock, 5);
  expect(condition()).toBe(true);
}

const createServerOn = async (path: string) => {
  await rm(path, { force: true });
  const server = createTestPluginServer([Registration], { answer: async () => ({ name: 'gpu' }) });
  await server.listen(path);
  return server;
};

it('opens a connection without a call, reports its loss, and opens it again', async () => {
  const path = await socketPath();
  const first = await createServerOn(path);
  using connection = connectToPlugin(path);
  const changes: boolean[] = [];
  connection.keepOpen((isOpen) => void changes.push(isOpen));
  await until(() => changes.length === 1);
  await first[Symbol.asyncDispose]();
  await until(() => changes.length === 2);
  await using _second = await createServerOn(path);
  await until(() => changes.length === 3);
  expect(changes).toEqual([true, false, true]);
  expect(await connection.call(Registration.method.getInfo, {}, signal)).toMatchObject({ name: 'gpu' });
});

it('waits for a plugin that listens later, and takes no silent server for one', async () => {
  const path = await socketPath();
  using connection = connectToPlugin(path);
  const changes: boolean[] = [];
  connection.keepOpen((isOpen) => void changes.push(isOpen));
  const silent = createServer((socket) => void socket.on('error', () => undefined).resume());
  let accepted = 0;
  silent.on('connection', (socket) => {
    accepted += 1;
    void sleep(systemClock, 20).then(() => socket.destroy());
  });
  await new Promise<void>((resolve) => silent.listen(path, resolve));
  await until(() => accepted > 0);
  expect(changes).toEqual([]);
  await new Promise((resolve) => silent.close(resolve));
  await using _server = await createServerOn(path);
  await until(() => changes.length === 1);
  expect(changes).toEqual([true]);
});

it('reports nothing after its disposal', async () => {
  const path = await socketPath();
  await using _server = await createServerOn(path);
  const connection = connectToPlugin(path);
  const changes: boolean[] = [];
  connection.keepOpen((isOpen) => void changes.push(isOpen));
  await until(() => changes.length === 1);
  connection[Symbol.dispose]();
  await sleep(systemClock, 50);
  expect(changes).toEqual([true]);
});
