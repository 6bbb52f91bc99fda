import { isIP, isIPv4, SocketAddress } from 'node:net';

/** Returns the canonical form of an address; `undefined` for an invalid or link-scoped one. */
export function canonicalIp(text: string): string | undefined {
  if (text.includes(':')) return canonicalIpv6(text);
  // Runtimes may pad IPv4 addresses with zeros.
  const withoutZeros = text.replace(/(?<![^.])0+(?=\d)/g, '');
  return isIPv4(withoutZeros) ? withoutZeros : undefined;
}

/** Parses by the system's own function: that of `isIPv6` is a regular expression whose compilation takes longer than the start of a pod. */
function canonicalIpv6(text: string): string | undefined {
  // No zone, and no NUL, at which that function ends.
  if (!/^[0-9a-f:.]+$/i.test(text)) return undefined;
  let address: string;
  try {
    ({ address } = new SocketAddress({ address: text, family: 'ipv6' }));
  } catch {
    return undefined;
  }
  const mapped = address.startsWith('::ffff:') ? address.slice('::ffff:'.length) : '';
  return isIPv4(mapped) ? mapped : address;
}

/**
 * Returns the IPs of a pod for its status: at most one of each family, that of `primaryIp` (the first address of the node; default IPv4) first. Invalid IPs are left
 * out.
 */
export function sortPodIps(ips: readonly string[], primaryIp?: string): readonly string[] {
  const isPrimaryV6 = primaryIp?.includes(':') === true;
  const valid = ips.map(canonicalIp).filter((ip) => ip !== undefined);
  const primary = valid.find((ip) => ip.includes(':') === isPrimaryV6);
  const secondary = valid.find((ip) => ip.includes(':') !== isPrimaryV6);
  return [primary, secondary].filter((ip) => ip !== undefined);
}

/**
 * Returns the IPs of a pod in the host network. A pod without an IP gets the IPs of the node. A pod with an IP keeps it, and gets the second IP of the node if that
 * is of the other family.
 */
export function hostNetworkPodIps(podIps: readonly string[], hostIps: readonly string[]): readonly string[] {
  const [primary, secondary] = hostIps;
  if (primary === undefined) return podIps;
  const ips = podIps.length === 0 ? [primary] : podIps;
  if (secondary === undefined || ips.length !== 1 || isIP(ips[0] ?? '') === isIP(secondary)) return ips;
  return [...ips, secondary];
}
