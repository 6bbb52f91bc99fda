import { mkdtemp, rm } from 'node:fs/promises';
import { createServer as createHttp2Server, type ServerHttp2Stream } from 'node:http2';
import { createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Duplex } from 'node:stream';
import { systemClock } from '@rxlet/component-base';
import { afterEach, expect, it } from 'vitest';
import { Registration } from '../../gen/pluginregistration/v1/api_pb.js';
import type { PluginCallError } from './plugin-call-error.ts';
import { createSocketTransport } from './socket-transport.ts';
import { callPlugin } from './transport.ts';

const cleanUps: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).toReversed()) await cleanUp();
});

/** Serves on a socket and returns how a call of it ends. */
async function callOf(server: Server, timeoutMs = 1_000): Promise<Pick<PluginCallError, 'code' | 'description'>> {
  const directory = await mkdtemp(join(tmpdir(), 'hostile-'));
  const socketPath = join(directory, 'plugin.sock');
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    sockets.add(socket.on('error', () => undefined));
  });
  cleanUps.push(
    () => rm(directory, { recursive: true }),
    () => server.close(),
    () => sockets.forEach((socket) => socket.destroy()),
  );
  await new Promise<void>((resolve) => server.listen(socketPath, resolve));
  const target = { clock: systemClock, transport: createSocketTransport(), socketPath };
  try {
    const answer = await callPlugin(target, Registration.method.getInfo, {}, { timeoutMs });
    throw new Error(`answered ${JSON.stringify(answer)}`);
  } catch (error) {
    const { code, description } = error as PluginCallError;
    if (code === undefined) throw error;
    return { code, description };
  }
}

function http2(onStream: (stream: ServerHttp2Stream) => void): Server {
  const server = createHttp2Server();
  server.on('sessionError', () => undefined);
  server.on('stream', (stream: ServerHttp2Stream) => onStream(stream.on('error', () => undefined)));
  return server;
}

/** Writes a chunk again and again, as fast as the reader takes it. */
function flood(stream: Duplex, chunk: Buffer): void {
  const writeAll = (): void => {
    while (!stream.destroyed && stream.writable && stream.write(chunk)) continue;
  };
  stream.on('drain', writeAll);
  writeAll();
}

const OK = { ':status': 200, 'content-type': 'application/grpc' };
const SETTINGS = Buffer.from([0, 0, 0, 4, 0, 0, 0, 0, 0]);
const PING = Buffer.from([0, 0, 8, 6, 0, 0, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8]);

/** Beginning of a gRPC message. */
function head(length: number): Buffer {
  const bytes = Buffer.alloc(5);
  bytes.writeUInt32BE(length, 1);
  return bytes;
}

const answer = (stream: ServerHttp2Stream, status: Record<string, string>, ...chunks: readonly Buffer[]): void => {
  stream.respond(OK, { waitForTrailers: true });
  stream.on('wantTrailers', () => stream.sendTrailers(status));
  stream.end(Buffer.concat(chunks));
};
const repeat = (chunk: Buffer, count: number): Buffer => Buffer.concat(Array.from({ length: count }, () => chunk));

it.each<[string, string | RegExp, RegExp, () => Server]>([
  ['answers nothing', 'DeadlineExceeded', /^context deadline exceeded$/, () => createServer(() => undefined)],
  [
    'closes each connection',
    'Unavailable',
    /^No connection established\. Last error: Failed to connect\b(?!.*\d\d:\d\d)/,
    () => createServer((socket) => void socket.destroy()),
  ],
  [
    'speaks another protocol without end',
    'Unavailable',
    /Protocol error/,
    () => createServer((socket) => flood(socket, Buffer.alloc(65_536))),
  ],
  [
    'sends settings without end',
    /^(Internal|Unavailable)$/,
    /./,
    () => createServer((socket) => flood(socket, repeat(SETTINGS, 5_000))),
  ],
  [
    'sends pings without end',
    /^(Internal|Unavailable)$/,
    /./,
    () => createServer((socket) => flood(socket, Buffer.concat([SETTINGS, repeat(PING, 5_000)]))),
  ],
  [
    'answers with another status',
    'Unknown',
    /500/,
    () => http2((stream) => stream.respond({ ':status': 500 }, { endStream: true })),
  ],
  [
    'answers without a message',
    'Unimplemented',
    /No message/,
    () => http2((stream) => answer(stream, { 'grpc-status': '0' })),
  ],
  [
    'announces a message that is too large',
    'ResourceExhausted',
    /larger than max/,
    () => http2((stream) => void (stream.respond(OK), stream.write(head(100_000_000)))),
  ],
  [
    'sends data without end',
    'Internal',
    /parsing error/,
    () =>
      http2((stream) => void (stream.respond(OK), stream.write(head(4_000_000)), flood(stream, Buffer.alloc(65_536)))),
  ],
  [
    'sends messages without end',
    'DeadlineExceeded',
    /^context deadline exceeded$/,
    () => http2((stream) => void (stream.respond(OK), flood(stream, repeat(head(0), 1_000)))),
  ],
  [
    'sends a message that cannot be decoded',
    'Internal',
    /parsing error/,
    () => http2((stream) => answer(stream, { 'grpc-status': '0' }, head(3), Buffer.from([0x0a, 0x7f, 0x41]))),
  ],
  [
    'sends an unknown status',
    /^Code\(77\)$/,
    /^no$/,
    () => http2((stream) => answer(stream, { 'grpc-status': '77', 'grpc-message': 'no' })),
  ],
  ['ends during the call', 'Unavailable', /./, () => http2((stream) => stream.session?.destroy())],
  [
    'explains at length',
    'Aborted',
    /^x{4096}… \(55904 more characters\)$/,
    () => http2((stream) => answer(stream, { 'grpc-status': '10', 'grpc-message': 'x'.repeat(60_000) })),
  ],
])('a call fails when the plugin %s', async (_, code, description, server) => {
  expect(await callOf(server())).toEqual({
    code: expect.stringMatching(code) as string,
    description: expect.stringMatching(description) as string,
  });
});
