import { once } from 'node:events';
import { createServer as createHttp2Server } from 'node:http2';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import {
  type sendUnaryData,
  Server as GrpcServer,
  ServerCredentials,
  type ServerUnaryCall,
  status,
} from '@grpc/grpc-js';
import { describe, expect, it, onTestFinished } from 'vitest';
import { decodeServingStatus, encodeHealthCheckRequest, HEALTH_CHECK_PATH } from '../probes/health-messages.ts';
import { type GrpcHeaders, grpcReply } from './node-grpc.ts';
import { nodeNetwork } from './node-network.ts';
import { DialError } from './probe-network.ts';

const never = new AbortController().signal;

async function listen(server: Server, host = '127.0.0.1'): Promise<number> {
  server.listen(0, host);
  await once(server, 'listening');
  const open = new Set<Socket>();
  // The client may reset a connection that it no longer needs.
  server.on('connection', (socket: Socket) => open.add(socket.on('error', () => undefined)));
  onTestFinished(() => {
    for (const socket of open) socket.destroy();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}

async function closedPort(): Promise<number> {
  const server = createServer();
  const port = await listen(server);
  server.close();
  await once(server, 'close');
  return port;
}

type Handler = (call: ServerUnaryCall<Buffer, Buffer>, reply: sendUnaryData<Buffer>) => void;

/** A gRPC server of an independent implementation, with a health service. */
async function grpcServer(check: Handler, host = '127.0.0.1'): Promise<number> {
  const server = new GrpcServer();
  const bytes = (value: Buffer): Buffer => value;
  const codec = {
    requestSerialize: bytes,
    requestDeserialize: bytes,
    responseSerialize: bytes,
    responseDeserialize: bytes,
  };
  const method = { path: HEALTH_CHECK_PATH, requestStream: false, responseStream: false, ...codec };
  server.addService({ check: method }, { check });
  const address = host.includes(':') ? `[${host}]:0` : `${host}:0`;
  const port = await new Promise<number>((resolve, reject) => {
    server.bindAsync(address, ServerCredentials.createInsecure(), (error, bound) =>
      error === null ? resolve(bound) : reject(error),
    );
  });
  onTestFinished(() => server.forceShutdown());
  return port;
}

async function checkHealth(port: number, service = '', signal = never, host = '127.0.0.1') {
  using connection = await nodeNetwork.connectGrpc(host, port, signal);
  const message = encodeHealthCheckRequest(service);
  return await connection.call({ path: HEALTH_CHECK_PATH, userAgent: 'kube-probe/1.36', message }, signal);
}

describe('dial', () => {
  it('connects and closes again', async () => {
    const { promise: closed, resolve } = Promise.withResolvers<void>();
    const server = createServer((socket) => socket.resume().on('close', () => resolve()));
    await nodeNetwork.dial('127.0.0.1', await listen(server), never);
    await closed;
    const six = createServer();
    await nodeNetwork.dial('::1', await listen(six, '::1'), never);
  });

  it('reports the reason of a failed connection', async () => {
    const port = await closedPort();
    const error = new DialError(`dial tcp 127.0.0.1:${String(port)}: connect: connection refused`);
    await expect(nodeNetwork.dial('127.0.0.1', port, never)).rejects.toEqual(error);
    await expect(nodeNetwork.dial('name.invalid', port, never)).rejects.toThrow(/^dial tcp: lookup name\.invalid: /);
  });

  it('aborts with its signal', async () => {
    const controller = new AbortController();
    // TEST-NET-1 has no hosts, even where it is routed.
    const call = nodeNetwork.dial('192.0.2.1', 80, controller.signal);
    const reason = new Error('enough');
    controller.abort(reason);
    await expect(call).rejects.toBe(reason);
    await expect(nodeNetwork.dial('127.0.0.1', 1, controller.signal)).rejects.toBe(reason);
  });
});

describe('connectGrpc', () => {
  it('checks the health of a gRPC server', async () => {
    const seen: unknown[] = [];
    const port = await grpcServer((call, reply) => {
      seen.push(call.request.toString(), call.metadata.get('user-agent')[0]);
      reply(null, Buffer.from([8, call.request.length === 0 ? 1 : 2]));
    });
    const healthy = await checkHealth(port);
    expect([healthy.code, decodeServingStatus(healthy.message!)]).toEqual([0, 'SERVING']);
    const other = await checkHealth(port, 'db');
    expect(decodeServingStatus(other.message!)).toBe('NOT_SERVING');
    expect(seen).toEqual(['', 'kube-probe/1.36', '\n\u0002db', 'kube-probe/1.36']);
  });

  it('connects over IPv6', async () => {
    const port = await grpcServer((_call, reply) => reply(null, Buffer.from([8, 1])), '::1');
    expect((await checkHealth(port, '', never, '::1')).code).toBe(0);
  });

  it('reports the status of a call that failed', async () => {
    const port = await grpcServer((_call, reply) => reply({ code: status.NOT_FOUND, details: 'no such service: ä' }));
    expect(await checkHealth(port, 'x')).toEqual({ code: 5, details: 'no such service: ä', message: undefined });

    const none = new GrpcServer();
    const bound = await new Promise<number>((resolve) => {
      none.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (_error, number) => resolve(number));
    });
    onTestFinished(() => none.forceShutdown());
    expect((await checkHealth(bound)).code).toBe(status.UNIMPLEMENTED);
  });

  it('reports HTTP/2 servers that are not gRPC servers', async () => {
    const server = createHttp2Server((_request, reply) => reply.writeHead(404).end());
    expect(await checkHealth(await listen(server))).toMatchObject({ code: status.UNIMPLEMENTED });
    const page = createHttp2Server((_request, reply) =>
      reply.writeHead(200, { 'content-type': 'text/html' }).end('hi'),
    );
    expect(await checkHealth(await listen(page))).toMatchObject({ code: status.UNKNOWN });
    const endless = createHttp2Server(
      (_request, reply) =>
        void reply.writeHead(200, { 'content-type': 'application/grpc' }).write(Buffer.alloc(100_000)),
    );
    expect(await checkHealth(await listen(endless))).toMatchObject({ code: status.RESOURCE_EXHAUSTED });
  });

  it('fails without an HTTP/2 server', async () => {
    await expect(nodeNetwork.connectGrpc('127.0.0.1', await closedPort(), never)).rejects.toThrow('connection refused');
    const other = createServer((socket) => socket.end('SSH-2.0-OpenSSH\r\n'));
    await expect(nodeNetwork.connectGrpc('127.0.0.1', await listen(other), never)).rejects.toBeInstanceOf(DialError);
    const gone = createServer((socket) => socket.end());
    await expect(nodeNetwork.connectGrpc('127.0.0.1', await listen(gone), never)).rejects.toBeInstanceOf(DialError);
  });

  it('aborts with its signal, before and after the connection is open', async () => {
    const silent = createServer((socket) => socket.resume());
    const { promise: connected, resolve: onConnection } = Promise.withResolvers<void>();
    silent.on('connection', () => onConnection());
    const reason = new Error('enough');
    const first = new AbortController();
    const connecting = expect(nodeNetwork.connectGrpc('127.0.0.1', await listen(silent), first.signal)).rejects.toBe(
      reason,
    );
    await connected;
    first.abort(reason);
    await connecting;

    const { promise: called, resolve: onCall } = Promise.withResolvers<void>();
    const port = await grpcServer(() => onCall());
    const second = new AbortController();
    const calling = expect(checkHealth(port, '', second.signal)).rejects.toBe(reason);
    await called;
    second.abort(reason);
    await calling;
  });
});

describe('connectGrpc, to a misbehaving server,', () => {
  const SETTINGS = [0, 0, 0, 4, 0, 0, 0, 0, 0];
  const goAway = (code: number): number[] => [0, 0, 8, 7, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, code];
  const resetStream = (code: number): number[] => [0, 0, 4, 3, 0, 0, 0, 0, 1, 0, 0, 0, code];
  /** Reports whether a HEADERS frame follows the 24 bytes of the HTTP/2 connection preface. */
  const holdsHeaders = (bytes: Buffer): boolean => {
    for (let at = 24; at + 9 <= bytes.length; at += 9 + bytes.readUIntBE(at, 3)) if (bytes[at + 3] === 1) return true;
    return false;
  };
  /** A server that sends its settings and responds to a request with `respond`. */
  const server = (respond: (socket: Socket) => void): Promise<number> =>
    listen(
      createServer((socket) => {
        socket.write(Buffer.from(SETTINGS));
        let received = Buffer.alloc(0);
        let hasResponded = false;
        socket.on('data', (bytes: Buffer) => {
          received = Buffer.concat([received, bytes]);
          if (hasResponded || !holdsHeaders(received)) return;
          hasResponded = true;
          respond(socket);
        });
      }),
    );

  it.each<[string, (socket: Socket) => void, number, string]>([
    ['with FIN', (socket) => socket.end(), 14, 'error reading from server: EOF'],
    [
      'with RST',
      (socket) => socket.resetAndDestroy(),
      14,
      'error reading from server: read tcp 127.0.0.1:PORT: read: connection reset by peer',
    ],
    [
      'with RST_STREAM',
      (socket) => socket.write(Buffer.from(resetStream(2))),
      13,
      'stream terminated by RST_STREAM with error code: INTERNAL_ERROR',
    ],
    [
      'by cancelling',
      (socket) => socket.write(Buffer.from(resetStream(8))),
      1,
      'stream terminated by RST_STREAM with error code: CANCEL',
    ],
    [
      'with GOAWAY',
      (socket) => socket.write(Buffer.from(goAway(0))),
      14,
      'stream terminated by RST_STREAM with error code: REFUSED_STREAM',
    ],
  ])('reports %s', async (_what, answer, code, details) => {
    const port = await server(answer);
    const reply = await checkHealth(port);
    expect([reply.code, reply.details.replace(String(port), 'PORT')]).toEqual([code, details]);
  });

  it('reports a server that closed the connection before the call', async () => {
    let sockets: Socket[] = [];
    const port = await listen(
      createServer((socket) => {
        sockets = [socket];
        socket.resume().write(Buffer.from(SETTINGS));
      }),
    );
    using connection = await nodeNetwork.connectGrpc('127.0.0.1', port, never);
    sockets[0]?.end(Buffer.from(goAway(0)));
    const request = { path: HEALTH_CHECK_PATH, userAgent: 'me', message: new Uint8Array() };
    // The first call may be in flight when the server closes; the second finds the connection closed.
    expect((await connection.call(request, never)).code).toBe(status.UNAVAILABLE);
    expect((await connection.call(request, never)).code).toBe(status.UNAVAILABLE);
  });
});

describe('grpcReply', () => {
  const grpc = { ':status': 200, 'content-type': 'application/grpc+proto' };
  it.each<[GrpcHeaders, number, string]>([
    [
      { ':status': 503 },
      14,
      'unexpected HTTP status code received from server: 503 (Service Unavailable); malformed header: missing HTTP content-type',
    ],
    [
      { ':status': 200, 'content-type': 'text/html' },
      2,
      'unexpected HTTP status code received from server: 200 (OK); transport: received unexpected content-type "text/html"',
    ],
    [{ ...grpc, ':status': 429 }, 14, 'unexpected HTTP status code received from server: 429 (Too Many Requests)'],
    [grpc, 13, 'server closed the stream without sending trailers'],
    [{ ...grpc, 'grpc-status': '0' }, 13, 'the response is not a single uncompressed message'],
    [{ ...grpc, 'grpc-status': '7', 'grpc-message': 'na%C3%AFve%20%zz' }, 7, 'naïve %zz'],
    [{ ...grpc, ':status': 403, 'grpc-status': '16' }, 16, ''],
  ])('%j → %d', (headers, code, details) => {
    expect(grpcReply(headers, new Uint8Array())).toEqual({ code, details, message: undefined });
  });
});
