import type { Socket } from 'node:net';
import { transportErrorText } from '@rxlet/component-base/http';
import { DialError } from './probe-network.ts';

/** Returns the error of a connection that could not be opened. */
export function dialError(error: Error, hostname: string, port: number): DialError {
  return new DialError(transportErrorText(error, hostname, port), { cause: error });
}

/** Closes a socket with a reset, which leaves no port in TIME_WAIT. A reset would not end a connection that is still being opened. */
export function closeNow(socket: Socket): void {
  if (socket.connecting || socket.destroyed) socket.destroy();
  else socket.resetAndDestroy();
}
