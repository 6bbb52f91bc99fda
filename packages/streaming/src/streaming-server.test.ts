import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { connect, createServer, type Server } from 'node:net';
import { Duplex } from 'node:stream';
import { atEndOfTurn, onAbort, seededRandom, systemClock } from '@rxlet/component-base';
import { createVirtualClock } from '@rxlet/component-base/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import type { CommandRequest, CommandStreams, TerminalSize } from './stream-request.ts';
import { exitStatus, STREAM_SUCCESS, type StreamStatus } from './stream-status.ts';
import { createStreamingServer, type StreamingServer } from './streaming-server.ts';
import { connectSpdy } from './test-support/spdy-client.ts';
import { TOKEN_TTL_MS } from './token-cache.ts';

const V4 = 'v4.channel.k8s.io';
const V5 = 'v5.channel.k8s.io';

let server: StreamingServer;
beforeEach(() => {
  server = createStreamingServer({ clock: systemClock, random: seededRandom(1) });
});
afterEach(() => server[Symbol.asyncDispose]());

/** A command that writes its input to stdout in upper case. */
const upperCase = async ({ stdin, stdout, stderr }: CommandStreams): Promise<StreamStatus> => {
  stderr?.write('warning\n');
  for await (const chunk of stdin ?? []) stdout?.write((chunk as Buffer).toString().toUpperCase());
  return exitStatus(3);
};
const command = (fields: Partial<CommandRequest> = {}): CommandRequest => ({
  kind: 'exec',
  container: 'c1',
  tty: false,
  stdin: true,
  stdout: true,
  stderr: true,
  run: upperCase,
  ...fields,
});
const channelsOf = async (socket: WebSocket): Promise<string[]> => {
  const texts: string[] = [];
  // The first message of a port is its number, which is no text.
  socket.on(
    'message',
    (data: Buffer) => (texts[data[0]!] = (texts[data[0]!] ?? '') + data.subarray(1).toString('latin1')),
  );
  await once(socket, 'close');
  return texts;
};
/** Connects, and collects what the server sends on each channel until it closes. */
const webSocket = async (
  url: string,
  protocol: string,
): Promise<{ readonly socket: WebSocket; readonly received: Promise<string[]> }> => {
  const socket = new WebSocket(url, protocol);
  const received = channelsOf(socket);
  await once(socket, 'open');
  return { socket, received };
};

describe('a command over WebSocket', () => {
  it('gets input, returns output on its channels, and the status last', async () => {
    const { socket, received } = await webSocket(await server.urlFor(command()), V5);
    socket.send(Buffer.from('\0hello'));
    // Half-closes stdin.
    socket.send(Buffer.from([255, 0]));
    const [, stdout, stderr, status] = await received;
    expect([stdout, stderr, JSON.parse(status!)]).toEqual(['HELLO', 'warning\n', exitStatus(3)]);
  });

  it('gets the sizes of a terminal', async () => {
    const run = ({ onResize }: CommandStreams): Promise<StreamStatus> =>
      new Promise((resolve) => onResize(({ width, height }: TerminalSize) => resolve(exitStatus(width + height))));
    const { socket, received } = await webSocket(await server.urlFor(command({ tty: true, stderr: false, run })), V4);
    socket.send(Buffer.from('\u0004{"Width":-1}'));
    socket.send(Buffer.from('\u0004{"Width":80,"Height":24}'));
    expect(JSON.parse((await received)[3]!)).toEqual(exitStatus(104));
  });

  it('sees the end of its input and its signal when the client disconnects', async () => {
    const ended = Promise.withResolvers<boolean>();
    const run = async (streams: CommandStreams): Promise<StreamStatus> => {
      await upperCase(streams);
      ended.resolve(streams.signal.aborted);
      return STREAM_SUCCESS;
    };
    const { socket } = await webSocket(await server.urlFor(command({ run })), V4);
    socket.terminate();
    expect(await ended.promise).toBe(true);
  });

  it('reports a failure as an internal error', async () => {
    const run = (): Promise<StreamStatus> => Promise.reject(new Error('container gone'));
    const { received } = await webSocket(await server.urlFor(command({ kind: 'attach', run })), V4);
    const message = 'Internal error occurred: error attaching to container: container gone';
    expect(JSON.parse((await received)[3]!)).toMatchObject({ status: 'Failure', message });
  });

  it('holds output back while the client does not read', async () => {
    const written = Promise.withResolvers<boolean>();
    const run = async ({ stdout }: CommandStreams): Promise<StreamStatus> => {
      let isHeldBack = false;
      for (let count = 0; count < 1000 && !isHeldBack; count += 1) isHeldBack = !stdout!.write(Buffer.alloc(64 * 1024));
      written.resolve(isHeldBack);
      return STREAM_SUCCESS;
    };
    const { socket } = await webSocket(await server.urlFor(command({ stdin: false, run })), V4);
    socket.pause();
    expect(await written.promise).toBe(true);
    socket.terminate();
  });
});

describe('a command over SPDY', () => {
  it('gets input, returns output on its streams, and the status on the stream for errors', async () => {
    using client = await connectSpdy(await server.urlFor(command()), V4);
    const [error, stdin, stdout, stderr] = [
      await client.open({ streamtype: 'error' }),
      await client.open({ streamtype: 'stdin' }),
      await client.open({ streamtype: 'stdout' }),
      await client.open({ streamtype: 'stderr' }),
    ];
    stdin.write('hello ');
    stdin.write('world');
    stdin.end();
    expect(await stdout.received).toBe('HELLO WORLD');
    expect(await stderr.received).toBe('warning\n');
    expect(JSON.parse(await error.received)).toEqual(exitStatus(3));
    await client.closed;
  });

  it('loses the stream for sizes of its terminal when that has no end of a line', async () => {
    const ended = Promise.withResolvers<StreamStatus>();
    const request = command({ tty: true, stdin: false, stderr: false, run: () => ended.promise });
    using client = await connectSpdy(await server.urlFor(request), V4);
    const error = await client.open({ streamtype: 'error' });
    await client.open({ streamtype: 'stdout' });
    const resize = await client.open({ streamtype: 'resize' });
    resize.write('{'.repeat(100_000));
    expect(await resize.received).toBe('');
    ended.resolve(exitStatus(3));
    expect(JSON.parse(await error.received)).toEqual(exitStatus(3));
  });

  it('gets the sizes of a terminal', async () => {
    const run = ({ onResize }: CommandStreams): Promise<StreamStatus> =>
      new Promise((resolve) => onResize(({ width, height }: TerminalSize) => resolve(exitStatus(width + height))));
    const request = command({ tty: true, stdin: false, stderr: false, run });
    using client = await connectSpdy(await server.urlFor(request), V4);
    const error = await client.open({ streamtype: 'error' });
    await client.open({ streamtype: 'stdout' });
    const resize = await client.open({ streamtype: 'resize' });
    resize.write('{"Width":80,"Height":24}\n');
    expect(JSON.parse(await error.received)).toEqual(exitStatus(104));
  });

  it('sends output and status to a client that has half-closed its connection', async () => {
    using client = await connectSpdy(await server.urlFor(command()), V4);
    const error = await client.open({ streamtype: 'error' });
    const stdin = await client.open({ streamtype: 'stdin' });
    const stdout = await client.open({ streamtype: 'stdout' });
    await client.open({ streamtype: 'stderr' });
    stdin.write('hello');
    client.end();
    expect(await stdout.received).toBe('HELLO');
    expect(JSON.parse(await error.received)).toEqual(exitStatus(3));
    await client.closed;
  });

  it('aborts its signal when the client disconnects', async () => {
    const { promise: aborted, resolve } = Promise.withResolvers<StreamStatus>();
    const started = Promise.withResolvers<void>();
    const run = ({ signal }: CommandStreams): Promise<StreamStatus> => {
      started.resolve();
      onAbort(signal, () => resolve(STREAM_SUCCESS));
      return aborted;
    };
    const client = await connectSpdy(await server.urlFor(command({ stdin: false, run })), V4);
    for (const streamtype of ['error', 'stdout', 'stderr']) await client.open({ streamtype });
    await started.promise;
    expect(server.streams()).toHaveLength(1);
    client[Symbol.dispose]();
    await aborted;
    await expect.poll(() => server.streams()).toEqual([]);
  });

  it('accepts and ignores streams of unknown types', async () => {
    using client = await connectSpdy(await server.urlFor(command({ stdin: false, stderr: false })), V4);
    await client.open({ streamtype: 'bogus' });
    const error = await client.open({ streamtype: 'error' });
    await client.open({ streamtype: 'stdout' });
    expect(JSON.parse(await error.received)).toEqual(exitStatus(3));
  });

  it('gets the message of a failure only in protocols without exit codes', async () => {
    using client = await connectSpdy(
      await server.urlFor(command({ stdin: false, stderr: false })),
      'v3.channel.k8s.io',
    );
    const error = await client.open({ streamtype: 'error' });
    await client.open({ streamtype: 'stdout' });
    expect(await error.received).toBe(exitStatus(3).message);
  });

  it('rejects clients without a protocol in common', async () => {
    await expect(connectSpdy(await server.urlFor(command()), 'v1.channel.k8s.io')).rejects.toThrow(
      '403 unable to upgrade: unable to negotiate protocol: client supports [v1.channel.k8s.io], server accepts [v4.channel.k8s.io v3.channel.k8s.io v2.channel.k8s.io channel.k8s.io]',
    );
  });
});

describe('a port-forward', () => {
  let target: Server;
  let port: number;
  beforeEach(async () => {
    target = createServer((socket) =>
      socket.on('error', () => undefined).on('data', (data) => void socket.end(`echo ${data.toString()}`)),
    );
    target.listen(0, '127.0.0.1');
    await once(target, 'listening');
    ({ port } = target.address() as { port: number });
  });
  afterEach(() => void target.close());
  const request = (ports: readonly number[]) => ({
    kind: 'portforward' as const,
    pod: 'p1',
    ports,
    dial: async (to: number) => {
      const socket = connect(to, '127.0.0.1');
      await once(socket, 'connect');
      return socket;
    },
  });
  const open = async (client: Awaited<ReturnType<typeof connectSpdy>>, requestid: string, to: number) => {
    const fields = { port: String(to), requestid };
    return [
      await client.open({ streamtype: 'error', ...fields }),
      await client.open({ streamtype: 'data', ...fields }),
    ] as const;
  };

  it('carries several connections over SPDY', async () => {
    using client = await connectSpdy(await server.urlFor(request([])), 'portforward.k8s.io');
    for (const id of ['0', '1']) {
      const [error, data] = await open(client, id, port);
      data.write(id);
      expect(await data.received).toBe(`echo ${id}`);
      data.end();
      expect(await error.received).toBe('');
    }
  });

  it('reports a failed connection over SPDY, and goes on', async () => {
    using client = await connectSpdy(await server.urlFor(request([])), 'portforward.k8s.io');
    const [error] = await open(client, '0', 1);
    expect(await error.received).toMatch(/^error forwarding port 1 to pod p1, uid : .*ECONNREFUSED/);
    const [, data] = await open(client, '1', port);
    data.write('x');
    expect(await data.received).toBe('echo x');
  });

  it('accepts SPDY in a WebSocket', async () => {
    const url = await server.urlFor(request([]));
    const socket = new WebSocket(url, { headers: { 'sec-websocket-protocol': 'SPDY/3.1+portforward.k8s.io' } });
    // The client's library takes no name with a slash, and reports that it did not ask for one.
    socket.on('error', () => undefined);
    const [response] = (await once(socket, 'upgrade')) as [IncomingMessage];
    expect(response.headers['sec-websocket-protocol']).toBe('SPDY/3.1+portforward.k8s.io');
  });

  it('carries connections over WebSocket', async () => {
    const { socket, received } = await webSocket(await server.urlFor(request([port])), V4);
    socket.send(Buffer.from('\0hi'));
    const [data] = await received;
    expect(data!.slice(2)).toBe('echo hi');
  });

  it('keeps no listeners for the pauses of a port that reads slowly', async () => {
    let written = 0;
    const write = (_chunk: unknown, _encoding: unknown, done: () => void): void => {
      written += 1;
      atEndOfTurn(done);
    };
    const connection = new Duplex({ writableHighWaterMark: 1, read: () => undefined, write });
    const url = await server.urlFor({ ...request([80]), dial: async () => connection });
    const { socket } = await webSocket(url, V4);
    const send = async (count: number): Promise<number> => {
      for (let index = 0; index < count; index += 1) socket.send(Buffer.from('\0x'));
      const total = written + count;
      await expect.poll(() => written, { interval: 1 }).toBe(total);
      await expect.poll(() => connection.writableNeedDrain, { interval: 1 }).toBe(false);
      return connection.listenerCount('close');
    };
    const least = await send(1);
    expect(await send(50)).toBe(least);
    socket.terminate();
  });
});

describe('the URL of a stream', () => {
  it('is valid once and for a minute', async () => {
    const clock = createVirtualClock();
    await using own = createStreamingServer({ clock, random: seededRandom(1) });
    const url = await own.urlFor(command({ stdin: false }));
    const { received } = await webSocket(url, V4);
    await received;
    await expect(connectSpdy(url, V4)).rejects.toThrow('404 no such stream');
    const late = await own.urlFor(command());
    await clock.advance(TOKEN_TTL_MS + 1);
    await expect(connectSpdy(late, V4)).rejects.toThrow('404 no such stream');
  });

  it('serves upgrades only', async () => {
    const response = await fetch(await server.urlFor(command()));
    expect([response.status, await response.text()]).toEqual([
      400,
      'the request must be an upgrade to SPDY/3.1 or WebSocket\n',
    ]);
  });
});
