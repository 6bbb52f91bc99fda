import { once } from 'node:events';
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { servePage, type ServedPage } from '../test-support/served-page.ts';

describe('the server of the page', () => {
  let page: ServedPage;
  beforeAll(async () => {
    page = await servePage();
  });
  afterAll(() => page[Symbol.asyncDispose]());

  it('serves files with a policy that permits no code but its own', async () => {
    const { status, headers } = await page.send('GET', '/ui/');
    expect(status).toBe(200);
    const policy = headers['content-security-policy'] as string;
    expect(policy).toContain("default-src 'none'; script-src 'self'; style-src 'self'");
    expect(policy).not.toMatch(/unsafe|data:|\*/);
    expect(headers).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'x-content-type-options': 'nosniff',
      'cross-origin-opener-policy': 'same-origin',
    });
    expect(headers['access-control-allow-origin']).toBeUndefined();
  });

  it('compresses files, and lets browsers keep those whose names change with their content', async () => {
    const { headers } = await page.send('GET', '/ui/assets/app.js', { 'accept-encoding': 'gzip, br' });
    expect(headers['content-encoding']).toBe('gzip');
    expect(headers['cache-control']).toContain('immutable');
    expect(Number(headers['content-length'])).toBeLessThan(300);
    expect((await page.send('GET', '/ui/assets/app.js')).headers['content-encoding']).toBeUndefined();
  });

  it.each(['/ui/../package.json', '/ui/%2e%2e/agent.sock', '/ui/assets/..%2f..%2fagent.sock', '/ui//etc/passwd'])(
    'has no file %s',
    async (path) => {
      expect((await page.send('GET', path)).status).toBe(404);
    },
  );
});

describe('a session', () => {
  it('needs the secret of the address, which opens it once', async () => {
    await using page = await servePage();
    const headers = { origin: page.origin, 'content-type': 'application/json' };
    const post = async (body: unknown): Promise<number> =>
      (await page.send('POST', '/ui/session', headers, JSON.stringify(body))).status;
    const wrong = [{}, null, { secret: '' }, { secret: [page.secret] }, { secret: page.secret.slice(1) }];
    for (const body of wrong) expect(await post(body)).toBe(403);
    const opened = await page.send('POST', '/ui/session', headers, JSON.stringify({ secret: page.secret }));
    expect(opened.status).toBe(200);
    expect(opened.headers['set-cookie']?.[0]).toMatch(
      new RegExp(`^rxlet-ui-${String(page.port)}=[0-9a-f]{64}; HttpOnly; SameSite=Strict; Path=/$`),
    );
    expect(await post({ secret: page.secret })).toBe(403);
  });

  it('reads data with cookie and token together only', async () => {
    await using page = await servePage();
    const { cookie, token } = await page.open();
    const read = async (headers: Record<string, string>): Promise<number> =>
      (await page.send('GET', '/ui/stream', headers)).status;
    expect(await read({})).toBe(401);
    expect(await read({ cookie })).toBe(401);
    expect(await read({ 'x-rxlet-token': token })).toBe(401);
    expect(await read({ cookie, 'x-rxlet-token': cookie.split('=')[1]! })).toBe(401);
    expect(await read({ cookie: `${cookie.split('=')[0]!}=${token}`, 'x-rxlet-token': token })).toBe(401);
    expect(page.reached).toEqual([]);
    expect(await read({ cookie, 'x-rxlet-token': token })).toBe(200);
    expect(page.reached).toEqual(['/ui/stream']);
  });

  it('passes on only what the page reads, as data that no browser shows as a page', async () => {
    await using page = await servePage();
    const { cookie, token } = await page.open();
    const headers = { cookie, 'x-rxlet-token': token, origin: page.origin };
    const log = await page.send('GET', '/containerLogs/default/web/main?follow=true', headers);
    expect([log.status, log.body]).toEqual([200, 'answer of /containerLogs/default/web/main?follow=true']);
    expect(log.headers['content-security-policy']).toContain('sandbox');
    expect(log.headers['set-cookie']).toBeUndefined();
    expect(log.headers['access-control-allow-origin']).toBeUndefined();
    const others = [
      '/pods',
      '/run/a/b/c?cmd=id',
      '/debug/state',
      '/containerLogs/../../run',
      '/ui/a/%2e%2e/b',
      '/logs/',
    ];
    for (const path of others) expect((await page.send('GET', path, headers)).status, path).toBe(404);
    for (const method of ['POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS', 'TRACE']) {
      const { status } = await page.send(method, '/containerLogs/default/web/main', {
        ...headers,
        'content-type': 'application/json',
      });
      expect([404, 405], method).toContain(status);
    }
    expect(page.reached).toHaveLength(1);
  });
});

describe('a foreign page', () => {
  let page: ServedPage;
  let session: Record<string, string>;
  beforeAll(async () => {
    page = await servePage({ allowsExec: true });
    const { cookie, token } = await page.open();
    session = { cookie, 'x-rxlet-token': token };
  });
  afterAll(() => page[Symbol.asyncDispose]());

  it.each([
    ['of another name that leads here', (port: number) => `evil.test:${String(port)}`],
    ['whose name begins like the address', (port: number) => `127.0.0.1.evil.test:${String(port)}`],
    ['whose name ends like it', (port: number) => `evil-127.0.0.1:${String(port)}`],
    ['of another port', () => '127.0.0.1:1'],
    ['without a port', () => '127.0.0.1'],
    ['with another address of this machine', (port: number) => `0.0.0.0:${String(port)}`],
    ['with the address written differently', (port: number) => `2130706433:${String(port)}`],
    ['with a user in front', (port: number) => `127.0.0.1:${String(port)}@evil.test`],
    ['with a dot behind', (port: number) => `localhost.:${String(port)}`],
    ['without a host', () => ''],
  ])('%s reads nothing, not even files', async (_title, host) => {
    for (const path of ['/ui/', '/ui/stream']) {
      const { status, body } = await page.send('GET', path, { ...session, host: host(page.port) });
      expect([400, 421]).toContain(status);
      expect(body).not.toContain('answer');
    }
  });

  it.each<[string, Record<string, string>]>([
    ['of another origin', { origin: 'http://evil.test' }],
    ['of an origin that begins like the own one', { origin: 'http://127.0.0.1.evil.test' }],
    ['without an origin of its own', { origin: 'null' }],
    ['of another site', { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'no-cors' }],
    ['of another server on this machine', { 'sec-fetch-site': 'same-site', 'sec-fetch-mode': 'cors' }],
    ['that opens this page', { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate' }],
  ])('%s is rejected', async (_title, headers) => {
    expect((await page.send('GET', '/ui/stream', { ...session, ...headers })).status).toBe(403);
    expect((await page.send('GET', '/ui/', headers)).status).toBe(403);
    const json = { ...session, 'content-type': 'application/json', ...headers };
    expect((await page.send('POST', '/ui/ticket', json, '{}')).status).toBe(403);
    expect(page.reached).toEqual([]);
  });

  it('cannot post without the type that asks for permission, nor without an origin', async () => {
    const types = ['text/plain', 'application/x-www-form-urlencoded', 'application/json; x=y', 'multipart/form-data'];
    for (const type of types) {
      const headers = { ...session, origin: page.origin, 'content-type': type };
      expect((await page.send('POST', '/ui/ticket', headers, '{}')).status, type).toBe(415);
    }
    const headers = { ...session, 'content-type': 'application/json' };
    expect((await page.send('POST', '/ui/ticket', headers, '{}')).status).toBe(403);
  });
});

describe('a terminal', () => {
  const PATH = '/exec/default/web/main?command=sh&input=1&output=1&tty=1';

  it('needs the origin of the page, its cookie and a ticket that is good once', async () => {
    await using page = await servePage({ allowsExec: true });
    const { cookie, token } = await page.open();
    const { origin } = page;
    const newTicket = async (): Promise<string> => {
      const headers = { cookie, 'x-rxlet-token': token, origin, 'content-type': 'application/json' };
      const { body } = await page.send('POST', '/ui/ticket', headers, '{}');
      return (JSON.parse(body) as { ticket: string }).ticket;
    };
    const protocols = (ticket: string): Record<string, string> => ({
      'sec-websocket-protocol': `v5.channel.k8s.io, rxlet.ticket.${ticket}`,
    });
    const ticket = await newTicket();
    expect(await page.upgrade(PATH, { cookie, origin: 'http://evil.test', ...protocols(ticket) })).toBe(403);
    expect(await page.upgrade(PATH, { cookie, origin: `${origin}0`, ...protocols(ticket) })).toBe(403);
    expect(await page.upgrade(PATH, { cookie, ...protocols(ticket) })).toBe(403);
    expect(await page.upgrade(PATH, { cookie, origin, 'sec-websocket-protocol': 'v5.channel.k8s.io' })).toBe(401);
    expect(await page.upgrade(PATH, { cookie, origin, ...protocols(token) })).toBe(401);
    expect(await page.upgrade(PATH, { origin, ...protocols(ticket) })).toBe(401);
    expect(await page.upgrade('/attach/default/web/main', { cookie, origin, ...protocols(ticket) })).toBe(404);
    expect(page.reached).toEqual([]);
    expect(await page.upgrade(PATH, { cookie, origin, ...protocols(ticket) })).toBe(101);
    expect(page.reached).toEqual([PATH]);
    expect(await page.upgrade(PATH, { cookie, origin, ...protocols(ticket) })).toBe(401);
    expect(await page.upgrade(PATH, { cookie, origin, ...protocols(await newTicket()) })).toBe(101);
  });

  it('does not exist unless it is allowed', async () => {
    await using page = await servePage();
    const { cookie, token } = await page.open();
    const headers = { cookie, 'x-rxlet-token': token, origin: page.origin, 'content-type': 'application/json' };
    expect((await page.send('POST', '/ui/ticket', headers, '{}')).status).toBe(404);
    expect(await page.upgrade(PATH, { cookie, origin: page.origin })).toBe(404);
  });
});

describe('a client that asks for a terminal', () => {
  const REQUEST =
    'GET /exec/default/web/main HTTP/1.1\r\nHost: other\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n';

  it('does not stop the server by a reset of its connection', async () => {
    await using page = await servePage();
    for (let times = 0; times < 20; times += 1) {
      const socket = connect(page.port, '127.0.0.1');
      await once(socket, 'connect');
      socket.write(REQUEST, () => socket.resetAndDestroy());
      await once(socket, 'close');
    }
    expect((await page.send('GET', '/ui/')).status).toBe(200);
  });

  it('does not keep the server from ending by a connection that it leaves open', async () => {
    const page = await servePage();
    const socket = connect({ port: page.port, host: '127.0.0.1', allowHalfOpen: true });
    socket.resume().write(REQUEST);
    await once(socket, 'end');
    await page[Symbol.asyncDispose]();
    expect(socket.writable).toBe(true);
    socket.destroy();
  });

  it('does not take the place of others by a connection that it leaves open', async () => {
    await using page = await servePage();
    const sockets = [];
    // More than the server accepts.
    for (let count = 0; count < 65; count += 1) {
      const socket = connect({ port: page.port, host: '127.0.0.1', allowHalfOpen: true });
      socket.resume().write(REQUEST);
      await once(socket, 'end');
      sockets.push(socket);
    }
    expect((await page.send('GET', '/ui/')).status).toBe(200);
    for (const socket of sockets) socket.destroy();
  });

  it('loses its terminal when the server ends', async () => {
    const page = await servePage({ allowsExec: true });
    const { cookie, token } = await page.open();
    const headers = { cookie, 'x-rxlet-token': token, origin: page.origin, 'content-type': 'application/json' };
    const { ticket } = JSON.parse((await page.send('POST', '/ui/ticket', headers, '{}')).body) as { ticket: string };
    const socket = connect(page.port, '127.0.0.1');
    const fields = {
      host: new URL(page.origin).host,
      origin: page.origin,
      cookie,
      connection: 'Upgrade',
      upgrade: 'websocket',
      'sec-websocket-protocol': `v5.channel.k8s.io, rxlet.ticket.${ticket}`,
    };
    const lines = Object.entries(fields).map((field) => field.join(': '));
    socket.write(['GET /exec/default/web/main?stays HTTP/1.1', ...lines, '', ''].join('\r\n'));
    expect(String((await once(socket, 'data'))[0])).toMatch(/^HTTP\/1\.1 101 /);
    const closed = once(socket, 'close');
    await page[Symbol.asyncDispose]();
    await closed;
  });
});
