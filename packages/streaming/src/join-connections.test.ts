import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { sleep, systemClock } from '@rxlet/component-base';
import { createVirtualClock } from '@rxlet/component-base/testing';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { joinConnections } from './join-connections.ts';
import { ReusedReads } from './reused-reads.ts';

/** Less than a connection takes without a reader. */
const OUTPUT = Buffer.alloc(100_000, 'output');

let folder: string;
let servers: Server[];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'join-'));
  servers = [];
});
afterEach(async () => {
  for (const server of servers) server.close();
  await rm(folder, { recursive: true });
});

const ports = (signal = new AbortController().signal) => ({ clock: createVirtualClock(), signal });

const serve = async (name: string, onConnection: (socket: Socket) => void): Promise<string> => {
  const path = join(folder, name);
  const server = createServer({ allowHalfOpen: true }, onConnection).listen(path);
  servers.push(server);
  await once(server, 'listening');
  return path;
};

it('delivers what a side has sent which has closed since, although the other one sends more', async () => {
  const runtime = await serve('runtime', (socket) => {
    socket.on('error', () => undefined);
    socket.end(OUTPUT, () => socket.destroy());
  });
  const closed = Promise.withResolvers<void>();
  const joined = Promise.withResolvers<void>();
  const node = await serve('node', (client) => {
    const reads = new ReusedReads();
    const second = connect({ path: runtime, onread: reads.onread });
    reads.attach(second);
    for (const socket of [client, second]) socket.on('error', () => undefined);
    joinConnections(client, second, ports(), reads).then(joined.resolve, joined.reject);
    second.once('close', closed.resolve);
  });
  const client = connect(node);
  // The output is on its way to a client that does not read yet.
  await closed.promise;
  const sent = await new Promise((resolve) => client.on('error', () => undefined).write('late', resolve));
  expect(sent).toBeFalsy();
  const received: Buffer[] = [];
  for await (const chunk of client as AsyncIterable<Buffer>) received.push(chunk);
  expect(Buffer.concat(received).equals(OUTPUT)).toBe(true);
  await joined.promise;
});

it('closes the other side of one that breaks', async () => {
  const broken = Promise.withResolvers<Socket>();
  const runtime = await serve('runtime', (socket) => broken.resolve(socket));
  const joined = Promise.withResolvers<void>();
  const node = await serve('node', (client) => {
    const second = connect(runtime);
    second.on('error', () => undefined);
    joinConnections(client, second, ports()).then(joined.resolve, joined.reject);
    void broken.promise.then(() => second.destroy(new Error('broken')));
  });
  const client = connect(node);
  await once(client.resume(), 'close');
  await joined.promise;
  (await broken.promise).destroy();
});

it('closes both at once when it is aborted, although one of them has closed and the other one has not noticed', async () => {
  const runtime = await serve('runtime', (socket) => void socket.resume());
  const joined = Promise.withResolvers<void>();
  const ended = Promise.withResolvers<void>();
  const server = new AbortController();
  const node = await serve('node', (client) => {
    const second = connect({ path: runtime, allowHalfOpen: true });
    joinConnections(client, second, ports(server.signal)).then(joined.resolve, joined.reject);
    second.once('finish', ended.resolve);
  });
  const client = connect(node);
  client.once('connect', () => client.destroy());
  await ended.promise;
  server.abort();
  await joined.promise;
});

it('holds a side back while the other one does not read, and loses nothing of it', async () => {
  const accepted = Promise.withResolvers<Socket>();
  const runtime = await serve('runtime', (socket) => accepted.resolve(socket.pause()));
  const joined = Promise.withResolvers<void>();
  const toRuntime = Promise.withResolvers<Socket>();
  const node = await serve('node', (client) => {
    const second = connect(runtime);
    toRuntime.resolve(second);
    joinConnections(client, second, ports()).then(joined.resolve, joined.reject);
  });
  const client = connect(node);
  const sent = Buffer.alloc(16 * 1024 * 1024);
  for (let offset = 0; offset < sent.length; offset += 4) sent.writeUInt32BE(offset, offset);
  client.end(sent);
  const [reader, second] = await Promise.all([accepted.promise, toRuntime.promise]);
  // Held back when no more is taken from the client, although most of it is still to come.
  let taken = -1;
  while (taken !== second.bytesWritten || taken === 0) {
    taken = second.bytesWritten;
    await sleep(systemClock, 100);
  }
  expect(taken).toBeLessThan(sent.length / 4);
  const received: Buffer[] = [];
  for await (const chunk of reader as AsyncIterable<Buffer>) received.push(chunk);
  expect(Buffer.concat(received).equals(sent)).toBe(true);
  reader.destroy();
  await joined.promise;
});

it('frees the memory of reads once they are written, and leaves shared memory alone', async () => {
  const received: Buffer[] = [];
  const delivered = Promise.withResolvers<void>();
  const runtime = await serve('runtime', (socket) => {
    socket.on('data', (chunk) => received.push(chunk)).once('end', () => delivered.resolve());
    socket.end();
  });
  const shared = Buffer.alloc(1000, 'shared');
  const own = Buffer.alloc(1000, 'own');
  const expected = Buffer.concat([shared.subarray(0, 500), own]);
  const client = new PassThrough();
  const second = connect({ path: runtime, allowHalfOpen: true });
  const joined = joinConnections(client, second, ports());
  client.write(shared.subarray(0, 500));
  client.end(own);
  await delivered.promise;
  await joined;
  expect(Buffer.concat(received).equals(expected)).toBe(true);
  expect(own.byteLength).toBe(0);
  expect(shared.equals(Buffer.alloc(1000, 'shared'))).toBe(true);
});
