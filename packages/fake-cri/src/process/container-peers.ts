import { FileError } from '../fs/file-system.ts';
import type { HostFiles } from '../fs/host-files.ts';
import { HOST_IP } from '../network/pod-network.ts';
import type { Container } from '../runtime-objects.ts';
import type { RuntimeState } from '../runtime-state.ts';
import { usesHostNetwork } from '../sandbox.ts';
import type { Peers } from './process-environment.ts';

/** Returns the access of a container's programs to other pods by address, and to their own pod as `localhost`. */
export function peersOf({ network, sandboxes, hostFiles }: RuntimeState, { sandbox }: Container): Peers {
  const ownNames = (): string[] => ['localhost', '127.0.0.1', sandbox.config.hostname, sandbox.hostname];
  const addressOf = (host: string): string => (ownNames().includes(host) ? (sandbox.ip ?? HOST_IP) : host);
  return {
    async httpGet(host, port, path, signal) {
      const { status, body = '' } = await network.httpGet(addressOf(host), port, path, { signal });
      return { status, body };
    },
    async connect(host, port) {
      const connection = await network.dial(addressOf(host), port);
      connection.destroy();
    },
    isReachable: (host) => ownNames().includes(host) || [...sandboxes.values()].some(({ ip }) => ip === host),
    listening() {
      const ip = sandbox.ip ?? HOST_IP;
      const ofPods = network.portsOf(ip).map((port) => `${ip}:${String(port)}`);
      return usesHostNetwork(sandbox.config) ? [...new Set([...ofPods, ...socketsOfHost(hostFiles)])] : ofPods;
    },
  };
}

/** Returns the listening TCP sockets of the host, if the runtime may read them. */
function socketsOfHost(hostFiles: HostFiles): string[] {
  return ['/tcp', '/tcp6'].flatMap((file) => {
    try {
      return listeningSockets(hostFiles.open('/proc/net').read(file));
    } catch (error) {
      if (error instanceof FileError) return [];
      throw error;
    }
  });
}

/** State of a listening socket in `/proc/net/tcp`. */
const LISTENING = '0A';

/** Parses `/proc/net/tcp` and `tcp6`: addresses are hexadecimal, IPv4 ones in the order of the machine's bytes. */
function listeningSockets(table: string): string[] {
  return table.split('\n').flatMap((line) => {
    const [, local = '', , state] = line.trim().split(/\s+/);
    const [address = '', port = ''] = local.split(':');
    if (state !== LISTENING || port === '') return [];
    const bytes = address.length === 8 ? (address.match(/../g) ?? []).reverse() : [];
    const host = bytes.length === 0 ? '::' : bytes.map((byte) => Number.parseInt(byte, 16)).join('.');
    return [`${host}:${String(Number.parseInt(port, 16))}`];
  });
}
