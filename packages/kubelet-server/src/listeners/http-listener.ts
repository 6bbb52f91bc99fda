import { httpModule } from '@rxlet/component-base/http-module';
import { createListener, type Listener, type ListenerPorts, listenOnAddress, type Served } from './serve.ts';

/** Creates a {@link Listener} for HTTP without encryption. */
export function createHttpListener(
  ports: ListenerPorts,
  served: Served,
  {
    address,
    port,
    maxConnections,
  }: { readonly address: string; readonly port: number; readonly maxConnections: number },
): Listener {
  return createListener(ports, served, maxConnections, httpModule.createServer, (server) =>
    listenOnAddress(server, address, port),
  );
}
