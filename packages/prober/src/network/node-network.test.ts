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
  // The client may reset what it has no use for any more.
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

/** A gRPC server of another make that has a health service. */
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

  it('tells why there is no connection', async () => {
    const port = await closedPort();
    const error = new DialError(`dial tcp 127.0.0.1:${String(port)}: connect: connection refused`);
    await expect(nodeNetwork.dial('127.0.0.1', port, never)).rejects.toEqual(error);
    await expect(nodeNetwork.dial('name.invalid', port, never)).rejects.toThrow(/^dial tcp: lookup name\.invalid: /);
  });

  it('ends with its signal', async () => {
    const controller = new AbortController();
    // TEST-NET-1: nobody answers there, if there is a way to it at all.
    const call = nodeNetwork.dial('192.0.2.1', 80, controller.signal);
    const reason = new Error('enough');
    controller.abort(reason);
    await expect(call).rejects.toBe(reason);
    await expect(nodeNetwork.dial('127.0.0.1', 1, controller.signal)).rejects.toBe(reason);
  });
});

describe('connectGrpc', () => {
  it('asks a gRPC server for its health', async () => {
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

  it('asks over IPv6', async () => {
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

  it('understands HTTP/2 servers that are no gRPC servers', async () => {
    const server = createHttp2Server((_request, reply) => reply.writeHead(404).end());
    expect(await checkHealth(await listen(server))).toMatchObject({ code: status.UNIMPLEMENTED });
    const endless = createHttp2Server((_request, reply) => void reply.writeHead(200).write(Buffer.alloc(100_000)));
    expect(await checkHealth(await listen(endless))).toMatchObject({ code: status.UNAVAILABLE });
  });

  it('fails without a server that speaks HTTP/2', async () => {
    await expect(nodeNetwork.connectGrpc('127.0.0.1', await closedPort(), never)).rejects.toThrow('connection refused');
    const other = createServer((socket) => socket.end('SSH-2.0-OpenSSH\r\n'));
    await expect(nodeNetwork.connectGrpc('127.0.0.1', await listen(other), never)).rejects.toBeInstanceOf(DialError);
    const gone = createServer((socket) => socket.end());
    await expect(nodeNetwork.connectGrpc('127.0.0.1', await listen(gone), never)).rejects.toBeInstanceOf(DialError);
  });

  it('ends with its signal, before and after the connection is there', async () => {
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

describe('grpcReply', () => {
  it.each<[GrpcHeaders, number, string]>([
    [{ ':status': 503 }, 14, 'unexpected HTTP status code received from server: 503'],
    [{ ':status': 418 }, 2, 'unexpected HTTP status code received from server: 418'],
    [{ ':status': 200 }, 13, 'server closed the stream without sending trailers'],
    [{ ':status': 200, 'grpc-status': '0' }, 13, 'the answer is no single uncompressed message'],
    [{ ':status': 200, 'grpc-status': '7', 'grpc-message': 'no%20%zz' }, 7, 'no%20%zz'],
  ])('%j → %d', (headers, code, details) => {
    expect(grpcReply(headers, new Uint8Array())).toEqual({ code, details, message: undefined });
  });
});
