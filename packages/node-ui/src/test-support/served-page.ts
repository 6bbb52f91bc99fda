import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type IncomingHttpHeaders, type IncomingMessage, request } from 'node:http';
import type { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { seededRandom, systemClock } from '@rxlet/component-base';
import { openPageFiles } from '../files/page-files.ts';
import { createPageServer } from '../server/page-server.ts';

/** An answer as a client gets it. */
export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** A page server in front of an agent that only records what reaches it. It ends commands at once, except those with the query `stays`. */
export interface ServedPage extends AsyncDisposable {
  readonly port: number;
  readonly origin: string;
  readonly secret: string;
  /** Targets of the requests that reached the agent. */
  readonly reached: string[];
  /** Sends a request; header fields are sent as they are given. */
  send(method: string, path: string, headers?: Readonly<Record<string, string>>, body?: string): Promise<Answer>;
  /** Opens the session as the page does. */
  open(): Promise<{ readonly cookie: string; readonly token: string }>;
  /** Sends a request for a WebSocket. Resolves with the status of the answer. */
  upgrade(path: string, headers: Readonly<Record<string, string>>): Promise<number>;
}

/** Starts a {@link ServedPage}. */
export async function servePage({ allowsExec = false }: { readonly allowsExec?: boolean } = {}): Promise<ServedPage> {
  const folder = await mkdtemp(join(tmpdir(), 'rxlet-page-'));
  const reached: string[] = [];
  const agent = createServer((message, response) => {
    reached.push(message.url!);
    response.setHeader('content-type', 'text/html');
    response.setHeader('set-cookie', 'agent=1');
    response.setHeader('access-control-allow-origin', '*');
    response.end(`answer of ${message.url!}`);
  });
  agent.on('upgrade', (message: IncomingMessage, socket: Socket) => {
    reached.push(message.url!);
    socket.on('error', () => undefined);
    socket.write('HTTP/1.1 101 Switching Protocols\r\nupgrade: websocket\r\nconnection: Upgrade\r\n\r\n');
    if (message.url!.endsWith('?stays')) socket.resume().once('end', () => socket.end());
    else socket.end();
  });
  const socketPath = join(folder, 'agent.sock');
  await new Promise<void>((resolve) => agent.listen(socketPath, resolve));
  const pages = join(folder, 'static');
  await mkdir(join(pages, 'assets'), { recursive: true });
  await writeFile(join(pages, 'index.html'), '<!doctype html><title>page</title>');
  await writeFile(join(pages, 'assets', 'app.js'), '// a script that gets smaller\n'.repeat(100));
  const server = createPageServer(
    { files: await openPageFiles(pages), clock: systemClock, random: seededRandom(1) },
    { socketPath, allowsExec },
  );
  const url = new URL(await server.start());
  const port = Number(url.port);
  const origin = url.origin;
  const secret = url.hash.replace('#secret=', '');
  const send: ServedPage['send'] = (method, path, headers = {}, body = '') =>
    new Promise((resolve, reject) => {
      const call = request({
        host: '127.0.0.1',
        port,
        method,
        path,
        agent: false,
        headers,
        setHost: !('host' in headers),
      });
      call.once('error', reject);
      call.once('response', (response) => {
        let text = '';
        response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
        response.once('end', () => resolve({ status: response.statusCode!, headers: response.headers, body: text }));
      });
      call.end(body);
    });
  return {
    port,
    origin,
    secret,
    reached,
    send,
    async open() {
      const headers = { origin, 'content-type': 'application/json' };
      const answer = await send('POST', '/ui/session', headers, JSON.stringify({ secret }));
      const [cookie = ''] = answer.headers['set-cookie'] ?? [];
      return { cookie: cookie.split(';')[0]!, token: (JSON.parse(answer.body) as { token: string }).token };
    },
    upgrade: (path, headers) =>
      new Promise((resolve, reject) => {
        const call = request({
          host: '127.0.0.1',
          port,
          path,
          agent: false,
          headers: {
            connection: 'Upgrade',
            upgrade: 'websocket',
            'sec-websocket-key': 'AAAAAAAAAAAAAAAAAAAAAA==',
            'sec-websocket-version': '13',
            ...headers,
          },
        });
        call.once('error', reject);
        call.once('response', (response) => resolve(response.resume().statusCode!));
        call.once('upgrade', (response, socket) => {
          socket.destroy();
          resolve(response.statusCode!);
        });
        call.end();
      }),
    async [Symbol.asyncDispose]() {
      await server[Symbol.asyncDispose]();
      agent.closeAllConnections();
      await new Promise((resolve) => agent.close(resolve));
      await rm(folder, { recursive: true, force: true });
    },
  };
}
