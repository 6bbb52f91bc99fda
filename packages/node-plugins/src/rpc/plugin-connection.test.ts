import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { sleep, systemClock } from '@rxlet/component-base';
import { createVirtualClock } from '@rxlet/component-base/testing';
import { expect, it, onTestFinished } from 'vitest';
import { Registration } from '../../gen/pluginregistration/v1/api_pb.js';
import { createTestPluginServer } from '../testing/test-plugin-server.ts';
import { connectToPlugin } from './plugin-connection.ts';
import { withCallDeadline } from './transport.ts';

const { signal } = new AbortController();
const { getInfo } = Registration.method;

async function createDirectory(): Promise<string> {
  const directory = await mkdtemp(`${tmpdir()}/plugins-`);
  onTestFinished(() => rm(directory, { recursive: true }));
  return directory;
}

it('carries calls over one connection, and reports failures as Go prints them', async () => {
  const path = `${await createDirectory()}/p.sock`;
  let isBroken = false;
  await using server = createTestPluginServer([Registration], {
    async answer() {
      if (isBroken) throw Object.assign(new Error('no such plugin'), { code: 'NotFound' });
      return { name: 'gpu' };
    },
  });
  await server.listen(path);
  using connection = connectToPlugin(path);
  expect(await connection.call(getInfo, {}, signal)).toMatchObject({ name: 'gpu' });
  isBroken = true;
  await expect(connection.call(getInfo, {}, signal)).rejects.toMatchObject({
    name: 'PluginCallError',
    code: 'NotFound',
    description: 'no such plugin',
    message: 'rpc error: code = NotFound desc = no such plugin',
  });
});

it('ends calls with their signal, their deadline and the connection, also to a server that never speaks', async () => {
  const path = `${await createDirectory()}/silent.sock`;
  let open = 0;
  const silent = createServer((socket) => {
    open += 1;
    socket.on('error', () => undefined).resume();
    socket.on('close', () => (open -= 1));
  });
  await new Promise<void>((resolve) => silent.listen(path, resolve));
  onTestFinished(() => void silent.close());
  const connection = connectToPlugin(path);
  const controller = new AbortController();
  const aborted = expect(connection.call(getInfo, {}, controller.signal)).rejects.toThrow('enough');
  controller.abort(new Error('enough'));
  await aborted;
  const clock = createVirtualClock();
  const late = expect(
    withCallDeadline(clock, { timeoutMs: 1_000 }, (on) => connection.call(getInfo, {}, on)),
  ).rejects.toThrow('rpc error: code = DeadlineExceeded desc = context deadline exceeded');
  await clock.advance(1_000);
  await late;
  while (open === 0) await sleep(systemClock, 5);
  connection[Symbol.dispose]();
  for (let step = 0; step < 400 && open > 0; step += 1) await sleep(systemClock, 5);
  expect(open).toBe(0);
});

it('rejects a path that the kernel would cut', () => {
  expect(() => connectToPlugin(`/${'x'.repeat(108)}`)).toThrow('is too long');
});
