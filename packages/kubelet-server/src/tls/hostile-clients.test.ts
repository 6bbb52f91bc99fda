import { once } from 'node:events';
import { type AddressInfo, connect as connectPlain, type Socket } from 'node:net';
import { connect, type TLSSocket } from 'node:tls';
import { EndpointError } from '@rxlet/agent-api/http';
import type { TlsKeyPair } from '@rxlet/kube-api/client';
import { onAbort, systemClock, systemRandom } from '@rxlet/component-base';
import { recordingLogger } from '@rxlet/component-base/testing';
import { createCurrentValue } from '@rxlet/component-base/streams';
import { createCertificateAuthority } from '@rxlet/fake-kube';
import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { createAccessControl } from '../access/access-control.ts';
import { alwaysAllow } from '../access/authorizer.ts';
import type { ConnectionLimits } from '../listeners/connection-limits.ts';
import { createHttpsListener } from './https-listener.ts';

let serving: TlsKeyPair;
beforeAll(async () => {
  const authority = await createCertificateAuthority({ clock: systemClock, random: systemRandom });
  serving = await authority.issue({ commonName: 'node1', hosts: ['localhost'], usages: ['server auth'] });
});

const disposables: AsyncDisposable[] = [];
const sockets: Socket[] = [];
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  for (const one of disposables.splice(0)) await one[Symbol.asyncDispose]();
});

/** Starts a server where the token `good` may read `/ok`, and `/stream`, which sends a line and never ends. */
async function start(limits: Partial<ConnectionLimits> = {}) {
  const logger = recordingLogger();
  const tokens = {
    authenticate: (token: string) =>
      Promise.resolve(token === 'good' ? { name: 'jane', groups: [], extra: {} } : undefined),
  };
  const access = createAccessControl(
    { tokens, authorizer: alwaysAllow, clock: systemClock, logger },
    { anonymous: false, isFineGrained: true },
  );
  let address: AddressInfo | undefined;
  const listener = createHttpsListener(
    { clock: systemClock, logger },
    {
      routes: [
        { pattern: '/ok', handle: () => ({ body: 'ok' }) },
        { pattern: '/stream', handle: ({ signal }) => ({ body: endless(signal) }) },
        {
          root: '/exec',
          operations: [
            {
              segments: { least: 0, most: 0 },
              handle: () => ({ status: 400, body: 'no upgrade' }),
              upgrade: () => Promise.reject(new EndpointError(404, 'no container')),
            },
          ],
        },
      ],
      access,
    },
    {
      address: '127.0.0.1',
      port: 0,
      limits: { maxRequests: 10, maxIdle: 20, maxIdlePerAddress: 10, ...limits },
      tls: {},
      certificate: createCurrentValue<TlsKeyPair | undefined>(serving),
      onListening: (bound) => (address = bound),
    },
  );
  disposables.push(listener);
  await listener.start();
  const { port } = address!;
  const keep = <T extends Socket>(socket: T): T => {
    socket.on('error', () => undefined);
    sockets.push(socket);
    return socket;
  };
  return {
    logger,
    /** Opens a connection without encryption. */
    async plain(localAddress = '127.0.0.1'): Promise<Socket> {
      const socket = keep(connectPlain({ host: '127.0.0.1', port, localAddress }));
      await once(socket, 'connect');
      return socket;
    },
    /** Opens a connection and completes its handshake. */
    async open({ allowHalfOpen = false } = {}): Promise<TLSSocket> {
      const network = connectPlain({ host: '127.0.0.1', port, allowHalfOpen });
      const socket = keep(connect({ socket: network, rejectUnauthorized: false }));
      await once(socket, 'secureConnect');
      return socket;
    },
  };
}

async function* endless(signal: AbortSignal): AsyncGenerator<Uint8Array, void> {
  yield Buffer.from('line\n');
  await new Promise<void>((resolve) => void onAbort(signal, () => resolve()));
}

const GOOD = 'Host: node1\r\nAuthorization: Bearer good\r\n';

const UPGRADE = 'Connection: Upgrade\r\nUpgrade: SPDY/3.1\r\n';

/** Sends a request and returns what the server sends until `text` arrives or the connection ends. */
async function sendRequest(socket: Socket, request: string, text = '\r\n\r\n'): Promise<string> {
  socket.write(request);
  let answer = '';
  for await (const chunk of socket.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    answer += chunk.toString('latin1');
    if (answer.includes(text)) break;
  }
  return answer;
}
const isOpen = ({ readyState, closed }: Socket): boolean => !closed && readyState === 'open';
const countOpen = (all: readonly Socket[]): number => all.filter(isOpen).length;
const times = <T>(count: number, make: () => Promise<T>): Promise<T[]> =>
  Promise.all(Array.from({ length: count }, make));

describe('connections without a request', () => {
  it.each(['plain', 'open'] as const)(
    'do not keep others from being served, and have a bound per address (%s)',
    async (kind) => {
      const server = await start();
      const idle = await times<Socket>(40, () => server[kind]());
      for (const socket of idle) socket.resume();
      expect(await sendRequest(await server.open(), `GET /ok HTTP/1.1\r\n${GOOD}\r\n`, 'ok')).toMatch(
        /^HTTP\/1\.1 200 /,
      );
      await vi.waitFor(() => expect(countOpen(idle)).toBeLessThan(10));
      expect(server.logger.lines).toMatchObject([
        { message: 'closed connections without requests: too many are open', fields: { address: '127.0.0.1' } },
      ]);
    },
  );

  it('from many addresses push out those of the address with the most', async () => {
    const server = await start();
    const [first] = [await server.plain('127.0.0.9')];
    first.resume();
    const idle = await Promise.all(
      Array.from({ length: 40 }, (_, index) => server.plain(`127.0.1.${String(index % 5)}`)),
    );
    for (const socket of idle) socket.resume();
    await vi.waitFor(() => expect(countOpen(idle)).toBe(19));
    expect(isOpen(first)).toBe(true);
  });

  it('do not end an answer that lasts', async () => {
    const server = await start();
    const stream = await server.open();
    expect(await sendRequest(stream, `GET /stream HTTP/1.1\r\n${GOOD}\r\n`, 'line')).toMatch(/^HTTP\/1\.1 200 /);
    const idle = await times(40, () => server.plain());
    for (const socket of idle) socket.resume();
    await vi.waitFor(() => expect(countOpen(idle)).toBe(10));
    expect(isOpen(stream)).toBe(true);
  });
});

describe('requests', () => {
  it('beyond the bound are answered with 503, also on encrypted connections', async () => {
    const server = await start({ maxRequests: 1 });
    const stream = await server.open();
    await sendRequest(stream, `GET /stream HTTP/1.1\r\n${GOOD}\r\n`, 'line');
    const answer = await sendRequest(await server.open(), `GET /ok HTTP/1.1\r\n${GOOD}\r\n`);
    expect(answer).toMatch(/^HTTP\/1\.1 503 [^]*connection: close/i);
    stream.destroy();
    await vi.waitFor(async () =>
      expect(await sendRequest(await server.open(), `GET /ok HTTP/1.1\r\n${GOOD}\r\n`, 'ok')).toMatch(
        /^HTTP\/1\.1 200 /,
      ),
    );
  });

  it('stay within a bound per address', async () => {
    const server = await start({ maxRequestsPerAddress: 1 });
    await sendRequest(await server.open(), `GET /stream HTTP/1.1\r\n${GOOD}\r\n`, 'line');
    expect(await sendRequest(await server.open(), `GET /ok HTTP/1.1\r\n${GOOD}\r\n`)).toMatch(/^HTTP\/1\.1 503 /);
  });

  it('end their connection when they are rejected before their body has arrived', async () => {
    const server = await start();
    const socket = await server.open();
    const answer = await sendRequest(
      socket,
      'POST /ok HTTP/1.1\r\nHost: node1\r\nContent-Length: 1000\r\n\r\nx',
      'never',
    );
    expect(answer).toMatch(/^HTTP\/1\.1 401 [^]*connection: close/i);
  });

  it('get their answer when they are rejected while a large body is sent', async () => {
    const server = await start();
    const socket = await server.open();
    const size = 4 * 1024 * 1024;
    const head = `POST /ok HTTP/1.1\r\nHost: node1\r\nContent-Length: ${String(size)}\r\n\r\n`;
    expect(await sendRequest(socket, head + 'x'.repeat(size), 'never').catch((error: unknown) => error)).toMatch(
      /^HTTP\/1\.1 401 /,
    );
  });

  it('without a body keep their connection when they are rejected', async () => {
    const server = await start();
    const socket = await server.open();
    expect(await sendRequest(socket, 'GET /ok HTTP/1.1\r\nHost: node1\r\n\r\n', 'Unauthorized')).toMatch(
      /connection: keep-alive/i,
    );
    expect(await sendRequest(socket, `GET /ok HTTP/1.1\r\n${GOOD}\r\n`, 'ok')).toMatch(/^HTTP\/1\.1 200 /);
  });

  it('for an upgrade that come before an answer has been sent are answered in turn, without one', async () => {
    const server = await start();
    const socket = await server.open();
    const requests = `GET /ok HTTP/1.1\r\n${GOOD}\r\nGET /exec HTTP/1.1\r\n${GOOD}${UPGRADE}\r\n`;
    expect(await sendRequest(socket, requests, 'no upgrade')).toMatch(/^HTTP\/1\.1 200 [^]*HTTP\/1\.1 400 /);
  });

  it.each([
    ['without a host', ''],
    ['with an unknown expectation', 'Host: node1\r\nExpect: luck\r\n'],
  ])('for an upgrade right after one %s end their connection, and no other', async (_title, headers) => {
    const server = await start();
    const socket = await server.open();
    const requests = `GET /ok HTTP/1.1\r\n${headers}\r\nGET /exec HTTP/1.1\r\n${GOOD}${UPGRADE}\r\n`;
    expect(await sendRequest(socket, requests, 'never')).not.toMatch('no upgrade');
    const answer = await sendRequest(await server.open(), `GET /ok HTTP/1.1\r\n${GOOD}\r\n`, 'ok');
    expect(answer).toMatch(/^HTTP\/1\.1 200 /);
  });

  it.each([
    ['without permission', '401', 'Host: node1\r\n'],
    ['without a target', '404', GOOD],
  ])('for an upgrade %s end, although their client keeps its end open', async (_title, status, headers) => {
    const server = await start({ maxRequests: 1 });
    const socket = await server.open({ allowHalfOpen: true });
    const answer = await sendRequest(socket, `GET /exec HTTP/1.1\r\n${headers}${UPGRADE}\r\n`, 'never');
    expect(answer).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
    await vi.waitFor(async () =>
      expect(await sendRequest(await server.open(), `GET /ok HTTP/1.1\r\n${GOOD}\r\n`, 'ok')).toMatch(
        /^HTTP\/1\.1 200 /,
      ),
    );
    expect(socket.writable).toBe(true);
  });
});
