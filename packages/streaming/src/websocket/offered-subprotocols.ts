import type { IncomingMessage } from 'node:http';
import { headerList } from '../http/header-list.ts';

/** Returns the subprotocols that a client of a WebSocket offers, in its order. */
export function offeredSubprotocols({ headers }: Pick<IncomingMessage, 'headers'>): readonly string[] {
  return headerList(headers['sec-websocket-protocol']);
}
