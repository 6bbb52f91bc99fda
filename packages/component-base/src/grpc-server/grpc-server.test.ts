import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { type ClientHttp2Session, connect as connectHttp2, constants, type IncomingHttpHeaders } from 'node:http2';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { atEndOfTurn } from '../end-of-turn.ts';
import { seededRandom } from '../random.ts';
import { recordingLogger } from '../recording-logger.ts';
import { answerUnknownMethod } from './answers.ts';
import { createGrpcServer, type GrpcServer, type Http2Handler } from './grpc-server.ts';

let folder: string;
let socketPath: string;
let toEnd: (() => unknown)[];
let logger: ReturnType<typeof recordingLogger>;
beforeEach(async () => {
  folder = await mkdtemp(`${tmpdir()}/grpc-server-`);
  socketPath = `${folder}/a.sock`;
  toEnd = [];
  logger = recordingLogger();
});
afterEach(async () => {
  for (const end of toEnd.reverse()) await end();
  await rm(folder, { recursive: true });
});

/** Makes a URL of the authority as connect-node does, and answers with path and authority. */
const echo: Http2Handler = (request, response) => {
  const { host } = new URL(request.url, `http://${request.authority}`);
  response.end(`${request.url} of ${host}`);
};

async function serve(handle: Http2Handler = echo): Promise<GrpcServer> {
  const server = createGrpcServer(handle, logger);
  server.listener.listen(socketPath);
  await once(server.listener, 'listening');
  toEnd.push(() => {
    const closed = once(server.listener.close(), 'close');
    for (const connection of server.connections) connection.destroy();
    return closed;
  });
  return server;
}

function open(): ClientHttp2Session {
  const session = connectHttp2('http://localhost', { createConnection: () => connect(socketPath) });
  session.on('error', () => undefined);
  toEnd.push(() => session.destroy());
  return session;
}

interface Answer {
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

async function send(session: ClientHttp2Session, headers: Record<string, string>, body = ''): Promise<Answer> {
  const stream = session.request({ ':method': 'POST', ':path': '/s/m', ...headers });
  let received: IncomingHttpHeaders = {};
  stream.on('response', (response) => (received = response));
  stream.on('trailers', (trailers: IncomingHttpHeaders) => (received = { ...received, ...trailers }));
  stream.end(body);
  let text = '';
  for await (const chunk of stream as AsyncIterable<Buffer>) text += chunk.toString();
  return { headers: received, text };
}

const nextTurn = (): Promise<void> => new Promise(atEndOfTurn);

const GRPC = { 'content-type': 'application/grpc' };

describe('createGrpcServer', () => {
  // Paths as grpc-go sends them, percent-encoded since 1.58, and what other clients may send.
  it.each([
    'localhost',
    '%2Fvar%2Flib%2Fkubelet%2Fpod-resources%2Fkubelet.sock',
    '/var/lib/kubelet/device-plugins/kubelet.sock',
    'unix:///run/containerd/containerd.sock',
    `/${'deep/'.repeat(60)}kubelet.sock`,
    'a b',
    'user@host',
    'host:99999999',
    'a:b:c',
    '[::1',
    '%zz',
    '<x>',
    '#?\\^`{|}"',
    'grün',
  ])('serves requests with the authority %s', async (authority) => {
    await serve();
    const session = open();
    // The second request refers to the entry of the first one in the dynamic table.
    for (const path of ['/a', '/b'])
      expect((await send(session, { ':authority': authority, ':path': path })).text).toBe(`${path} of localhost`);
    expect(logger.lines).toEqual([]);
  });

  it('keeps the compression of headers in step over thousands of requests', async () => {
    await serve((request, response) => void response.end(String(request.headers['x-value'])));
    const session = open();
    const random = seededRandom(7);
    for (let round = 0; round < 50; round++) {
      const values = Array.from({ length: 40 }, (_, index) => `${index}-${random.next() * 2 ** 40}`);
      const authority = `/run/${Math.floor(random.next() * 5)}/x.sock`;
      const answers = await Promise.all(
        values.map((value) => send(session, { ':authority': authority, 'x-value': value, [`x-${value}`]: value })),
      );
      expect(answers.map(({ text }) => text)).toEqual(values);
    }
  });

  it('passes on bodies in both directions, whatever their size', async () => {
    await serve((request, response) => void request.pipe(response));
    const body = 'x'.repeat(3_000_000);
    const session = open();
    for (let round = 0; round < 3; round++) expect((await send(session, {}, body)).text).toBe(body);
  });

  it.each([
    [
      'throws',
      () => {
        throw new TypeError('Invalid URL: "100%"');
      },
    ],
    ['rejects', () => Promise.reject(new TypeError('Invalid URL: "100%"'))],
  ] as [string, Http2Handler][])('answers Internal when a handler %s, and goes on', async (_name, handle) => {
    await serve(handle);
    const session = open();
    expect((await send(session, GRPC, 'body')).headers).toMatchObject({
      ':status': 200,
      'grpc-status': '13',
      'grpc-message': 'Invalid URL: "100%25"',
    });
    expect((await send(session, {})).headers).toMatchObject({ ':status': 500 });
    expect(logger.lines).toHaveLength(2);
  });

  it('resets a request whose handler fails after the answer has begun', async () => {
    await serve((_request, response) => {
      response.write('x');
      throw new Error('broken');
    });
    await expect(send(open(), GRPC)).rejects.toThrow('NGHTTP2_INTERNAL_ERROR');
  });

  it('does nothing for a client that left before its handler failed', async () => {
    const left = Promise.withResolvers<void>();
    const failed = Promise.withResolvers<void>();
    await serve(async (request) => {
      await new Promise((resolve) => request.stream.once('close', resolve).resume());
      left.resolve();
      atEndOfTurn(failed.resolve);
      throw new Error('broken');
    });
    const stream = open().request({ ':path': '/' }, { endStream: false });
    stream.on('error', () => undefined);
    stream.write('x', () => stream.close(constants.NGHTTP2_CANCEL));
    await left.promise;
    await failed.promise;
    expect(logger.lines).toHaveLength(1);
  });

  it('answers Unimplemented to gRPC clients, and 404 to others, for an unknown path', async () => {
    await serve(answerUnknownMethod);
    const session = open();
    expect((await send(session, { ...GRPC, ':path': '/a.B/C%d' }, 'x'.repeat(200_000))).headers).toMatchObject({
      'grpc-status': '12',
      'grpc-message': 'unknown method C%25d of service a.B',
    });
    for (const path of ['/', '//', '/%', '/?'])
      expect((await send(session, { ':path': path })).headers[':status']).toBe(404);
  });
});

describe('a malformed request', () => {
  const literal = (name: string, value: string): Buffer =>
    Buffer.concat([
      Buffer.from([0, name.length]),
      Buffer.from(name, 'latin1'),
      Buffer.from([value.length]),
      Buffer.from(value, 'latin1'),
    ]);
  const frame = (type: number, flags: number, stream: number, payload: Buffer): Buffer => {
    const header = Buffer.alloc(9);
    header.writeUIntBE(payload.length, 0, 3);
    header[3] = type;
    header[4] = flags;
    header.writeUInt32BE(stream, 5);
    return Buffer.concat([header, payload]);
  };
  const PREFACE = Buffer.concat([Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'), frame(4, 0, 0, Buffer.alloc(0))]);
  const headers = (fields: readonly (readonly [string, string])[], stream = 1): Buffer =>
    frame(1, 0x05, stream, Buffer.concat(fields.map(([name, value]) => literal(name, value))));

  /** Sends bytes in pieces, and returns the answer as soon as it contains `expected`, or when the server closes the connection. */
  async function sendRaw(bytes: Buffer, pieceBytes = bytes.length, expected = ''): Promise<Buffer> {
    const socket = connect(socketPath);
    let received = Buffer.alloc(0);
    socket.on('data', (chunk) => (received = Buffer.concat([received, chunk])));
    socket.on('error', () => undefined);
    toEnd.push(() => socket.destroy());
    for (let at = 0; at < bytes.length; at += pieceBytes) {
      socket.write(bytes.subarray(at, at + pieceBytes));
      await nextTurn();
    }
    while ((received.length === 0 || !received.includes(expected)) && !socket.closed) await nextTurn();
    return received;
  }

  const METHOD = [':method', 'POST'] as const;
  const SCHEME = [':scheme', 'http'] as const;
  const PATH = [':path', '/a/b'] as const;
  const AUTHORITY = [':authority', '/run/x.sock'] as const;
  const TYPE = ['content-type', 'application/grpc'] as const;
  it.each([
    ['no pseudo-header', [TYPE]],
    ['no path', [METHOD, SCHEME, AUTHORITY]],
    ['an empty path', [METHOD, SCHEME, [':path', ''], AUTHORITY]],
    ['no method', [SCHEME, PATH, AUTHORITY]],
    ['an unknown method', [[':method', 'NO SUCH'], SCHEME, PATH, AUTHORITY]],
    ['no authority', [METHOD, SCHEME, PATH]],
    ['an empty authority', [METHOD, SCHEME, PATH, [':authority', '']]],
    ['two authorities', [METHOD, SCHEME, PATH, AUTHORITY, AUTHORITY]],
    ['an authority behind other headers', [METHOD, SCHEME, PATH, TYPE, AUTHORITY]],
    ['an unknown pseudo-header', [METHOD, SCHEME, PATH, AUTHORITY, [':port', '1']]],
    ['a control character', [METHOD, SCHEME, [':path', '/a\0\n'], [':authority', '\0\r\n']]],
    ['a name in upper case', [METHOD, SCHEME, PATH, AUTHORITY, ['Content-Type', 'x']]],
    ['a header of HTTP/1.1', [METHOD, SCHEME, PATH, AUTHORITY, ['connection', 'close'], ['te', 'x']]],
    ['a bad length', [METHOD, SCHEME, PATH, AUTHORITY, ['content-length', 'x']]],
    ['CONNECT', [[':method', 'CONNECT'], AUTHORITY]],
    ['CONNECT with a path', [[':method', 'CONNECT'], SCHEME, PATH, AUTHORITY]],
    ['an expectation', [METHOD, SCHEME, PATH, AUTHORITY, TYPE, ['expect', 'x']]],
    ['a bad host', [METHOD, SCHEME, PATH, ['host', '/run/x.sock']]],
  ] as [string, (readonly [string, string])[]][])('with %s leaves the server serving', async (_name, fields) => {
    await serve();
    await sendRaw(Buffer.concat([PREFACE, headers(fields)]));
    expect((await send(open(), { ':authority': '/run/x.sock' })).text).toBe('/s/m of localhost');
  });

  it('in the middle of any frame leaves the server serving', async () => {
    await serve();
    const whole = Buffer.concat([PREFACE, headers([METHOD, SCHEME, PATH, AUTHORITY, TYPE])]);
    const random = seededRandom(11);
    for (let round = 0; round < 300; round++) {
      const bytes = Buffer.from(whole);
      const changes = 1 + Math.floor(random.next() * 3);
      for (let change = 0; change < changes; change++)
        bytes[24 + Math.floor(random.next() * (bytes.length - 24))] = Math.floor(random.next() * 256);
      await sendRaw(bytes);
    }
    expect((await send(open(), {})).text).toBe('/s/m of localhost');
  });

  it('gets the same answer in pieces of any size', async () => {
    const { sessions } = await serve();
    const padded = Buffer.concat([
      Buffer.from([3, 0, 0, 0, 0, 0]),
      literal(...METHOD),
      literal(...SCHEME),
      literal(...PATH),
      literal(...AUTHORITY),
      Buffer.alloc(3),
    ]);
    const bytes = Buffer.concat([PREFACE, frame(1, 0x2d, 1, padded)]);
    for (const size of [1, 5, 9, 40]) expect(String(await sendRaw(bytes, size, '/a/b'))).toContain('/a/b of localhost');
    expect(sessions.size).toBe(4);
  });

  // Node.js throws internal errors outside of all handlers when streams in place of sockets end or fail at such moments.
  it.each(['end', 'destroy'] as const)(
    'leaves the server working when a client reads nothing, sends garbage and disconnects by %s',
    async (leave) => {
      await serve((request, response) => {
        response.write(Buffer.alloc(request.url === '/large' ? 300_000 : 3));
        // An answer that ends later than its client.
        request.stream.once('close', () => response.end('x')).resume();
        atEndOfTurn(() => void response.write('x'));
      });
      const requests = ['/large', '/small'].map((path) =>
        [1, 3, 5].map((stream) => headers([METHOD, SCHEME, [':path', path], AUTHORITY, TYPE], stream)),
      );
      const windows = frame(8, 0, 0, Buffer.from([0x7f, 0, 0, 0]));
      const large = frame(4, 0, 0, Buffer.from([0, 4, 0x7f, 0xff, 0xff, 0xff]));
      const garbage = [Buffer.alloc(0), frame(0, 0, 0, Buffer.from('x')), frame(1, 4, 7, Buffer.alloc(5, 0xff))];
      for (let round = 0; round < 120; round++) {
        const socket = connect({ path: socketPath });
        socket.on('error', () => undefined);
        const closed = new Promise((resolve) => socket.once('close', resolve));
        await once(socket, 'connect');
        socket.pause();
        socket.write(Buffer.concat([PREFACE, large, windows, ...requests[round % 2]!]));
        for (let turn = 0; turn < round % 5; turn++) await nextTurn();
        socket.write(garbage[round % 3]!);
        for (let turn = 0; turn < round % 4; turn++) await nextTurn();
        socket[leave]();
        for (let turn = 0; turn < 10; turn++) await nextTurn();
        socket.destroy();
        await closed;
      }
      for (let turn = 0; turn < 50; turn++) await nextTurn();
    },
  );

  it('ends the connection when the client uses another protocol', async () => {
    await serve();
    const socket = connect(socketPath);
    toEnd.push(() => socket.destroy());
    socket.resume().end('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
    await once(socket, 'close');
    expect((await send(open(), {})).text).toBe('/s/m of localhost');
  });
});
