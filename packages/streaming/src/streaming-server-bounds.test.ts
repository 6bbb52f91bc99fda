import { once } from 'node:events';
import { connect } from 'node:net';
import { seededRandom } from '@rxlet/component-base';
import { createVirtualClock, type VirtualClock } from '@rxlet/component-base/testing';
import { StatusCode } from '@rxlet/cri-api';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { IDLE_TIMEOUT_MS } from './idle-watch.ts';
import type { CommandRequest } from './stream-request.ts';
import { createStreamingServer, CREATION_TIMEOUT_MS, type StreamingServer } from './streaming-server.ts';
import { connectSpdy } from './test-support/spdy-client.ts';

const V4 = 'v4.channel.k8s.io';
const request: CommandRequest = {
  kind: 'exec',
  container: 'c1',
  tty: false,
  stdin: false,
  stdout: true,
  stderr: true,
  run: () => new Promise(() => undefined),
};

describe('the streaming server', () => {
  let clock: VirtualClock;
  let runtime: AbortController;
  let server: StreamingServer;
  beforeEach(() => {
    clock = createVirtualClock();
    runtime = new AbortController();
    server = createStreamingServer({ clock, random: seededRandom(1), signal: () => runtime.signal });
  });
  afterEach(() => server[Symbol.asyncDispose]());

  const open = async (url: string): Promise<{ readonly socket: WebSocket; readonly closed: Promise<unknown[]> }> => {
    const socket = new WebSocket(url, V4);
    const closed = once(socket, 'close');
    await once(socket, 'open');
    return { socket, closed };
  };

  it('listens on loopback, on one port for all streams', async () => {
    const [first, second] = [await server.urlFor(request), await server.urlFor({ ...request, kind: 'attach' })];
    expect(first).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/exec\/[0-9a-f]{32}$/);
    expect(second).toMatch(/\/attach\/[0-9a-f]{32}$/);
    expect(new URL(second).port).toBe(new URL(first).port);
  });

  it('reports a port that it cannot listen on', async () => {
    const port = Number(new URL(await server.urlFor(request)).port);
    await using other = createStreamingServer({ clock, random: seededRandom(2) }, { port });
    await expect(other.urlFor(request)).rejects.toMatchObject({ code: StatusCode.Unavailable });
    await server[Symbol.asyncDispose]();
    expect(new URL(await other.urlFor(request)).port).toBe(String(port));
  });

  it('accepts a token for its kind of stream only', async () => {
    const url = await server.urlFor(request);
    await expect(connectSpdy(url.replace('/exec/', '/attach/'), V4)).rejects.toThrow('404');
    await expect(connectSpdy(url.replace(/[^/]+$/, 'made-up'), V4)).rejects.toThrow('404');
    await expect(connectSpdy(url.replace(/exec.*$/, ''), V4)).rejects.toThrow('404');
  });

  it('ends a stream that was idle for four hours', async () => {
    const { socket, closed } = await open(await server.urlFor({ ...request, tty: true }));
    await clock.advance(IDLE_TIMEOUT_MS - 1);
    socket.send(Buffer.from('\u0004{"Width":80,"Height":24}'));
    // The server has the message when the pong to a later ping is back.
    socket.ping();
    await once(socket, 'pong');
    expect(server.streams()).toEqual([{ kind: 'exec', id: 'c1', terminalSize: { width: 80, height: 24 } }]);
    await clock.advance(IDLE_TIMEOUT_MS - 1);
    expect(server.streams()).toHaveLength(1);
    await clock.advance(1);
    expect((await closed)[0]).toBe(1001);
  });

  it('closes a connection that does not become a stream', async () => {
    const { port } = new URL(await server.urlFor(request));
    const connection = connect(Number(port), '127.0.0.1');
    connection.write('GET /exec/');
    const closed = once(connection, 'close');
    await once(connection, 'connect');
    // A stream on a later connection shows that the server has accepted this one.
    await open(await server.urlFor(request));
    await clock.advance(CREATION_TIMEOUT_MS);
    await closed;
    expect(server.streams()).toHaveLength(1);
  });

  it('ends its streams and URLs with the runtime, and serves those of the next', async () => {
    const { closed } = await open(await server.urlFor(request));
    using spdy = await connectSpdy(await server.urlFor(request), V4);
    const unused = await server.urlFor(request);
    runtime.abort();
    expect((await closed)[0]).toBe(1006);
    await spdy.closed;
    runtime = new AbortController();
    await expect(connectSpdy(unused, V4)).rejects.toThrow('404');
    await open(await server.urlFor(request));
    expect(server.streams()).toHaveLength(1);
  });

  it('leaves nothing behind', async () => {
    const url = await server.urlFor({ ...request, stdin: true });
    const { socket, closed } = await open(url);
    using spdy = await connectSpdy(await server.urlFor(request), V4);
    for (const streamtype of ['error', 'stdout', 'stderr']) await spdy.open({ streamtype });
    // More than the read-ahead, so that the server has stopped reading.
    socket.send(Buffer.alloc(200_000));
    await server[Symbol.asyncDispose]();
    await Promise.all([closed, spdy.closed]);
    expect(clock.pendingTimers).toBe(0);
    expect(server.streams()).toEqual([]);
    await expect(server.urlFor(request)).rejects.toMatchObject({ code: StatusCode.Unavailable });
    await expect(connectSpdy(url, V4)).rejects.toThrow('ECONNREFUSED');
  });
});
