import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import type { Clock, Logger } from '@rxlet/component-base';

/** Bound on the open connections of a server. */
export interface ConnectionLimit {
  /** Whether the connection was accepted while too many others were open: its request must be answered with status 503. */
  isExceededBy(socket: Socket): boolean;
}

/** Pause between two warnings about rejected connections. */
const WARNING_PERIOD_MS = 60_000;

/**
 * Counts the connections of `server`. A connection beyond `maxConnections` is accepted, so that its client gets a complete answer with the reason; beyond
 * twice as many, connections are closed unanswered. Rejections are logged at most once a minute, with their number.
 */
export function limitConnections(
  server: Server,
  { clock, logger }: { readonly clock: Clock; readonly logger: Logger },
  maxConnections: number,
): ConnectionLimit {
  const excess = new WeakSet<Socket>();
  let open = 0;
  let rejected = 0;
  let lastWarningMs = -Infinity;
  const reject = (): void => {
    rejected += 1;
    const nowMs = clock.monotonicNow();
    if (nowMs - lastWarningMs < WARNING_PERIOD_MS) return;
    logger.warn('rejected connections: too many are open', { maxConnections, rejected });
    lastWarningMs = nowMs;
    rejected = 0;
  };
  server.maxConnections = 2 * maxConnections;
  server.on('drop', reject);
  server.on('connection', (socket: Socket) => {
    open += 1;
    socket.once('close', () => (open -= 1));
    if (open <= maxConnections) return;
    excess.add(socket);
    reject();
  });
  return { isExceededBy: (socket) => excess.has(socket) };
}
