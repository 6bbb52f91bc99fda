import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { answerText } from '../http/answer.ts';
import { headerList } from '../http/header-list.ts';
import { PORT_FORWARD } from '../port-forward.ts';
import { V1, V2, V3, V4 } from '../remote-command.ts';
import type { StreamKind } from '../stream-request.ts';

const COMMAND_PROTOCOLS = [V4, V3, V2, V1];

/** Protocols of each kind of stream over SPDY. */
const PROTOCOLS: Readonly<Record<StreamKind, readonly string[]>> = {
  exec: COMMAND_PROTOCOLS,
  attach: COMMAND_PROTOCOLS,
  portforward: [PORT_FORWARD],
};

/**
 * Upgrades a connection to SPDY with the first protocol of the client's offer that the server has. Without one in common the request is rejected, as by the streaming
 * server that runtimes share.
 * @returns the protocol; `undefined` after a rejection
 */
export function acceptSpdy(
  kind: StreamKind,
  message: IncomingMessage,
  connection: Duplex,
  head: Buffer,
): string | undefined {
  const offered = headerList(message.headers['x-stream-protocol-version']);
  if (offered.length === 0) {
    answerText(connection, 400, 'unable to upgrade: X-Stream-Protocol-Version is required');
    return undefined;
  }
  const known = PROTOCOLS[kind];
  const protocol = offered.find((name) => known.includes(name));
  if (protocol === undefined) {
    answerText(
      connection,
      403,
      `unable to upgrade: unable to negotiate protocol: client supports [${offered.join(' ')}], server accepts [${known.join(' ')}]`,
      known.map((name) => `X-Accepted-Stream-Protocol-Versions: ${name}`),
    );
    return undefined;
  }
  if (message.headers.upgrade?.toLowerCase().includes('spdy/3.1') !== true) {
    answerText(connection, 400, 'unable to upgrade: missing upgrade headers in request');
    return undefined;
  }
  const answer = ['HTTP/1.1 101 Switching Protocols', 'Connection: Upgrade', 'Upgrade: SPDY/3.1'];
  connection.write([...answer, `X-Stream-Protocol-Version: ${protocol}`, '', ''].join('\r\n'));
  if (head.length > 0) connection.unshift(head);
  return protocol;
}
