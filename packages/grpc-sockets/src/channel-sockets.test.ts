import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client, type ServiceError, status } from '@grpc/grpc-js';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type ConnectHooks, createChannelSockets } from './channel-sockets.ts';

/** A peer that accepts connections and never answers. */
let folder: string;
let server: Server;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'rxlet-grpc-'));
  server = createServer().listen(join(folder, 'grpc.sock'));
  await once(server, 'listening');
});
afterEach(() => {
  server.close();
  rmSync(folder, { recursive: true });
});

function connect(hooks?: ConnectHooks) {
  const sockets = createChannelSockets(hooks);
  const client = new Client(`unix:${join(folder, 'grpc.sock')}`, sockets.credentials);
  const failure = new Promise<ServiceError | null>((resolve) => {
    const bytes = (value: Buffer): Buffer => value;
    client.makeUnaryRequest('/test.Service/Call', bytes, bytes, Buffer.alloc(0), (error) => resolve(error));
  });
  return { sockets, client, failure };
}

describe('sockets of a channel', () => {
  it('are reported when they are connected, and destroyed by the disposal after the channel was closed', async () => {
    const reported = Promise.withResolvers<Socket>();
    const accepted = once(server, 'connection') as Promise<[Socket]>;
    const { sockets, client, failure } = connect({ connected: reported.resolve });
    const [peer] = await accepted;
    peer.resume();
    const socket = await reported.promise;
    client.close();
    expect((await failure)?.code).toBe(status.UNAVAILABLE);
    expect(socket.destroyed).toBe(false);
    const closed = once(peer, 'close');
    await sockets[Symbol.asyncDispose]();
    expect(socket.closed).toBe(true);
    await closed;
  });

  it('are destroyed when they connect after the disposal', async () => {
    const gate = Promise.withResolvers<void>();
    const accepted = once(server, 'connection') as Promise<[Socket]>;
    const { sockets, client, failure } = connect({ beforeConnect: () => gate.promise });
    sockets[Symbol.dispose]();
    gate.resolve();
    const [peer] = await accepted;
    peer.resume();
    if (!peer.destroyed) await once(peer, 'close');
    client.close();
    expect((await failure)?.code).toBe(status.UNAVAILABLE);
  });

  it('do not connect when that is refused', async () => {
    let connections = 0;
    server.on('connection', () => (connections += 1));
    const { sockets, client, failure } = connect({ beforeConnect: () => Promise.reject(new Error('not yet')) });
    expect((await failure)?.code).toBe(status.UNAVAILABLE);
    client.close();
    sockets[Symbol.dispose]();
    expect(connections).toBe(0);
  });
});
