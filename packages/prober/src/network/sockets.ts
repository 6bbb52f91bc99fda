import type { Socket } from 'node:net';
import { transportErrorText } from '@rxlet/component-base/http';
import { DialError } from './probe-network.ts';

/** The error of a connection that could not be made. */
export function dialError(error: Error, hostname: string, port: number): DialError {
  return new DialError(transportErrorText(error, hostname, port), { cause: error });
}

/** Closes a socket with a reset, which leaves no port in TIME_WAIT behind. (A connection that is being made a reset would let live on.) */
export function closeNow(socket: Socket): void {
  if (socket.connecting || socket.destroyed) socket.destroy();
  else socket.resetAndDestroy();
}
