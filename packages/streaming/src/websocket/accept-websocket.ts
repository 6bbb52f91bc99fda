import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { type WebSocket, WebSocketServer } from 'ws';
import { answerBare } from '../http/answer.ts';

/** Maximum size of a client's message, as in the library of the kubelet; kubectl sends 32 KiB at most. */
const MAX_MESSAGE_BYTES = 32 * 1024 * 1024;

const servers = new Map<string, WebSocketServer>();

/**
 * Upgrades a connection to a WebSocket with `protocol`. An empty protocol is answered by an empty header, as clients without an offer get it. A request that is no
 * handshake, or has no protocol in common, is rejected as the kubelet does it.
 * @returns whether it was accepted; `onOpen` has been called then
 */
export function acceptWebSocket(
  message: IncomingMessage,
  connection: Duplex,
  head: Buffer,
  protocol: string | undefined,
  onOpen: (webSocket: WebSocket) => void,
): boolean {
  const failure = handshakeFailure(message);
  if (failure !== undefined) {
    answerBare(connection, failure.status, failure.headers, failure.body);
    return false;
  }
  if (protocol === undefined) {
    answerBare(connection, 403);
    return false;
  }
  // The library takes no name with a slash.
  delete message.headers['sec-websocket-protocol'];
  let isOpen = false;
  serverOf(protocol).handleUpgrade(message, connection, head, (webSocket) => {
    isOpen = true;
    onOpen(webSocket);
  });
  return isOpen;
}

/** Returns the server that announces a protocol. There are as many as protocols. */
function serverOf(protocol: string): WebSocketServer {
  let server = servers.get(protocol);
  if (server === undefined) {
    server = new WebSocketServer({
      noServer: true,
      clientTracking: false,
      perMessageDeflate: false,
      maxPayload: MAX_MESSAGE_BYTES,
      skipUTF8Validation: true,
    });
    server.on('headers', (headers) => headers.push(`Sec-WebSocket-Protocol: ${protocol}`));
    servers.set(protocol, server);
  }
  return server;
}

interface HandshakeFailure {
  readonly status: number;
  readonly headers?: readonly string[];
  readonly body: string;
}

function handshakeFailure({ method, headers }: IncomingMessage): HandshakeFailure | undefined {
  if (method !== 'GET') return { status: 405, body: 'bad method' };
  if ((headers['sec-websocket-key'] ?? '') === '') return { status: 400, body: 'mismatch challenge/response' };
  if (headers['sec-websocket-version'] !== '13') {
    return { status: 400, headers: ['Sec-WebSocket-Version: 13'], body: 'missing or bad WebSocket Version' };
  }
  return undefined;
}
