import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { requestUpgrade, type UpgradedConnection } from '../client/request-upgrade.ts';
import { joinConnections } from '../join-connections.ts';
import { answerFailure, headerLines } from './relay-answer.ts';
import type { ProxyPorts, StreamTarget, UpgradeRequest } from './upgrade.ts';

/** Headers that are not for the runtime: credentials for this node, and the length of a body, which an upgrade does not have. */
const DROPPED_HEADERS: ReadonlySet<string> = new Set([
  'authorization',
  'cookie',
  'content-length',
  'transfer-encoding',
]);

/** Passes a request to the runtime with all its headers, and everything that follows in both directions. When one side ends, the other one is closed. */
export async function passThrough(
  { message, connection, head }: UpgradeRequest,
  { url }: StreamTarget,
  ports: ProxyPorts,
): Promise<void> {
  let upgraded: UpgradedConnection;
  try {
    const call = { url, method: message.method ?? 'GET', headers: forwardedHeaders(message), isBulk: true };
    upgraded = await requestUpgrade(call, { ...ports, signal: endOf(connection, ports.signal) });
  } catch (error) {
    await answerFailure(connection, ports.clock, error);
    return;
  }
  const { answer, connection: runtime, reads } = upgraded;
  connection.write(['HTTP/1.1 101 Switching Protocols', ...headerLines(answer), '', ''].join('\r\n'));
  if (head.length > 0) runtime.write(head);
  await joinConnections(connection, runtime, ports, reads);
}

/** Returns a signal that aborts when the client disconnects or the server stops. */
export function endOf(connection: Duplex, signal: AbortSignal): AbortSignal {
  const left = new AbortController();
  const leave = (): void => left.abort(new Error('the client has disconnected'));
  if (connection.destroyed) leave();
  else connection.once('close', leave);
  return AbortSignal.any([left.signal, signal]);
}

function forwardedHeaders({ method, rawHeaders, socket }: IncomingMessage): readonly string[] {
  const headers: string[] = method === 'GET' ? [] : ['Content-Length', '0'];
  const forwardedFor: string[] = [];
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const [name, value] = [rawHeaders[index]!, rawHeaders[index + 1]!];
    if (name.toLowerCase() === 'x-forwarded-for') forwardedFor.push(value);
    else if (!DROPPED_HEADERS.has(name.toLowerCase())) headers.push(name, value);
  }
  if (socket.remoteAddress !== undefined) forwardedFor.push(socket.remoteAddress);
  return forwardedFor.length === 0 ? headers : [...headers, 'X-Forwarded-For', forwardedFor.join(', ')];
}
