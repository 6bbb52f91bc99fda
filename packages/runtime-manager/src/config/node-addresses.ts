import type { Node } from '@rxlet/kube-api';
import { canonicalIp } from '@rxlet/pod-model';

/**
 * Returns the addresses of a node that pods see as those of their host: the first internal address, else the first external one, and the first of the other
 * family. Empty for a node without such an address.
 */
export function nodeHostIps(node: Node): readonly string[] {
  const addresses = node.status?.addresses ?? [];
  const ips = ['InternalIP', 'ExternalIP']
    .flatMap((wanted) => addresses.filter(({ type }) => type === wanted))
    .map(({ address }) => canonicalIp(address))
    .filter((ip) => ip !== undefined);
  const [primary] = ips;
  if (primary === undefined) return [];
  const secondary = ips.find((ip) => ip.includes(':') !== primary.includes(':'));
  return secondary === undefined ? [primary] : [primary, secondary];
}
