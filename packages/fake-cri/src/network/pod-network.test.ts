import { type ClientHttp2Session, connect as connectHttp2 } from 'node:http2';
import { get } from 'node:http';
import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import type { Duplex } from 'node:stream';
import { noopLogger } from '@rxlet/component-base';
import { recordingLogger } from '@rxlet/component-base/testing';
import { describe, expect, it } from 'vitest';
import { createPodNetwork } from './pod-network.ts';
import { acceptOnly, type HttpService, type TcpService } from './port-service.ts';

const page = (body: string): HttpService => ({ protocol: 'http', respond: () => ({ status: 200, body }) });

const echo: TcpService = { protocol: 'tcp', accept: (connection) => void connection.pipe(connection) };

async function readAll(stream: Duplex): Promise<string> {
  let text = '';
  for await (const chunk of stream as AsyncIterable<Buffer>) text += chunk.toString();
  return text;
}

/** Sends a GET over a real socket, or over `connection`. */
async function httpGet(url: string, connection?: Duplex): Promise<{ status: number; body: string }> {
  const request = get(url, connection === undefined ? { agent: false } : { createConnection: () => connection });
  const [response] = (await once(request, 'response')) as [Duplex & { statusCode: number }];
  return { status: response.statusCode, body: await readAll(response) };
}

/** Calls Health/Check, or `path`. @returns the gRPC status and the bytes of the response */
async function grpcCheck(
  session: ClientHttp2Session,
  service: string,
  path = '/grpc.health.v1.Health/Check',
): Promise<{ grpcStatus: unknown; answer: number[] }> {
  const call = session.request({
    ':method': 'POST',
    ':path': path,
    'content-type': 'application/grpc',
    te: 'trailers',
  });
  const message = service === '' ? [] : [0x0a, service.length, ...Buffer.from(service)];
  call.end(Buffer.from([0, 0, 0, 0, message.length, ...message]));
  let grpcStatus: unknown;
  const record = (headers: Record<string, unknown>): void => void (grpcStatus = headers['grpc-status'] ?? grpcStatus);
  call.on('response', record);
  call.on('trailers', record);
  const answer: number[] = [];
  for await (const chunk of call as AsyncIterable<Buffer>) answer.push(...chunk);
  return { grpcStatus, answer };
}

/** Returns the error code of a real connection; `undefined` when it succeeded. */
async function connectError(ip: string, port: number): Promise<string | undefined> {
  const socket = connect(port, ip);
  try {
    await once(socket, 'connect');
    return undefined;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code;
  } finally {
    socket.destroy();
  }
}

describe('pods in-process', () => {
  it('answer by address and port, and only while they serve', async () => {
    await using network = createPodNetwork(noopLogger, 'in-process');
    const served = network.serve('10.0.0.2', 80, echo, 'default/web');
    await served.listening;
    const connection = await network.dial('10.0.0.2', 80);
    connection.end('hello');
    expect(await readAll(connection)).toBe('hello');
    await expect(network.dial('10.0.0.2', 81)).rejects.toMatchObject({ code: 'ECONNREFUSED' });
    await expect(network.dial('10.0.0.3', 80)).rejects.toThrow('connect ECONNREFUSED 10.0.0.3:80');
    served[Symbol.dispose]();
    await expect(network.dial('10.0.0.2', 80)).rejects.toMatchObject({ code: 'ECONNREFUSED' });
  });

  it('answer HTTP over a connection and on direct calls, with the current state', async () => {
    await using network = createPodNetwork(noopLogger, 'in-process');
    let status = 503;
    const service: HttpService = {
      protocol: 'http',
      respond: ({ path, headers }) => ({ status, body: `${path} ${headers['host'] ?? '-'}`, headers: { 'x-a': 'b' } }),
    };
    network.serve('10.0.0.2', 80, service, 'default/web');
    const connection = await network.dial('10.0.0.2', 80);
    expect(await httpGet('http://web/healthz?full', connection)).toEqual({ status: 503, body: '/healthz?full web:80' });
    status = 200;
    expect(await network.httpGet('10.0.0.2', 80, '/x', { headers: { host: 'h' } })).toMatchObject({
      status: 200,
      body: '/x h',
    });
    await expect(network.grpcHealth('10.0.0.2', 80)).rejects.toMatchObject({ code: 'WRONG_PROTOCOL' });
  });

  it('answer 500 when their handler fails, and nothing when the caller cancels', async () => {
    await using network = createPodNetwork(noopLogger, 'in-process');
    const failing: HttpService = {
      protocol: 'http',
      respond({ path }, signal) {
        if (path === '/fail') throw new Error('oops');
        return new Promise((_resolve, reject) =>
          signal.addEventListener('abort', () => reject(signal.reason as Error)),
        );
      },
    };
    const served = network.serve('10.0.0.2', 80, failing, 'default/web');
    const connection = await network.dial('10.0.0.2', 80);
    expect(await httpGet('http://web/fail', connection)).toEqual({ status: 500, body: 'oops' });
    const controller = new AbortController();
    const waiting = network.httpGet('10.0.0.2', 80, '/slow', { signal: controller.signal });
    controller.abort(new Error('cancelled'));
    await expect(waiting).rejects.toThrow('cancelled');

    const cutOff = network.httpGet('10.0.0.2', 80, '/slow');
    served[Symbol.dispose]();
    await expect(cutOff).rejects.toMatchObject({ code: 'ECONNRESET' });
  });

  it('answer gRPC health checks', async () => {
    await using network = createPodNetwork(noopLogger, 'in-process');
    const check = (service: string) => (service === '' ? 'SERVING' : undefined);
    network.serve('10.0.0.2', 9000, { protocol: 'grpc', check }, 'default/web');
    expect(await network.grpcHealth('10.0.0.2', 9000)).toBe('SERVING');
    expect(await network.grpcHealth('10.0.0.2', 9000, 'other')).toBeUndefined();
    const connection = await network.dial('10.0.0.2', 9000);
    const session = connectHttp2('http://web', { createConnection: () => connection });
    expect(await grpcCheck(session, '')).toEqual({ grpcStatus: '0', answer: [0, 0, 0, 0, 2, 8, 1] });
    session.destroy();
  });

  it('answer a gRPC request that is too long or that they cannot parse, and go on', async () => {
    await using network = createPodNetwork(noopLogger, 'in-process');
    network.serve('10.0.0.2', 9000, { protocol: 'grpc', check: () => 'SERVING' as const }, 'default/web');
    const connection = await network.dial('10.0.0.2', 9000);
    const session = connectHttp2('http://web', { createConnection: () => connection });
    for (const body of [
      Buffer.alloc(200_000),
      Buffer.alloc(0),
      Buffer.alloc(7, 0xff),
      Buffer.from([0, 0, 0, 0, 9, 10]),
    ]) {
      const headers = { ':method': 'POST', ':path': '/grpc.health.v1.Health/Check', ':authority': '%2Frun%2Fx.sock' };
      const call = session.request({ ...headers, 'content-type': 'application/grpc' });
      const answered = once(call, 'response') as Promise<[Record<string, unknown>]>;
      call.resume().end(body);
      expect((await answered)[0]['grpc-status']).toBe('13');
    }
    expect(await grpcCheck(session, '')).toMatchObject({ grpcStatus: '0' });
    session.destroy();
  });

  it('break their connections when they end', async () => {
    const network = createPodNetwork(noopLogger, 'in-process');
    const served = network.serve('10.0.0.2', 80, acceptOnly, 'default/web');
    network.serve('10.0.0.3', 80, page('slow'), 'default/other');
    const [one, two] = [await network.dial('10.0.0.2', 80), await network.dial('10.0.0.3', 80)];
    const [oneClosed, twoClosed] = [once(one, 'close'), once(two, 'close')];
    served[Symbol.dispose]();
    await oneClosed;
    await network[Symbol.asyncDispose]();
    await twoClosed;
    await expect(network.dial('10.0.0.3', 80)).rejects.toMatchObject({ code: 'ECONNREFUSED' });
    network.serve('10.0.0.2', 80, acceptOnly, 'default/late');
    await expect(network.dial('10.0.0.2', 80)).rejects.toMatchObject({ code: 'ECONNREFUSED' });
  });

  it('cannot have the port of another, and log a warning', async () => {
    const logger = recordingLogger();
    await using network = createPodNetwork(logger, 'in-process');
    const first = network.serve('127.0.0.1', 80, page('first'), 'default/first');
    const second = network.serve('127.0.0.1', 80, page('second'), 'default/second');
    expect(logger.lines).toMatchObject([{ level: 'warn', fields: { pod: 'default/second', port: 80 } }]);
    second[Symbol.dispose]();
    expect(await network.httpGet('127.0.0.1', 80, '/')).toMatchObject({ body: 'first' });
    first[Symbol.dispose]();
    network.serve('127.0.0.1', 80, page('third'), 'default/third');
    expect(await network.httpGet('127.0.0.1', 80, '/')).toMatchObject({ body: 'third' });
  });
});

describe('pods on loopback addresses', () => {
  it('really listen, each on its own address, until they end', async () => {
    await using network = createPodNetwork(noopLogger, 'loopback');
    const one = network.serve('127.64.9.2', 18080, page('one'), 'default/one');
    const two = network.serve('127.64.9.3', 18080, page('two'), 'default/two');
    await Promise.all([one.listening, two.listening]);
    expect(await httpGet('http://127.64.9.2:18080/')).toEqual({ status: 200, body: 'one' });
    expect(await httpGet('http://127.64.9.3:18080/')).toEqual({ status: 200, body: 'two' });
    expect(await network.httpGet('127.64.9.2', 18080, '/')).toMatchObject({ body: 'one' });
    one[Symbol.dispose]();
    expect(await connectError('127.64.9.2', 18080)).toBe('ECONNREFUSED');
    expect(await connectError('127.64.9.3', 18080)).toBeUndefined();

    const again = network.serve('127.64.9.2', 18080, page('again'), 'default/again');
    await again.listening;
    expect(await httpGet('http://127.64.9.2:18080/')).toMatchObject({ body: 'again' });
    await network[Symbol.asyncDispose]();
    expect(await connectError('127.64.9.2', 18080)).toBe('ECONNREFUSED');
    expect(await connectError('127.64.9.3', 18080)).toBe('ECONNREFUSED');
  });

  it('answer TCP and gRPC health probes', async () => {
    await using network = createPodNetwork(noopLogger, 'loopback');
    let healthy = false;
    const check = (service: string) => (service === 'ghost' ? undefined : healthy ? 'SERVING' : 'NOT_SERVING');
    await network.serve('127.64.9.4', 19000, { protocol: 'grpc', check }, 'default/grpc').listening;
    await network.serve('127.64.9.4', 19001, acceptOnly, 'default/tcp').listening;

    expect(await connectError('127.64.9.4', 19001)).toBeUndefined();
    const session = connectHttp2('http://127.64.9.4:19000');
    expect(await grpcCheck(session, 'db')).toEqual({ grpcStatus: '0', answer: [0, 0, 0, 0, 2, 8, 2] });
    healthy = true;
    expect(await grpcCheck(session, '')).toEqual({ grpcStatus: '0', answer: [0, 0, 0, 0, 2, 8, 1] });
    expect(await grpcCheck(session, 'ghost')).toEqual({ grpcStatus: '5', answer: [] });
    expect(await grpcCheck(session, '', '/grpc.health.v1.Health/Watch')).toMatchObject({ grpcStatus: '12' });
    session.destroy();
  });

  it('log one warning for an occupied port, and still answer in-process', async () => {
    const logger = recordingLogger();
    await using network = createPodNetwork(logger, 'loopback');
    const other = createServer().listen(18081, '127.64.9.5');
    await once(other, 'listening');
    const served = network.serve('127.64.9.5', 18081, page('inside'), 'default/web');
    await served.listening;
    expect(logger.lines).toMatchObject([
      {
        level: 'warn',
        message: 'a port of a pod cannot be reached',
        fields: { pod: 'default/web', port: 18081, error: expect.stringContaining('EADDRINUSE') as string },
      },
    ]);
    expect(await network.httpGet('127.64.9.5', 18081, '/')).toMatchObject({ body: 'inside' });
    other.close();
  });

  it('never listen when they end before', async () => {
    await using network = createPodNetwork(noopLogger, 'loopback');
    const served = network.serve('127.64.9.6', 18082, acceptOnly, 'default/web');
    served[Symbol.dispose]();
    await served.listening;
    expect(await connectError('127.64.9.6', 18082)).toBe('ECONNREFUSED');
  });
});
