import { connect } from 'node:net';
import { seededRandom } from '@rxlet/component-base';
import { createVirtualClock, type VirtualClock } from '@rxlet/component-base/testing';
import { StatusCode } from '@rxlet/cri-api';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { V4, V5 } from './channels.ts';
import { IDLE_TIMEOUT_MS } from './frame-socket.ts';
import type { CommandRequest } from './stream-request.ts';
import { createStreamingServer, CREATION_TIMEOUT_MS, type StreamingServer } from './streaming-server.ts';
import { STREAM_SUCCESS } from './stream-status.ts';
import { connectTo, refusalOf } from './test-support.ts';

const websocketHeaders = { 'Sec-WebSocket-Version': '13', 'Sec-WebSocket-Key': 'AAAAAAAAAAAAAAAAAAAAAA==' };
const request: CommandRequest = {
  kind: 'exec',
  containerId: 'c1',
  tty: false,
  stdin: false,
  stdout: true,
  stderr: true,
  start: () => ({ ended: new Promise(() => undefined), resize: () => undefined }),
};

describe('the streaming server', () => {
  let clock: VirtualClock;
  let server: StreamingServer;
  beforeEach(() => {
    clock = createVirtualClock();
    server = createStreamingServer({ clock, random: seededRandom(1) });
  });
  afterEach(() => server[Symbol.asyncDispose]());

  it('listens on loopback, and one port serves all', async () => {
    const [first, second] = [await server.urlFor(request), await server.urlFor({ ...request, kind: 'attach' })];
    expect(first).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/exec\/[0-9a-f]{16}$/);
    expect(second).toMatch(/\/attach\/[0-9a-f]{16}$/);
    expect(new URL(second).port).toBe(new URL(first).port);
  });

  it('reports a port that it cannot have', async () => {
    const port = Number(new URL(await server.urlFor(request)).port);
    await using other = createStreamingServer({ clock, random: seededRandom(2) }, { port });
    await expect(other.urlFor(request)).rejects.toMatchObject({ code: StatusCode.Unavailable });
    await server[Symbol.asyncDispose]();
    expect(new URL(await other.urlFor(request)).port).toBe(String(port));
  });

  it('speaks v5 and v4', async () => {
    const v5 = await connectTo(await server.urlFor(request), [V4, V5]);
    expect(v5.socket.protocol).toBe(V5);
    const v4 = await connectTo(await server.urlFor(request), [V4]);
    expect(v4.socket.protocol).toBe(V4);
    expect(server.streams()).toEqual([
      { kind: 'exec', id: 'c1', terminalSize: undefined },
      { kind: 'exec', id: 'c1', terminalSize: undefined },
    ]);
  });

  it('takes each token once, for a minute, and for its kind of stream', async () => {
    const used = await server.urlFor(request);
    await connectTo(used);
    await expect(connectTo(used)).rejects.toThrow('404');
    await expect(connectTo((await server.urlFor(request)).replace('/exec/', '/attach/'))).rejects.toThrow('404');
    await expect(connectTo(used.replace(/[^/]+$/, 'made-up'))).rejects.toThrow('404');
    await expect(connectTo(used.replace(/exec.*$/, ''))).rejects.toThrow('404');
    const late = await server.urlFor(request);
    await clock.advance(60_000);
    await expect(connectTo(late)).rejects.toThrow('404');
  });

  it('refuses SPDY and names what it speaks', async () => {
    const [status, body] = await refusalOf(await server.urlFor(request), 'SPDY/3.1', {
      'X-Stream-Protocol-Version': 'v4.channel.k8s.io',
    });
    expect(status).toBe(400);
    expect(body).toContain('SPDY/3.1');
    expect(body).toContain('v5.channel.k8s.io or v4.channel.k8s.io');
  });

  it('refuses other subprotocols, and what is no upgrade', async () => {
    const headers = { ...websocketHeaders, 'Sec-WebSocket-Protocol': 'v3.channel.k8s.io, base64.channel.k8s.io' };
    const [status, body] = await refusalOf(await server.urlFor(request), 'websocket', headers);
    expect(status).toBe(403);
    expect(body).toContain('v5.channel.k8s.io');
    const plain = await fetch(await server.urlFor(request));
    expect([plain.status, await plain.text()]).toEqual([400, expect.stringContaining('WebSocket')]);
  });

  it('ends a stream that was idle for four hours', async () => {
    const client = await connectTo(await server.urlFor({ ...request, tty: true }));
    await clock.advance(IDLE_TIMEOUT_MS - 1);
    client.send(4, '{"Width":80,"Height":24}');
    // The server has the frame when the pong to what was sent after it is back.
    const pong = new Promise((resolve) => client.socket.once('pong', resolve));
    client.socket.ping();
    await pong;
    expect(server.streams()[0]?.terminalSize).toEqual({ width: 80, height: 24 });
    await clock.advance(IDLE_TIMEOUT_MS - 1);
    expect(server.streams()).toHaveLength(1);
    await clock.advance(1);
    expect(await client.closed).toBe(1001);
  });

  it('cuts off a connection that does not become a stream', async () => {
    const { port } = new URL(await server.urlFor(request));
    const connection = connect(Number(port), '127.0.0.1');
    connection.write('GET /exec/');
    const closed = new Promise((resolve) => connection.once('close', resolve));
    await new Promise((resolve) => connection.once('connect', resolve));
    // Only the server knows when it has accepted: a stream on a later connection shows that it has.
    await connectTo(await server.urlFor(request));
    await clock.advance(CREATION_TIMEOUT_MS);
    await closed;
    expect(server.streams()).toHaveLength(1);
  });

  it('shows a broken start, and sends the status last', async () => {
    const broken = await connectTo(
      await server.urlFor({
        ...request,
        start: () => {
          throw new Error('no such program');
        },
      }),
    );
    expect(await broken.status()).toEqual({
      metadata: {},
      status: 'Failure',
      message: 'Internal error occurred: error executing command in container: no such program',
      reason: 'InternalError',
      details: { causes: [{ message: 'error executing command in container: no such program' }] },
      code: 500,
    });
    const ended = { ended: Promise.resolve(STREAM_SUCCESS), resize: () => undefined };
    const done = await connectTo(await server.urlFor({ ...request, start: () => ended }));
    expect(await done.status()).toEqual({ metadata: {}, status: 'Success' });
    expect(await done.closed).toBe(1000);
  });

  it('leaves nothing behind', async () => {
    const url = await server.urlFor({ ...request, stdin: true });
    const client = await connectTo(url);
    // More than is read ahead, so that the server has stopped reading.
    client.send(0, new Uint8Array(200_000));
    const connection = connect(Number(new URL(url).port), '127.0.0.1');
    await new Promise((resolve) => connection.once('connect', resolve));
    connection.on('error', () => undefined);
    const connectionClosed = new Promise((resolve) => connection.once('close', resolve));
    await server[Symbol.asyncDispose]();
    await Promise.all([client.closed, connectionClosed]);
    expect(clock.pendingTimers).toBe(0);
    expect(server.streams()).toEqual([]);
    await expect(server.urlFor(request)).rejects.toMatchObject({ code: StatusCode.Unavailable });
    await expect(connectTo(url)).rejects.toThrow('ECONNREFUSED');
  });
});
