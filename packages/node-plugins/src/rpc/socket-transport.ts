import { connectToPlugin } from './plugin-connection.ts';
import type { Transport } from './transport.ts';

/** Creates the transport over unix sockets. Each call has a connection of its own, so that nothing survives a restart of the plugin. */
export function createSocketTransport(): Transport {
  return async (socketPath, method, request, signal) => {
    signal.throwIfAborted();
    using connection = connectToPlugin(socketPath);
    return await connection.call(method, request, signal);
  };
}
