import { isIP, SocketAddress } from 'node:net';

/** The address in the form Kubernetes prints, or undefined when it is none, or one of a single link. */
function canonicalIp(text: string): string | undefined {
  // Runtimes may fill up IPv4 addresses with zeros.
  const withoutZeros = text.replace(/(?<![^.])0+(?=\d)/g, '');
  if (isIP(withoutZeros) === 4) return withoutZeros;
  if (isIP(text) !== 6 || text.includes('%')) return undefined;
  const address = new SocketAddress({ address: text, family: 'ipv6' }).address;
  const mapped = address.startsWith('::ffff:') ? address.slice('::ffff:'.length) : '';
  return isIP(mapped) === 4 ? mapped : address;
}

/**
 * A pod's IPs as its status lists them: at most one of each family, the family of `primaryIp` (the node's first address; IPv4 without one) first.
 * What is not an IP is left out.
 */
export function sortPodIps(ips: readonly string[], primaryIp?: string): readonly string[] {
  const primaryFamily = isIP(primaryIp ?? '') === 6 ? 6 : 4;
  const valid = ips.map(canonicalIp).filter((ip) => ip !== undefined);
  const primary = valid.find((ip) => isIP(ip) === primaryFamily);
  const secondary = valid.find((ip) => isIP(ip) !== primaryFamily);
  return [primary, secondary].filter((ip) => ip !== undefined);
}

/**
 * The IPs of a pod that shares the node's network: the node's, once it has none of its own. One that has an IP keeps it, and gets the node's second
 * address added when that is of the other family.
 */
export function hostNetworkPodIps(podIps: readonly string[], hostIps: readonly string[]): readonly string[] {
  const [primary, secondary] = hostIps;
  if (primary === undefined) return podIps;
  const ips = podIps.length === 0 ? [primary] : podIps;
  if (secondary === undefined || ips.length !== 1 || isIP(ips[0] ?? '') === isIP(secondary)) return ips;
  return [...ips, secondary];
}
