import { once } from 'node:events';
import { createServer, type IncomingMessage, request } from 'node:http';
import { chmod, mkdir, mkdtempDisposable, readFile, symlink, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { createLifetime, noopLogger, sleep, systemClock } from '@rxlet/component-base';
import { createHostFiles } from '@rxlet/node-files';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createServerHandler } from '../../server-handler.ts';
import { createJournalProgram } from './journal-program.ts';
import { nodeLogsRoute } from './node-logs.ts';

const SECRET = 'outside\n';
const MODIFIED = 'Thu, 02 Jan 2025 03:04:05 GMT';
/** In place of journalctl: `stream` prints without an end, `silent` prints nothing and stays. */
const JOURNALCTL = `#!/bin/sh
if [ "$1" = --field ]; then printf '%s.service\\n' kubelet stream silent broken; exit 0; fi
echo $$ > "$(dirname "$0")/pid"
case "$*" in
  *unit=stream*) exec yes a line of the journal;;
  *unit=silent*) exec sleep 1000;;
  *unit=broken*) echo cannot read >&2; exit 1;;
esac
for each in "$@"; do echo "$each"; done
`;

interface Answer {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  readonly body: Buffer;
}

let stack: AsyncDisposableStack;
let folder: string;
let sockets: Readonly<Record<'queries' | 'files', string>>;

beforeAll(async () => {
  stack = new AsyncDisposableStack();
  const temporary = await mkdtempDisposable(join(tmpdir(), 'node-logs-'));
  stack.defer(() => temporary.remove());
  folder = temporary.path;
  await makeLogs(join(folder, 'log'), join(folder, 'out'));
  await mkdir(join(folder, 'bin'));
  await writeFile(join(folder, 'bin/journalctl'), JOURNALCTL);
  await chmod(join(folder, 'bin/journalctl'), 0o755);
  sockets = { queries: await serve(true), files: await serve(false) };
});
afterAll(() => stack.disposeAsync());

async function makeLogs(log: string, out: string): Promise<void> {
  for (const directory of ['service', 'both', 'index', 'empty']) await mkdir(join(log, directory), { recursive: true });
  await mkdir(out);
  await writeFile(join(out, 'file'), SECRET);
  const files = {
    plain: 'plain\n',
    'foo.log': 'one\ntwo\n',
    'service/service.log': 'of the service\n',
    'both/both.log': 'second\n',
    'both.log': 'first\n',
    'index/index.html': '<h1>page</h1>\n',
    'a b!(c):d': '',
  };
  for (const [name, content] of Object.entries(files)) await writeFile(join(log, name), content);
  await utimes(join(log, 'foo.log'), new Date(MODIFIED), new Date(MODIFIED));
  const links = {
    relative: 'foo.log',
    absolute: join(log, 'foo.log'),
    'out-relative': '../out/file',
    'out-absolute': join(out, 'file'),
    'out-folder': '../out',
    'hidden.log': '../out/file',
    loop: 'loop',
    dangling: 'nothing',
  };
  for (const [name, target] of Object.entries(links)) await symlink(target, join(log, name));
}

async function serve(hasQueries: boolean): Promise<string> {
  const lifetime = createLifetime();
  const ports = {
    hostFiles: createHostFiles(),
    directory: join(folder, 'log'),
    journal: createJournalProgram(`${join(folder, 'bin')}:/usr/bin:/bin`),
  };
  const routes = [nodeLogsRoute(ports, systemClock, { hasQueries })];
  const handler = createServerHandler({ routes, logger: noopLogger, lifetime });
  const server = createServer(handler.options, (message, response) => handler.onRequest(message, response));
  const socket = join(folder, `socket-${String(hasQueries)}`);
  await once(server.listen(socket), 'listening');
  stack.defer(async () => {
    await lifetime[Symbol.asyncDispose]();
    server.closeAllConnections();
    await server[Symbol.asyncDispose]();
  });
  return socket;
}

async function open(
  path: string,
  headers: Readonly<Record<string, string>> = {},
  socketPath = sockets.queries,
): Promise<IncomingMessage> {
  const call = request({ socketPath, path, headers, agent: false });
  call.end();
  const [response] = (await once(call, 'response')) as [IncomingMessage];
  return response;
}

async function requestPath(...args: Parameters<typeof open>): Promise<Answer> {
  const response = await open(...args);
  const chunks: Buffer[] = [];
  for await (const chunk of response as AsyncIterable<Buffer>) chunks.push(chunk);
  return { status: response.statusCode!, headers: response.headers, body: Buffer.concat(chunks) };
}

/** Returns the body of a query that succeeds, and checks that it is text. */
async function logsOf(query: string): Promise<string> {
  const { status, headers, body } = await requestPath(`/logs/?query=${query}`);
  expect([status, headers['content-type']]).toEqual([200, 'text/plain;charset=UTF-8']);
  return body.toString();
}

async function hasEnded(): Promise<boolean> {
  const pid = (await readFile(join(folder, 'bin/pid'), 'utf8')).trim();
  for (let tries = 0; tries < 500; tries += 1) {
    const state = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => undefined);
    if (state === undefined || / Z /.test(state)) return true;
    await sleep(systemClock, 10);
  }
  return false;
}

describe('queries of /logs/', () => {
  it('print the journal of services', async () => {
    expect(await logsOf('kubelet&tailLines=3')).toBe(
      ['--utc', '--no-pager', '--output=short-precise', '--pager-end', '--lines=3', '--unit=kubelet', ''].join('\n'),
    );
    expect(await logsOf('broken')).toBe('cannot read\n');
  });

  it.each([
    ['plain', 'plain\n'],
    ['foo.log', 'one\ntwo\n'],
    ['foo', 'one\ntwo\n'],
    ['service', 'of the service\n'],
    ['both', 'first\n'],
    ['relative', 'one\ntwo\n'],
    ['absolute', 'one\ntwo\n'],
    ['nothing', '\nlog not found for nothing\n'],
    ['empty', '\nlog not found for empty\n'],
    ['dangling', '\nlog not found for dangling\n'],
    ['.', '\nlog not found for .\n'],
    ['..', '\nerror getting log for ..: openat ..: path escapes from parent\n'],
    ['out-relative', '\nerror getting log for out-relative: openat out-relative: path escapes from parent\n'],
    ['out-absolute', '\nerror getting log for out-absolute: openat out-absolute: path escapes from parent\n'],
    ['out-folder', '\nerror getting log for out-folder: openat out-folder: path escapes from parent\n'],
    ['hidden', '\nerror getting log for hidden: openat hidden.log: path escapes from parent\n'],
    ['loop', '\nerror getting log for loop: openat loop: too many levels of symbolic links\n'],
    ['nothing&query=plain&query=dangling', '\nlog not found for nothing\nplain\n\nlog not found for dangling\n'],
  ])('print the files of the service %s', async (query, expected) => {
    expect(await logsOf(query)).toBe(expected);
  });

  it.each(['/foo.log', './foo.log', 'service/../foo.log', './absolute', '//foo.log'])(
    'print the file %s',
    async (path) => {
      const { status, body, headers } = await requestPath(`/logs/?query=${path}`);
      expect([status, body.toString(), headers['last-modified']]).toEqual([200, 'one\ntwo\n', MODIFIED]);
    },
  );

  it.each([
    ['../out/file', 'path escapes from parent'],
    ['/../out/file', 'path escapes from parent'],
    ['./out-absolute', 'path escapes from parent'],
    ['out-folder/file', 'path escapes from parent'],
    ['./loop', 'too many levels of symbolic links'],
    ['./dangling', 'no such file or directory'],
    ['/foo.log/x', 'not a directory'],
    ['/foo.log/', 'not a directory'],
  ])('reject the path %s', async (path, fault) => {
    const { status, body } = await requestPath(`/logs/?query=${path}`);
    expect([status, body.toString()]).toEqual([406, `query: Invalid value: ["${path}"]: statat ${path}: ${fault}\n`]);
  });

  it('list a directory', async () => {
    expect((await requestPath('/logs/?query=service/')).body.toString()).toContain(
      '<a href="service.log">service.log</a>',
    );
  });

  it.each([
    ['/logs/?query=', 400, 'query: Invalid value: [""]: query cannot be empty\n'],
    ['/logs/foo.log?boot=x', 400, 'boot: Invalid value: "x": strconv.Atoi: parsing "x": invalid syntax\n'],
    ['/logs/foo.log?query=kubelet', 406, 'path not allowed in query mode\n'],
    ['/logs/?tailLines=1', 406, 'query: Required value: cannot be empty with options\n'],
  ])('answer %s with %i', async (path, status, message) => {
    const answer = await requestPath(path);
    expect([answer.status, answer.headers['content-type'], answer.body.toString()]).toEqual([
      status,
      'text/plain; charset=utf-8',
      message,
    ]);
  });

  it('compress the answer for clients that accept nothing but gzip', async () => {
    const { headers, body } = await requestPath('/logs/?query=plain&query=foo', { 'accept-encoding': 'gzip' });
    expect([headers['content-encoding'], gunzipSync(body).toString()]).toEqual(['gzip', 'plain\none\ntwo\n']);
    expect((await requestPath('/logs/?query=plain', { 'accept-encoding': 'gzip, br' })).body.toString()).toBe(
      'plain\n',
    );
  });

  it('serve files for parameters that are none of a query', async () => {
    expect((await requestPath('/logs/foo.log?unknown=1&tailLines=')).body.toString()).toBe('one\ntwo\n');
  });

  it('do not exist unless they are switched on', async () => {
    const { status, body } = await requestPath('/logs/foo.log?query=kubelet&boot=x', {}, sockets.files);
    expect([status, body.toString()]).toEqual([200, 'one\ntwo\n']);
  });

  it.each(['identity', 'gzip'])('end the program when a slow reader leaves (%s)', async (encoding) => {
    const response = await open('/logs/?query=stream', { 'accept-encoding': encoding });
    await once(response, 'readable');
    response.read(10);
    await sleep(systemClock, 300);
    // Buffers on the way are small; the program prints gigabytes in this time.
    expect(response.readableLength).toBeLessThan(1024 * 1024);
    response.destroy();
    expect(await hasEnded()).toBe(true);
  });

  it.each(['identity', 'gzip'])('end a program that prints nothing when the client leaves (%s)', async (encoding) => {
    const response = await open('/logs/?query=silent', { 'accept-encoding': encoding });
    await sleep(systemClock, 200);
    response.destroy();
    expect(await hasEnded()).toBe(true);
  });
});

describe('files of /logs/', () => {
  const text = 'text/plain; charset=utf-8';

  it.each([
    ['/logs/foo.log', { status: 200, 'content-type': text, 'content-length': '8', 'accept-ranges': 'bytes' }],
    ['/logs/foo.log/', { status: 301, location: '../foo.log' }],
    ['/logs/foo.log/?a=b', { status: 301, location: '../foo.log?a=b' }],
    ['/logs/service', { status: 301, location: 'service/' }],
    ['/logs/service?a=b', { status: 301, location: 'service/?a=b' }],
    ['/logs/index/', { status: 200, 'content-type': text, body: '<h1>page</h1>\n' }],
    ['/logs/index/index.html', { status: 301, location: './' }],
    ['/logs/foo.log/x', { status: 404, body: '404 page not found\n' }],
    ['/logs/out-absolute', { status: 404, body: '404 page not found\n' }],
    ['/logs/loop', { status: 500, body: '500 Internal Server Error\n' }],
  ])('answer %s', async (path, expected) => {
    const { status, headers, body } = await requestPath(path);
    expect({ status, ...headers, body: body.toString() }).toMatchObject(expected);
  });

  it('list a directory with links as Go writes them', async () => {
    const { headers, body } = await requestPath('/logs/');
    expect(headers['last-modified']).toMatch(/ GMT$/);
    expect(body.toString()).toContain(
      '<pre>\n<a href="./a%20b%21%28c%29:d">a b!(c):d</a>\n<a href="absolute">absolute</a>\n<a href="both/">both/</a>\n',
    );
  });

  it.each([
    ['bytes=0-0', 206, 'bytes 0-0/8', 'o'],
    ['bytes= 4 - 5 ', 206, 'bytes 4-5/8', 'tw'],
    ['bytes=-3', 206, 'bytes 5-7/8', 'wo\n'],
    ['bytes=-99', 206, 'bytes 0-7/8', 'one\ntwo\n'],
    ['bytes=0-0,9-', 206, 'bytes 0-0/8', 'o'],
    ['bytes=0-7,0-0', 200, undefined, 'one\ntwo\n'],
    ['bytes=,', 200, undefined, 'one\ntwo\n'],
    ['bytes=8-', 416, 'bytes */8', 'invalid range: failed to overlap\n'],
    ['bytes=3-1', 416, undefined, 'invalid range\n'],
    ['bytes=x', 416, undefined, 'invalid range\n'],
    ['bytes=-', 416, undefined, 'invalid range\n'],
    ['bytes=0-99999999999999999999', 416, undefined, 'invalid range\n'],
    ['lines=1-2', 416, undefined, 'invalid range\n'],
  ])('answer the range %s', async (range, status, contentRange, body) => {
    const answer = await requestPath('/logs/foo.log', { range });
    expect([answer.status, answer.headers['content-range'], answer.body.toString()]).toEqual([
      status,
      contentRange,
      body,
    ]);
  });

  it('answer several ranges in parts', async () => {
    const { status, headers, body } = await requestPath('/logs/foo.log', { range: 'bytes=0-0,4-' });
    const boundary = /^multipart\/byteranges; boundary=([0-9a-f]{60})$/.exec(headers['content-type']!)![1]!;
    const part = (range: string, content: string): string =>
      `--${boundary}\r\nContent-Range: bytes ${range}/8\r\nContent-Type: ${text}\r\n\r\n${content}\r\n`;
    expect([status, body.toString()]).toEqual([206, `${part('0-0', 'o')}${part('4-7', 'two\n')}--${boundary}--\r\n`]);
    expect(headers['content-length']).toBe(String(body.length));
  });

  const EARLIER = 'Thu, 02 Jan 2025 03:04:04 GMT';
  const LATER = 'Thu, 02 Jan 2025 03:04:06 GMT';
  it.each([
    [{ 'if-modified-since': MODIFIED }, 304],
    [{ 'if-modified-since': LATER }, 304],
    [{ 'if-modified-since': EARLIER }, 200],
    [{ 'if-modified-since': 'yesterday' }, 200],
    [{ 'if-unmodified-since': MODIFIED }, 200],
    [{ 'if-unmodified-since': EARLIER }, 412],
    [{ 'if-none-match': '"x", *' }, 304],
    [{ 'if-none-match': '"x"', 'if-modified-since': MODIFIED }, 200],
    [{ 'if-match': '*' }, 200],
    [{ 'if-match': '"x"' }, 412],
    [{ 'if-match': '"x"', 'if-unmodified-since': LATER }, 412],
    [{ range: 'bytes=0-0', 'if-range': MODIFIED }, 206],
    [{ range: 'bytes=0-0', 'if-range': LATER }, 200],
    [{ range: 'bytes=0-0', 'if-range': '"x"' }, 200],
  ])('answer the conditions %j', async (headers, status) => {
    const answer = await requestPath('/logs/foo.log', headers);
    expect([answer.status, answer.headers['last-modified']]).toEqual([status, MODIFIED]);
  });

  it('do not list a directory again that has not changed', async () => {
    const { headers } = await requestPath('/logs/');
    const answer = await requestPath('/logs/', { 'if-modified-since': headers['last-modified']! });
    expect([answer.status, answer.headers['content-length']]).toEqual([304, undefined]);
  });
});
