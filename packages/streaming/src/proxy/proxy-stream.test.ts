import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { createVirtualClock, type VirtualClock } from '@rxlet/component-base/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createWebSocketStream, WebSocket } from 'ws';
import { UPGRADE_TIMEOUT_MS } from '../client/request-upgrade.ts';
import { CLOSE_TIMEOUT_MS } from '../join-connections.ts';
import { isTranslatedWebSocket, proxyStream } from './proxy-stream.ts';

const TOTAL_BYTES = 48 * 1024 * 1024;
const CHUNK = Buffer.alloc(1024 * 1024, 'x');

describe('the proxy', () => {
  let clock: VirtualClock;
  let stopped: AbortController;
  let runtime: Server;
  let node: Server;
  /** Bytes that the runtime has sent on each connection. */
  let sentBytes: number[];
  beforeEach(async () => {
    clock = createVirtualClock();
    stopped = new AbortController();
    sentBytes = [];
    runtime = createServer();
    node = createServer();
    node.on('upgrade', (message, connection, head) => {
      const url = `http://127.0.0.1:${String((runtime.address() as AddressInfo).port)}/portforward/t`;
      const ports = { clock, signal: stopped.signal };
      void proxyStream({ message, connection, head }, { kind: 'portforward', url }, ports);
    });
    for (const server of [runtime, node]) await once(server.listen(0, '127.0.0.1'), 'listening');
  });
  afterEach(async () => {
    stopped.abort();
    node.close();
    runtime.close();
    await expect.poll(() => clock.pendingTimers, { interval: 1 }).toBe(0);
  });

  const sendAll = (connection: Duplex): void => {
    const index = sentBytes.push(0) - 1;
    connection.on('error', () => undefined);
    connection.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: SPDY/3.1\r\n\r\n');
    const send = (): void => {
      while (sentBytes[index]! < TOTAL_BYTES) {
        sentBytes[index]! += CHUNK.length;
        if (!connection.write(CHUNK)) {
          connection.once('drain', send);
          return;
        }
      }
      connection.end();
    };
    send();
  };
  const open = (headers: readonly string[] = [], options: { readonly allowHalfOpen?: boolean } = {}): Socket => {
    const socket = connect({ port: (node.address() as AddressInfo).port, host: '127.0.0.1', ...options });
    socket.on('error', () => undefined);
    const lines = ['POST /portForward/default/web HTTP/1.1', 'Host: node', 'Connection: Upgrade', 'Upgrade: SPDY/3.1'];
    socket.write([...lines, 'X-Stream-Protocol-Version: portforward.k8s.io', ...headers, '', ''].join('\r\n'));
    return socket;
  };
  const readAll = async (socket: Socket): Promise<number> => {
    let bytes = 0;
    for await (const chunk of socket as AsyncIterable<Buffer>) bytes += chunk.length;
    return bytes;
  };

  it('holds back the runtime for a client that does not read, and no other client', async () => {
    runtime.on('upgrade', (_message, connection) => sendAll(connection));
    const slow = open();
    await expect.poll(() => sentBytes.length, { interval: 1 }).toBe(1);
    expect(await readAll(open())).toBeGreaterThan(TOTAL_BYTES);
    // Sockets of the kernel have some room.
    expect(sentBytes[0]).toBeLessThan(TOTAL_BYTES / 2);
    slow.destroy();
  });

  it.each(['SPDY', 'a WebSocket'])(
    'passes every byte over %s to a client that reads by fits and starts',
    async (over) => {
      const sent = seededBytes(16 * 1024 * 1024);
      runtime.on('upgrade', (_message, connection) => {
        connection.on('error', () => undefined);
        connection.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: SPDY/3.1\r\n');
        connection.write('X-Stream-Protocol-Version: portforward.k8s.io\r\n\r\n');
        // Reads of many sizes, some of which fill a buffer exactly.
        for (let start = 0, size = 1; start < sent.length; start += size, size = Math.min(size * 4, 4 * 1024 * 1024)) {
          connection.write(sent.subarray(start, start + size));
        }
        connection.end();
      });
      const client = over === 'SPDY' ? await upgraded(open()) : openTunnel((node.address() as AddressInfo).port);
      const received: Buffer[] = [];
      for await (const chunk of client as AsyncIterable<Buffer>) {
        received.push(chunk);
        if (received.length % 16 === 0) await clock.settle();
      }
      expect(Buffer.concat(received).equals(sent)).toBe(true);
    },
  );

  it('keeps credentials for the node from the runtime, and names the client', async () => {
    const { promise, resolve } = Promise.withResolvers<NodeJS.Dict<string | string[]>>();
    runtime.on('upgrade', ({ headers }, connection) => {
      resolve(headers);
      connection.end();
    });
    const client = open(['Authorization: Bearer secret', 'X-Forwarded-For: 10.0.0.1', 'Kubectl-Command: kubectl exec']);
    const headers = await promise;
    expect(headers).toMatchObject({ 'kubectl-command': 'kubectl exec', 'x-forwarded-for': '10.0.0.1, 127.0.0.1' });
    expect(headers).not.toHaveProperty('authorization');
    client.destroy();
  });

  it('gives up a runtime that does not answer', async () => {
    const calls = once(runtime, 'upgrade');
    const socket = open();
    const answer = readText(socket);
    const [, connection] = (await calls) as [unknown, Socket];
    await clock.advance(UPGRADE_TIMEOUT_MS);
    expect(await answer).toMatch(/^HTTP\/1\.1 500 [^]*the streaming server did not answer within 30 s\n$/);
    connection.destroy();
  });

  it.each<[string, () => void | Promise<void>]>([
    ['in time', () => clock.advance(CLOSE_TIMEOUT_MS)],
    ['when the agent stops', () => stopped.abort()],
  ])(
    'closes a connection that was answered with a failure, and whose client keeps its end open, %s',
    async (_, pass) => {
      runtime.on('upgrade', (_message, connection) => {
        connection.end('HTTP/1.1 403 Forbidden\r\nContent-Length: 3\r\n\r\nno\n');
      });
      const calls = once(node, 'upgrade');
      const client = open([], { allowHalfOpen: true });
      const [, connection] = (await calls) as [unknown, Socket];
      expect(await readText(client)).toMatch(/^HTTP\/1\.1 403 [^]*no\n$/);
      expect(connection.destroyed).toBe(false);
      await pass();
      expect(connection.destroyed).toBe(true);
      client.destroy();
    },
  );

  it('ends both sides when the agent stops', async () => {
    const calls = once(runtime, 'upgrade');
    const socket = open();
    const [, connection] = (await calls) as [unknown, Socket];
    connection.on('error', () => undefined);
    // Sockets of an HTTP server stay half open.
    connection.once('end', () => connection.end());
    connection.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: SPDY/3.1\r\n\r\n');
    await once(socket, 'data');
    for (const side of [socket, connection]) side.resume();
    stopped.abort();
    await Promise.all([once(socket, 'close'), once(connection, 'close')]);
  });
});

/** Returns bytes of which no two places look alike. */
function seededBytes(length: number): Buffer {
  const words = new Uint32Array(length / 4);
  for (let index = 0; index < words.length; index += 1) words[index] = Math.imul(index + 1, 2_654_435_761);
  return Buffer.from(words.buffer);
}

/** Resolves with a connection whose next byte is the first one after the answer. */
async function upgraded(socket: Socket): Promise<Socket> {
  let text = '';
  while (!text.endsWith('\r\n\r\n')) {
    const byte = socket.read(1) as Buffer | null;
    if (byte === null) await once(socket, 'readable');
    else text += byte.toString('latin1');
  }
  return socket;
}

function openTunnel(port: number): Duplex {
  const headers = { 'Sec-WebSocket-Protocol': 'SPDY/3.1+portforward.k8s.io' };
  const socket = new WebSocket(`ws://127.0.0.1:${String(port)}/`, { headers });
  // The library takes no name with a slash.
  socket.once('upgrade', (answer) => delete answer.headers['sec-websocket-protocol']);
  return createWebSocketStream(socket);
}

async function readText(socket: Socket): Promise<string> {
  let text = '';
  for await (const chunk of socket as AsyncIterable<Buffer>) text += chunk.toString();
  return text;
}

describe('isTranslatedWebSocket', () => {
  it.each([
    ['exec', 'WebSocket', 'v4.channel.k8s.io, v5.channel.k8s.io', true],
    ['attach', 'websocket', 'v5.channel.k8s.io', true],
    ['exec', 'websocket', 'v4.channel.k8s.io', false],
    ['exec', 'SPDY/3.1', 'v5.channel.k8s.io', false],
    ['portforward', 'websocket', 'SPDY/3.1+portforward.k8s.io', true],
    ['portforward', 'websocket', 'v4.channel.k8s.io', false],
  ] as const)('decides about %s by %s with %s', (kind, upgrade, protocols, expected) => {
    const headers = { upgrade, 'sec-websocket-protocol': protocols };
    expect(isTranslatedWebSocket({ headers }, kind)).toBe(expected);
  });
});
