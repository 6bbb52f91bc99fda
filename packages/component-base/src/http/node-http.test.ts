import { once } from 'node:events';
import { createServer, type IncomingMessage, type RequestListener } from 'node:http';
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
  // The client may reset what it has no use for any more.
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
  it('sends path, host and headers as they are, and reads status, location and body', async () => {
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

  it('reads an answer whose lines end in a line feed', async () => {
    const answer = 'HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Type: text/plain\n\nhello';
    const port = await listen(createTcpServer((socket) => socket.once('data', () => socket.end(answer))));
    const { status, body } = await nodeHttp.get(request(port), options);
    expect({ status, body: text(body) }).toEqual({ status: 200, body: 'hello' });
  });

  it('reads no more of the body than it was asked for, and closes the connection', async () => {
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

  it('takes what there is of a body that breaks off', async () => {
    const server = createServer((message, reply) => {
      reply.writeHead(200, { 'content-length': 100 }).write('abc', () => message.socket.destroy());
    });
    const answer = await nodeHttp.get(request(await listen(server)), options);
    expect([answer.status, text(answer.body), answer.bodyError]).toEqual([200, 'abc', 'unexpected EOF']);
  });

  it('speaks IPv6', async () => {
    let host: string | undefined;
    const server = createServer((message, reply) => {
      host = message.headers.host;
      reply.end();
    });
    const port = await listen(server, '::1');
    expect((await nodeHttp.get(request(port, { hostname: '::1' }), options)).status).toBe(200);
    expect(host).toBe(`[::1]:${String(port)}`);
  });

  it('takes any certificate', async () => {
    const server = createTlsServer(selfSignedCertificate(), (_message, reply) => reply.writeHead(204).end());
    const port = await listen(server);
    expect((await nodeHttp.get(request(port, { scheme: 'https' }), options)).status).toBe(204);
    expect((await nodeHttp.get(request(port, { scheme: 'https', hostname: 'localhost' }), options)).status).toBe(204);
  });

  it('tells a server without TLS from one that is not there', async () => {
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

  it('reports connections that end before the answer, and answers that are no HTTP', async () => {
    const silent = await listen(createTcpServer((socket) => void socket.on('data', () => socket.end())));
    expect((await failure(nodeHttp.get(request(silent), options))).message).toBe('EOF');
    const other = await listen(createTcpServer((socket) => void socket.end('SSH-2.0-OpenSSH\r\n')));
    expect((await failure(nodeHttp.get(request(other), options))).reason).toBe('Transport');
    expect((await failure(nodeHttp.get(request(other, { scheme: 'https' }), options))).message).not.toBe('');
    expect((await failure(nodeHttp.get(request(silent, { headers: [['bad name', 'x']] }), options))).reason).toBe(
      'Transport',
    );
  });

  it('ends with its signal, and the connection with it', async () => {
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
