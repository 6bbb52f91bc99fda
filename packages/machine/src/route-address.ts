import type { NetworkInterfaceInfo } from 'node:os';
import { canonicalIp } from '@rxlet/pod-model';

type Family = NetworkInterfaceInfo['family'];

/** Network interfaces of a machine by name, as Node.js has them. */
export type NetworkInterfaces = Readonly<Record<string, readonly NetworkInterfaceInfo[] | undefined>>;

/**
 * Returns the address by which other machines reach this one over the interface of its default route; `undefined` without a route. Where interfaces have link-local
 * addresses only (RFC 5549), the machine has its address on the loopback interface.
 *
 * @param attached address of the interface that Node.js leaves out, as of one without carrier
 */
export function routeAddress(
  interfaces: NetworkInterfaces,
  device: string | undefined,
  family: Family,
  attached: string | undefined,
): string | undefined {
  if (device === undefined) return undefined;
  return interfaceAddress(interfaces[device] ?? [], family) ?? attached ?? loopbackAddress(interfaces, family);
}

/** Returns the first global address of an interface. An address with a scope is link-local: other machines cannot use it. */
function interfaceAddress(addresses: readonly NetworkInterfaceInfo[], family: Family): string | undefined {
  const found = addresses.find((each) => each.family === family && !each.internal && !each.scopeid);
  return found === undefined ? undefined : canonicalIp(found.address);
}

function loopbackAddress(interfaces: NetworkInterfaces, family: Family): string | undefined {
  const found = Object.values(interfaces)
    .flatMap((list) => list ?? [])
    .find((each) => each.internal && each.family === family && !each.scopeid && !isLocal(each.address));
  return found === undefined ? undefined : canonicalIp(found.address);
}

function isLocal(address: string): boolean {
  return /^(?:127\.|169\.254\.|::1$)/.test(address);
}
