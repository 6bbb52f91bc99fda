import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { errorMessage } from '@rxlet/component-base';
import { httpModule } from '@rxlet/component-base/http-module';
import { DATA_HEADERS } from '../files/page-headers.ts';
import { sendText } from './send-text.ts';

/** Endpoints of the agent that the page reads. All others stay out of its reach. */
const READABLE: readonly RegExp[] = [
  /^\/ui\/(?:stream|node|inside)$/,
  /^\/ui\/pods\/[^/]+\/[^/]+$/,
  /^\/explain(?:\/[^/]+\/[^/]+)?$/,
  /^\/journal(?:\/[^/]+\/[^/]+)?$/,
  /^\/containerLogs\/[^/]+\/[^/]+\/[^/]+$/,
  /^\/stats\/(?:summary|history)$/,
  /^\/metrics$/,
];
/** Endpoint of terminals. */
const EXEC = /^\/exec\/[^/]+\/[^/]+\/[^/]+$/;
/** Protocol of streams of commands over WebSockets, as of kubectl. */
export const COMMAND_PROTOCOL = 'v5.channel.k8s.io';

/** Reports whether the page may read an endpoint. `path` is escaped, as in the request. */
export function isReadable(path: string): boolean {
  return READABLE.some((pattern) => pattern.test(path)) && !leadsElsewhere(path);
}

/** Reports whether a path is that of a command in a container. */
export function isExec(path: string): boolean {
  return EXEC.test(path) && !leadsElsewhere(path);
}

/** Reports whether a server that decodes the path could see another one. */
function leadsElsewhere(path: string): boolean {
  return path.split('/').some((segment) => /^(?:\.|%2e){1,2}$|%2f|%5c|\\/i.test(segment));
}

/** Passes a GET request on to the agent's socket, and its answer back, no faster than the browser reads. */
export async function proxyRequest(
  socketPath: string,
  target: string,
  message: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const left = new AbortController();
  response.once('close', () => left.abort(new Error('the browser went away')));
  let answer: IncomingMessage;
  try {
    answer = await request(socketPath, target, { accept: message.headers.accept ?? '*/*' }, left.signal);
  } catch (error) {
    if (!response.destroyed) sendText(response, 502, unreachable(error));
    return;
  }
  const { statusCode = 502, headers } = answer;
  response.writeHead(statusCode, {
    ...DATA_HEADERS,
    'content-type': headers['content-type'] ?? 'application/octet-stream',
    ...(headers['content-length'] !== undefined && { 'content-length': headers['content-length'] }),
  });
  response.flushHeaders();
  // A cut of either side ends the other one.
  await pipeline(answer, response).catch(() => response.destroy());
}

function request(
  socketPath: string,
  path: string,
  headers: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const call = httpModule.request({ socketPath, path, headers, agent: false, signal }, resolve);
    call.once('error', reject);
    call.end();
  });
}

/** Passes a WebSocket for a command on to the agent's socket. */
export function proxyCommand(
  socketPath: string,
  target: string,
  message: IncomingMessage,
  browser: Duplex,
  head: Buffer,
): void {
  const { 'sec-websocket-key': key = '', 'sec-websocket-version': version = '' } = message.headers;
  const call = httpModule.request({
    socketPath,
    path: target,
    agent: false,
    headers: {
      connection: 'Upgrade',
      upgrade: 'websocket',
      'sec-websocket-key': key,
      'sec-websocket-version': version,
      'sec-websocket-protocol': COMMAND_PROTOCOL,
    },
  });
  browser.once('close', () => call.destroy());
  call.once('error', (error) => rejectUpgrade(browser, 502, unreachable(error)));
  call.once('response', (answer) => {
    answer.resume();
    rejectUpgrade(browser, answer.statusCode ?? 502, 'the agent rejects the command');
  });
  call.once('upgrade', (answer: IncomingMessage, agent: Socket, agentHead: Buffer) => {
    const lines = ['upgrade', 'connection', 'sec-websocket-accept', 'sec-websocket-protocol'].flatMap((name) => {
      const value = answer.headers[name];
      return typeof value === 'string' ? [`${name}: ${value}`] : [];
    });
    browser.write(`HTTP/1.1 101 Switching Protocols\r\n${lines.join('\r\n')}\r\n\r\n`);
    browser.write(agentHead);
    agent.write(head);
    const end = (): void => {
      browser.destroy();
      agent.destroy();
    };
    pipeline(browser, agent)
      .catch(() => undefined)
      .finally(end);
    pipeline(agent, browser)
      .catch(() => undefined)
      .finally(end);
  });
  call.end();
}

/** Answers a request for an upgrade that is rejected, and closes its connection. */
export function rejectUpgrade(connection: Duplex, status: number, text: string): void {
  if (connection.destroyed) return;
  const reason = httpModule.STATUS_CODES[status] ?? 'Error';
  connection.end(
    `HTTP/1.1 ${String(status)} ${reason}\r\nconnection: close\r\ncontent-type: text/plain; charset=utf-8\r\ncontent-length: ${String(Buffer.byteLength(text))}\r\n\r\n${text}`,
  );
  // The client may keep its end open.
  connection.once('finish', () => connection.destroy());
}

function unreachable(error: unknown): string {
  return `the agent does not answer: ${errorMessage(error)}\n`;
}
