import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { seededRandom } from '@rxlet/component-base';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { mutateRequest } from './test-support/mutate-request.ts';
import { type GuardedServer, SECRET, startGuardedServer } from './test-support/guarded-server.ts';

/** Number of mutated requests; a search has more. */
const MUTATIONS = Number(process.env['RXLET_FUZZ_REQUESTS'] ?? 300);
const SEED = Number(process.env['RXLET_FUZZ_SEED'] ?? 1);

let server: GuardedServer;
beforeAll(async () => {
  server = await startGuardedServer();
  const { folder, logsFolder } = server;
  await mkdir(join(logsFolder, 'pods/p'), { recursive: true });
  await mkdir(join(folder, 'log-of-others'));
  await writeFile(join(folder, 'outside'), SECRET);
  await writeFile(join(folder, 'log-of-others/0.log'), SECRET);
  await writeFile(join(logsFolder, 'pods/p/0.log'), 'inside\n');
  const link = (target: string, path: string): Promise<void> => symlink(target, join(logsFolder, path));
  await link('pods/p/0.log', 'relative.log');
  await link(join(logsFolder, 'pods/p/0.log'), 'absolute.log');
  await link('pods/p', 'folder');
  await link('../outside', 'out-relative');
  await link(join(folder, 'outside'), 'out-absolute');
  await link('..', 'pods/p/up');
  await link('../../..', 'pods/p/out');
  await link('../log-of-others', 'neighbour');
  await link(`${logsFolder}-of-others`, 'neighbour-absolute');
  await link('loop', 'loop');
  await link('/', 'root');
});
afterAll(() => server[Symbol.asyncDispose]());

const get = (path: string, ...headers: readonly string[]): Promise<string> =>
  server.send([`GET ${path} HTTP/1.1`, 'Host: x', 'Connection: close', ...headers, '', ''].join('\r\n'));
const asAdmin = (path: string, ...headers: readonly string[]): Promise<string> =>
  get(path, 'Authorization: Bearer admin', ...headers);
const bodyOf = (answer: string): string => answer.slice(answer.indexOf('\r\n\r\n') + 4);
const statusOf = (answer: string): string => answer.split(' ', 2)[1] ?? '';

const PATHS = [
  '/healthz',
  '/healthz/ping',
  '/pods',
  '/runningpods/',
  '/metrics',
  '/metrics/slis',
  '/metrics/cadvisor',
  '/stats/summary',
  '/configz',
  '/flagz',
  '/statusz',
  '/debug/flags/v',
  '/debug/pprof/cmdline',
  '/logs/',
  '/logs/pods/p/0.log',
  '/logs/?query=outside&query=kubelet',
  '/logs/?query=/../outside',
  '/containerLogs/default/web/main',
  '/exec/default/web/main?command=ls&output=1',
  '/attach/default/web/main?output=1',
  '/portForward/default/web',
  '/run/default/web/main?cmd=ls',
  '/checkpoint/default/web/main',
];
const CREDENTIALS = [
  [],
  ['Authorization: Bearer wrong'],
  ['Authorization: Basic YWRtaW46YWRtaW4='],
  ['Authorization: Bearer'],
  ['Authorization: admin'],
  ['X-Remote-User: admin', 'X-Remote-Group: system:masters', 'Impersonate-User: admin'],
];
const UPGRADES = [
  ['Connection: Upgrade', 'Upgrade: SPDY/3.1', 'X-Stream-Protocol-Version: v4.channel.k8s.io'],
  [
    'Connection: Upgrade',
    'Upgrade: websocket',
    'Sec-WebSocket-Version: 13',
    'Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==',
    'Sec-WebSocket-Protocol: v5.channel.k8s.io',
  ],
];

describe('every endpoint', () => {
  it('has a route in this test', () => {
    const roots = server.routes.map((route) => ('pattern' in route ? route.pattern : route.root).split('/')[1]);
    expect(roots.filter((root) => !PATHS.some((path) => path.split(/[/?]/)[1] === root))).toEqual([]);
  });

  it.each(PATHS)('%s answers 401 without credentials that count, and 403 without permission', async (path) => {
    server.calls.length = 0;
    for (const method of ['GET', 'POST', 'PUT', 'DELETE', 'HEAD', 'OPTIONS', 'PATCH']) {
      for (const headers of method === 'GET' ? CREDENTIALS : CREDENTIALS.slice(0, 1)) {
        const answer = await server.sendAll(
          [`${method} ${path} HTTP/1.1`, 'Host: x', 'Connection: close', ...headers, '', ''].join('\r\n'),
        );
        expect([method, statusOf(answer)]).toEqual([method, '401']);
        expect(answer).not.toContain(SECRET);
      }
    }
    for (const upgrade of [[], ...UPGRADES]) {
      const connection = upgrade.length === 0 ? ['Connection: close'] : [];
      const headers = ['Host: x', 'Authorization: Bearer weak', ...connection, ...upgrade];
      const answer = await server.sendAll([`GET ${path} HTTP/1.1`, ...headers, '', ''].join('\r\n'));
      expect(statusOf(answer)).toBe('403');
      expect(answer).not.toContain(SECRET);
      const unknown = await server.sendAll(
        [`GET ${path} HTTP/1.1`, 'Host: x', ...connection, ...upgrade, '', ''].join('\r\n'),
      );
      expect(statusOf(unknown)).toBe('401');
    }
    expect(server.calls).toEqual([]);
  });
});

describe('requests for an upgrade', () => {
  it('get a plain answer where there are no streams, and hide no second request', async () => {
    for (const upgrade of UPGRADES) {
      const second = 'GET /configz HTTP/1.1\r\nHost: x\r\n\r\n';
      const head = ['GET /healthz/nope HTTP/1.1', 'Host: x', ...upgrade, '', second].join('\r\n');
      const answer = await server.sendAll(head);
      expect(statusOf(answer)).toBe('404');
      expect(answer).not.toContain(SECRET);
      expect(answer).not.toContain('101 Switching');
    }
  });

  it('end their connection when they fail, so that nothing after them counts', async () => {
    server.calls.length = 0;
    for (const upgrade of UPGRADES) {
      const smuggled = 'GET /configz HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer admin\r\n\r\n';
      const head = ['GET /exec/default/web/main?command=ls&output=1 HTTP/1.1', 'Host: x', ...upgrade, '', smuggled];
      const answer = await server.sendAll(head.join('\r\n'));
      expect(answer.match(/HTTP\/1\.1 /g)).toHaveLength(1);
      expect(statusOf(answer)).toBe('401');
    }
    expect(server.calls).toEqual([]);
  });
});

describe('paths', () => {
  it.each([
    ['/../pods', '307'],
    ['/pods/../configz', '307'],
    ['/logs/../../etc/passwd', '307'],
    ['/podsx', '404'],
    ['/nope', '404'],
    ['/%2e%2e/pods', '404'],
    ['/pods%2f..%2fconfigz', '404'],
    ['/healthz%2fping', '404'],
    ['/healthz/', '404'],
    ['/POD', '404'],
    ['/pods/%2e%2e/configz', '401'],
    ['/metrics/%2e%2e/configz', '404'],
  ])('%s is answered with %s before authentication, or needs it', async (path, status) => {
    const answer = await get(path);
    expect(statusOf(answer)).toBe(status);
    expect(answer).not.toContain(SECRET);
  });

  it('never lead to another service than the one that was authorized', async () => {
    expect(statusOf(await asAdmin('/pods/%2e%2e/configz'))).toBe('404');
    expect(statusOf(await asAdmin('/exec/..%2f..%2fpods/a/b'))).toBe('404');
  });
});

describe('/logs/', () => {
  it.each([
    'pods/p/0.log',
    'relative.log',
    'absolute.log',
    'folder/0.log',
    'pods/p/up/p/0.log',
    'pods/%2e%2e/pods/p/0.log',
  ])('has %s', async (path) => {
    expect(bodyOf(await asAdmin(`/logs/${path}`))).toBe('inside\n');
  });

  it.each([
    'out-relative',
    'out-absolute',
    'pods/p/out/outside',
    'neighbour/0.log',
    'neighbour-absolute/0.log',
    'root/etc/hostname',
    '..%2foutside',
    '%2e%2e%2foutside',
    '%2e%2e/outside',
    'pods/..%2f..%2foutside',
    'pods/p/0.log%00',
    'pods/p/0.log/x',
    '%ff',
    'nope',
  ])('has no %s', async (path) => {
    const answer = await asAdmin(`/logs/${path}`);
    expect(statusOf(answer)).toBe('404');
    expect(answer).not.toContain(SECRET);
  });

  it.each(['out-absolute', 'out-relative', '../outside', './out-absolute', '/../outside', 'neighbour/0.log', '..'])(
    'has no logs of %s outside of the directory',
    async (query) => {
      const answer = await asAdmin(`/logs/?query=${query}`);
      expect(answer).toContain('path escapes from parent');
      expect(answer).not.toContain(SECRET);
    },
  );

  it('does not follow links in a circle', async () => {
    expect(statusOf(await asAdmin('/logs/loop'))).toBe('500');
  });

  it('serves parts of files', async () => {
    const part = (range: string): Promise<string> => asAdmin('/logs/pods/p/0.log', `Range: ${range}`);
    expect(bodyOf(await part('bytes=2-3'))).toBe('si');
    expect(bodyOf(await part('bytes=-3'))).toBe('de\n');
    expect(await part('bytes=5-')).toContain('content-range: bytes 5-6/7');
    expect(statusOf(await part('bytes=7-'))).toBe('416');
    expect(bodyOf(await part('bytes=0-1,3-4'))).toContain('Content-Range: bytes 3-4/7');
  });
});

describe('a request with two Host headers', () => {
  it.each(['GET /pods', 'GET /nope', 'POST /exec/default/web/main'])(
    'is rejected, as by a kubelet: %s',
    async (line) => {
      const answer = await server.send(
        [
          `${line} HTTP/1.1`,
          ...['Host: x', 'Authorization: Bearer admin', 'Upgrade: SPDY/3.1', 'Connection: Upgrade', 'hOST: x', '', ''],
        ].join('\r\n'),
      );
      expect(answer).toMatch(/^HTTP\/1\.1 400 Bad Request\r\n/);
      expect(answer).toMatch(/connection: close/i);
      expect(bodyOf(answer)).toBe('400 Bad Request');
    },
  );
});

describe('mutated requests', () => {
  it(
    `get no secret, and leave the server running (${String(MUTATIONS)}, seed ${String(SEED)})`,
    { timeout: 20_000 + 20 * MUTATIONS },
    async () => {
      const random = seededRandom(SEED);
      server.calls.length = 0;
      const inFlight = 50;
      for (let done = 0; done < MUTATIONS; done += inFlight) {
        const requests = Array.from({ length: Math.min(inFlight, MUTATIONS - done) }, () =>
          mutateRequest(random, PATHS),
        );
        const answers = await Promise.all(requests.map((bytes) => server.sendAll(bytes)));
        for (const [index, answer] of answers.entries()) {
          const sent = requests[index]!.toString('latin1');
          if (answer.includes(SECRET)) expect.fail(`a secret was sent for ${JSON.stringify(sent)}`);
          if (/^HTTP\/1\.1 (?:1|2|5)/.test(answer))
            expect.fail(`${answer.slice(0, 60)} was sent for ${JSON.stringify(sent)}`);
        }
      }
      expect(server.calls).toEqual([]);
      expect(server.logger.lines).toEqual([]);
      expect(statusOf(await asAdmin('/pods'))).toBe('200');
    },
  );
});
