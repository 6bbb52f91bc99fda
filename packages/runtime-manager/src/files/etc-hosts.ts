import type { HostAlias, Pod } from '@rxlet/kube-api';
import { isHostNetworkPod } from '@rxlet/pod-model';
import type { PodHostname } from '../config/hostname.ts';

const wellKnownNames = [
  '127.0.0.1\tlocalhost',
  '::1\tlocalhost ip6-localhost ip6-loopback',
  'fe00::0\tip6-localnet',
  'fe00::0\tip6-mcastprefix',
  'fe00::1\tip6-allnodes',
  'fe00::2\tip6-allrouters',
];

/**
 * Returns the content of a pod's /etc/hosts.
 * @param podIps addresses of the sandbox
 * @param nodeHosts content of the node's own file, the base for a pod on the node's network
 */
export function etcHostsContent(
  pod: Pod,
  podIps: readonly string[],
  { hostname, domain }: PodHostname,
  nodeHosts: string,
): string {
  const aliases = aliasLines(pod.spec!.hostAliases ?? []);
  if (isHostNetworkPod(pod)) return `# Kubernetes-managed hosts file (host network).\n${nodeHosts}${aliases}`;
  const names = domain === '' ? hostname : `${hostname}.${domain}\t${hostname}`;
  const lines = ['# Kubernetes-managed hosts file.', ...wellKnownNames, ...podIps.map((ip) => `${ip}\t${names}`)];
  return `${lines.join('\n')}\n${aliases}`;
}

function aliasLines(aliases: readonly HostAlias[]): string {
  if (aliases.length === 0) return '';
  const lines = aliases.map(({ ip, hostnames = [] }) => `${ip}\t${hostnames.join('\t')}\n`);
  return `\n# Entries added by HostAliases.\n${lines.join('')}`;
}
