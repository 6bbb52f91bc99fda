import { once } from 'node:events';
import { createServer, type IncomingMessage, type RequestListener } from 'node:http';
import { createSecureServer, type Http2ServerRequest, type Http2ServerResponse } from 'node:http2';
import { createServer as createTlsServer } from 'node:https';
import { type AddressInfo, createServer as createTcpServer, type Server, type Socket } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { HttpError, type HttpGetRequest } from './http-port.ts';
import { nodeHttp } from './node-http.ts';
import { selfSignedCertificate } from './test-support.ts';

async function listen(server: Server, host = '127.0.0.1'): Promise<number> {
  server.listen(0, host);
  await once(server, 'listening');
  const open = new Set<Socket>();
  // The client may reset a connection that it no longer needs.
  server.on('connection', (socket: Socket) => open.add(socket.on('error', () => undefined)));
  onTestFinished(async () => {
    for (const socket of open) socket.destroy();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}

const request = (port: number, more: Partial<HttpGetRequest> = {}): HttpGetRequest => ({
  scheme: 'http',
  hostname: '127.0.0.1',
  port,
  path: '/',
  headers: [],
  ...more,
});
const options = { maxBodyBytes: 10 };
const text = (body: Uint8Array): string => new TextDecoder().decode(body);
const failure = async (work: Promise<unknown>): Promise<HttpError> => {
  const error: unknown = await work.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(HttpError);
  return error as HttpError;
};

describe('nodeHttp', () => {
  it('sends path, host and headers unchanged, and reads status, location and body', async () => {
    let seen: IncomingMessage | undefined;
    const handler: RequestListener = (message, reply) => {
      seen = message;
      reply.writeHead(307, { location: '/next' }).end('hello');
    };
    const port = await listen(createServer(handler));
    const headers: [string, string][] = [
      ['X-Two', 'a'],
      ['X-Two', 'b'],
      ['Accept', '*/*'],
    ];
    const answer = await nodeHttp.get(request(port, { path: '/a/../b?c=d', headers }), options);
    expect({ ...answer, body: text(answer.body) }).toEqual({
      status: 307,
      location: '/next',
      body: 'hello',
      bodyError: undefined,
    });
    expect(seen?.method).toBe('GET');
    expect(seen?.url).toBe('/a/../b?c=d');
    expect(seen?.rawHeaders).toEqual([
      ...['Host', `127.0.0.1:${String(port)}`],
      ...['X-Two', 'a', 'X-Two', 'b', 'Accept', '*/*'],
      ...['Connection', 'close'],
    ]);
    await nodeHttp.get(request(port, { hostHeader: 'example.com' }), options);
    expect(seen?.headers.host).toBe('example.com');
  });

  it('reads a response whose lines end in a bare line feed', async () => {
    const answer = 'HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Type: text/plain\n\nhello';
    const port = await listen(createTcpServer((socket) => socket.once('data', () => socket.end(answer))));
    const { status, body } = await nodeHttp.get(request(port), options);
    expect({ status, body: text(body) }).toEqual({ status: 200, body: 'hello' });
  });

  it.each([
    ['without a length or a body', 'HTTP/1.0 200 OK\r\n\r\n', [200, '']],
    ['of HTTP/1.0', 'HTTP/1.0 404 Nope\r\n\r\nhello', [404, 'hello']],
    ['after early ones', 'HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Hints\r\n\r\nHTTP/1.1 204 No\r\n\r\n', [204, '']],
    [
      'that is as it was compressed',
      'HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 2\r\n\r\nok',
      [200, 'ok'],
    ],
    ['of 20 KiB of headers', `HTTP/1.1 200 OK\r\nX: ${'x'.repeat(20_000)}\r\nContent-Length: 0\r\n\r\n`, [200, '']],
  ])('reads a response %s', async (_what, answer, want) => {
    const port = await listen(createTcpServer((socket) => socket.once('data', () => socket.end(answer))));
    const { status, body } = await nodeHttp.get(request(port), options);
    expect([status, text(body)]).toEqual(want);
  });

  it('returns a switch of protocols as the response', async () => {
    const answer = 'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n';
    const port = await listen(createTcpServer((socket) => socket.once('data', () => socket.write(answer))));
    expect(await nodeHttp.get(request(port), options)).toMatchObject({ status: 101, bodyError: undefined });
  });

  it('reads a location, and sends headers, in UTF-8', async () => {
    let seen = '';
    const server = createTcpServer((socket) =>
      socket.once('data', (bytes: Buffer) => {
        seen = bytes.toString();
        socket.end('HTTP/1.1 302 Found\r\nLocation: /ä\r\nContent-Length: 0\r\n\r\n');
      }),
    );
    const sent = request(await listen(server), { headers: [['X-A', 'ä€']], hostHeader: 'bücher' });
    expect((await nodeHttp.get(sent, options)).location).toBe('/ä');
    expect(seen).toContain('\r\nX-A: ä€\r\n');
    expect(seen).toContain('\r\nHost: bücher\r\n');
  });

  it.each<[Partial<HttpGetRequest>, string]>([
    [{ headers: [['X-A', 'secret\r\nX-B: 1']] }, 'net/http: invalid header field value for "X-A"'],
    [{ headers: [['X-A', 'secret\u0000']] }, 'net/http: invalid header field value for "X-A"'],
    [{ headers: [['X A', 'secret']] }, 'net/http: invalid header field name "X A"'],
    [{ headers: [['X-A: 1\r\nX-B', '1']] }, String.raw`net/http: invalid header field name "X-A: 1\r\nX-B"`],
    [{ hostHeader: 'a\r\nX-B: 1' }, 'http: invalid Host header'],
  ])('rejects a header that would inject another: %j', async (more, message) => {
    let connections = 0;
    const port = await listen(createTcpServer(() => (connections += 1)));
    expect(await failure(nodeHttp.get(request(port, more), options))).toMatchObject({ reason: 'Transport', message });
    expect(connections).toBe(0);
  });

  it('reports the arrival of the headers', async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const controller = new AbortController();
    const server = createServer((_message, reply) => reply.writeHead(200).write('x'));
    const { signal } = controller;
    const call = nodeHttp.get(request(await listen(server)), { ...options, signal, onHeaders: resolve });
    await promise;
    const reason = new Error('enough');
    controller.abort(reason);
    await expect(call).rejects.toBe(reason);
  });

  it('stops reading at the maximum size of the body, and closes the connection', async () => {
    const { promise: closed, resolve } = Promise.withResolvers<void>();
    const server = createServer((message, reply) => {
      message.socket.on('close', () => resolve());
      reply.writeHead(200).write('0123456789abcdef');
      // The body never ends.
    });
    const port = await listen(server);
    const { body, bodyError } = await nodeHttp.get(request(port), options);
    expect([text(body), bodyError]).toEqual(['0123456789', undefined]);
    await closed;
  });

  it('returns the part of a body that arrived before it broke off', async () => {
    const server = createServer((message, reply) => {
      reply.writeHead(200, { 'content-length': 100 }).write('abc', () => message.socket.destroy());
    });
    const answer = await nodeHttp.get(request(await listen(server)), options);
    expect([answer.status, text(answer.body), answer.bodyError]).toEqual([200, 'abc', 'unexpected EOF']);
  });

  it.each([
    ['is reset', (socket: Socket) => socket.resetAndDestroy()],
    ['turns to nonsense', (socket: Socket) => socket.write('what?\r\n')],
  ])('returns the part of a body that arrived when it %s', async (_what, breakOff) => {
    const head = 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n';
    const { promise: received, resolve } = Promise.withResolvers<void>();
    const server = createTcpServer((socket) => {
      socket.once('data', () => socket.write(head));
      void received.then(() => breakOff(socket));
    });
    const call = nodeHttp.get(request(await listen(server)), { ...options, onHeaders: resolve });
    expect(await call).toMatchObject({ status: 200, bodyError: 'unexpected EOF' });
  });

  it('connects over IPv6', async () => {
    let host: string | undefined;
    const server = createServer((message, reply) => {
      host = message.headers.host;
      reply.end();
    });
    const port = await listen(server, '::1');
    expect((await nodeHttp.get(request(port, { hostname: '::1' }), options)).status).toBe(200);
    expect(host).toBe(`[::1]:${String(port)}`);
  });

  it('accepts any certificate', async () => {
    const server = createTlsServer(selfSignedCertificate(), (_message, reply) => reply.writeHead(204).end());
    const port = await listen(server);
    expect((await nodeHttp.get(request(port, { scheme: 'https' }), options)).status).toBe(204);
    expect((await nodeHttp.get(request(port, { scheme: 'https', hostname: 'localhost' }), options)).status).toBe(204);
  });

  describe('with HTTP/2', () => {
    const serve = (handler: (message: Http2ServerRequest, reply: Http2ServerResponse) => void) =>
      listen(createSecureServer({ ...selfSignedCertificate(), allowHTTP1: false }, handler));

    it('sends the same request to a server that supports only HTTP/2', async () => {
      let seen: Http2ServerRequest | undefined;
      const port = await serve((message, reply) => {
        seen = message;
        reply.writeHead(302, { location: '/next' }).end('0123456789abcdef');
      });
      const headers: [string, string][] = [
        ['X-Two', 'a'],
        ['X-Two', 'b'],
        ['Connection', 'upgrade'],
        ['User-Agent', 'me'],
      ];
      const sent = request(port, { scheme: 'https', path: '/a/../b?c', hostHeader: 'example.com', headers });
      const answer = await nodeHttp.get(sent, options);
      expect({ ...answer, body: text(answer.body) }).toEqual({
        status: 302,
        location: '/next',
        body: '0123456789',
        bodyError: undefined,
      });
      expect(seen?.headers).toMatchObject({
        ':method': 'GET',
        ':path': '/a/../b?c',
        ':scheme': 'https',
        ':authority': 'example.com',
        'x-two': 'a, b',
        'user-agent': 'me',
      });
      expect(seen?.headers['connection']).toBeUndefined();
    });

    it('reports a stream that ends before or during the response', async () => {
      const none = await serve((message) => message.stream.close(2));
      const error = await failure(nodeHttp.get(request(none, { scheme: 'https' }), options));
      expect(error).toMatchObject({
        reason: 'Transport',
        message: 'stream error: stream ID 1; INTERNAL_ERROR; received from peer',
      });
      const quiet = await serve((message) => message.stream.close(0));
      expect((await failure(nodeHttp.get(request(quiet, { scheme: 'https' }), options))).message).toBe('EOF');
      const half = await serve((message) => {
        message.stream.respond({ ':status': 200 });
        message.stream.on('error', () => undefined).write('abc', () => message.stream.destroy(new Error('no luck')));
      });
      const answer = await nodeHttp.get(request(half, { scheme: 'https' }), options);
      expect([text(answer.body), answer.bodyError]).toEqual(['abc', 'unexpected EOF']);
    });

    it('aborts with its signal', async () => {
      const { promise: requested, resolve } = Promise.withResolvers<void>();
      const port = await serve(() => resolve());
      const controller = new AbortController();
      const call = nodeHttp.get(request(port, { scheme: 'https' }), { ...options, signal: controller.signal });
      await requested;
      const reason = new Error('enough');
      controller.abort(reason);
      await expect(call).rejects.toBe(reason);
    });
  });

  it('mixes up no later requests after a TLS server that ends the connection without an answer', async () => {
    const port = await listen(createTlsServer(selfSignedCertificate(), ({ socket }) => void socket.end()));
    for (let count = 0; count < 3; count += 1) {
      expect((await failure(nodeHttp.get(request(port, { scheme: 'https' }), options))).message).toBe('EOF');
    }
    const other = await listen(createServer(({ url }, reply) => reply.end(url)));
    const paths = ['/1', '/2', '/3', '/4', '/5', '/6'];
    const calls = paths.map((path) => nodeHttp.get(request(other, { path }), options));
    const answers = await Promise.all(calls);
    expect(answers.map(({ body }) => text(body))).toEqual(paths);
  });

  it('connects over TLS 1.2 with weak keys', async () => {
    const weak = {
      ...selfSignedCertificate('rsa:1024'),
      maxVersion: 'TLSv1.2',
      ciphers: 'DEFAULT@SECLEVEL=0',
    } as const;
    const port = await listen(createTlsServer(weak, (_message, reply) => reply.end()));
    expect((await nodeHttp.get(request(port, { scheme: 'https' }), options)).status).toBe(200);
  });

  it('reports the alert of a TLS server', async () => {
    const mutual = { ...selfSignedCertificate(), requestCert: true, rejectUnauthorized: true };
    const port = await listen(createTlsServer(mutual, (_message, reply) => reply.end()));
    const error = await failure(nodeHttp.get(request(port, { scheme: 'https' }), options));
    expect(error.message).toBe('remote error: tls: certificate required');
  });

  it('distinguishes a server without TLS from a missing one', async () => {
    const plain = await listen(createServer((_message, reply) => reply.end()));
    const error = await failure(nodeHttp.get(request(plain, { scheme: 'https' }), options));
    expect(error).toMatchObject({
      reason: 'PlainHttpServer',
      message: 'http: server gave HTTP response to HTTPS client',
    });

    const gone = createTcpServer();
    const port = await listen(gone);
    gone.close();
    await once(gone, 'close');
    expect(await failure(nodeHttp.get(request(port), options))).toMatchObject({
      reason: 'Transport',
      message: `dial tcp 127.0.0.1:${String(port)}: connect: connection refused`,
    });
  });

  it('reports connections that end before the response, and malformed responses', async () => {
    const silent = await listen(createTcpServer((socket) => void socket.on('data', () => socket.end())));
    expect((await failure(nodeHttp.get(request(silent), options))).message).toBe('EOF');
    const other = await listen(createTcpServer((socket) => void socket.end('SSH-2.0-OpenSSH\r\n')));
    expect((await failure(nodeHttp.get(request(other), options))).reason).toBe('Transport');
    expect((await failure(nodeHttp.get(request(other, { scheme: 'https' }), options))).message).not.toBe('');
    expect((await failure(nodeHttp.get(request(silent, { headers: [['bad name', 'x']] }), options))).reason).toBe(
      'Transport',
    );
  });

  it('aborts with its signal and closes the connection', async () => {
    const { promise: connected, resolve: onConnection } = Promise.withResolvers<void>();
    const { promise: closed, resolve: onClose } = Promise.withResolvers<void>();
    const port = await listen(
      createTcpServer((socket) => {
        socket.on('error', () => undefined);
        socket.on('close', () => onClose());
        socket.resume();
        onConnection();
      }),
    );
    const controller = new AbortController();
    const call = nodeHttp.get(request(port), { ...options, signal: controller.signal });
    await connected;
    const reason = new Error('enough');
    controller.abort(reason);
    await expect(call).rejects.toBe(reason);
    await closed;
    await expect(nodeHttp.get(request(port), { ...options, signal: controller.signal })).rejects.toBe(reason);
  });
});
