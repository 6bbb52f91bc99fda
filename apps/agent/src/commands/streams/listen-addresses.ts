import { createServer, isIPv4, isIPv6, type AddressInfo, type Server, type Socket } from 'node:net';
import { errorMessage } from '@rxlet/component-base';
import { UsageError } from '../../config/config-error.ts';

/** An address to listen on. Of `localhost`, either family may be missing on the machine. */
export interface ListenAddress {
  readonly host: string;
  readonly isOptional: boolean;
}

/**
 * Parses the addresses of `--address`: IP addresses, or `localhost` for both loopback addresses.
 * @throws UsageError for anything else
 */
export function parseAddresses(list: string): readonly ListenAddress[] {
  const addresses = new Map<string, ListenAddress>();
  for (const host of list.split(',')) {
    if (host === 'localhost') {
      for (const each of ['127.0.0.1', '::1']) {
        if (!addresses.has(each)) addresses.set(each, { host: each, isOptional: true });
      }
    } else if (isIPv4(host) || isIPv6(host)) {
      addresses.set(host, { host, isOptional: false });
    } else {
      throw new UsageError(`${host} is not a valid IP`);
    }
  }
  return [...addresses.values()];
}

/** Sockets that listen for local connections to one port of a pod. */
export interface Listeners extends AsyncDisposable {
  /** `address:port` of each. */
  readonly bound: readonly string[];
}

/** Listens on a port of all addresses; with port 0 on the one that the first address gets. Rejects when an address that is not optional, or none, can be used. */
export async function listenOnAddresses(
  addresses: readonly ListenAddress[],
  wantedPort: number,
  accept: (socket: Socket, port: number) => void,
): Promise<Listeners> {
  const servers: Server[] = [];
  const errors: string[] = [];
  let port = wantedPort;
  const close = async (): Promise<void> => {
    await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
  };
  for (const { host, isOptional } of addresses) {
    const server = createServer({ allowHalfOpen: true, noDelay: true }, (socket) => accept(socket, port));
    try {
      await listen(server, host, port);
      ({ port } = server.address() as AddressInfo);
      servers.push(server);
    } catch (error) {
      errors.push(errorMessage(error));
      if (isOptional) continue;
      await close();
      throw new Error(errors.join(', '), { cause: error });
    }
  }
  if (servers.length === 0) throw new Error(errors.join(', '));
  return {
    bound: servers.map((server) => {
      const { address, port: boundPort } = server.address() as AddressInfo;
      return `${isIPv6(address) ? `[${address}]` : address}:${String(boundPort)}`;
    }),
    [Symbol.asyncDispose]: close,
  };
}

function listen(server: Server, host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen({ host, port, ipv6Only: true }, () => {
      server.off('error', reject);
      resolve();
    });
  });
}
