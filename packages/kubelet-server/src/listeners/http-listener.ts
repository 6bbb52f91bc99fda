import { httpModule } from '@rxlet/component-base/http-module';
import type { ConnectionLimits } from './connection-limits.ts';
import { createListener, type Listener, type ListenerPorts, listenOnAddress, type Served } from './serve.ts';

/** Creates a {@link Listener} for HTTP without encryption. */
export function createHttpListener(
  ports: ListenerPorts,
  served: Served,
  { address, port, limits }: { readonly address: string; readonly port: number; readonly limits: ConnectionLimits },
): Listener {
  return createListener(ports, served, limits, httpModule.createServer, (server) =>
    listenOnAddress(server, address, port),
  );
}
