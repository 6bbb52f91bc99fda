import { createServer } from 'node:net';
import type { Duplex } from 'node:stream';

/** Maximum number of connections to one port; further ones are closed. */
const MAX_CONNECTIONS = 1000;

/** A TCP port that listens on this machine. */
export interface LoopbackListener {
  /** Settles when it listens, or after `onError` was called because it cannot. */
  readonly listening: Promise<void>;
  /** Stops listening at once; open connections belong to their service. Resolves when the port is free. */
  close(): Promise<void>;
}

/** Listens on an address of 127.0.0.0/8. `onError` receives the error of the operating system, such as EADDRINUSE. */
export function listenOnLoopback(
  ip: string,
  port: number,
  accept: (connection: Duplex) => void,
  onError: (error: Error) => void,
): LoopbackListener {
  const server = createServer({ allowHalfOpen: true, noDelay: true }, accept);
  server.maxConnections = MAX_CONNECTIONS;
  const { promise: listening, resolve } = Promise.withResolvers<void>();
  const { promise: closed, resolve: onClosed } = Promise.withResolvers<void>();
  let open = true;
  let failed = false;
  server.on('listening', () => {
    // It was closed before it could listen.
    if (!open) server.close();
    resolve();
  });
  server.on('error', (error) => {
    failed = true;
    if (open) onError(error);
    resolve();
  });
  server.on('close', onClosed);
  server.listen(port, ip);
  return {
    listening,
    async close() {
      open = false;
      if (server.listening) server.close();
      await listening;
      if (!failed) await closed;
    },
  };
}
