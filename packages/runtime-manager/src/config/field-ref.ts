import { goQuote } from '@rxlet/component-base';
import type { Pod } from '@rxlet/kube-api';
import { containerConfigError } from './config-error.ts';

/** Addresses that a container can read from its environment. */
export interface PodAddresses {
  /** Addresses of the sandbox, the primary one first. */
  readonly podIps: readonly string[];
  /** Addresses of the node, the primary one first. */
  readonly nodeIps: readonly string[];
}

/**
 * The value of a field of the pod, as `fieldRef` names it (API "downward API").
 * @throws ConfigError for a field that is not offered.
 */
export function podFieldValue(pod: Pod, fieldPath: string, addresses: PodAddresses): string {
  const subscript = /^metadata\.(labels|annotations)\['(.*)'\]$/.exec(fieldPath);
  if (subscript !== null) {
    const [, map, key = ''] = subscript;
    return (map === 'labels' ? pod.metadata?.labels : pod.metadata?.annotations)?.[key] ?? '';
  }
  const podIps = orderedPodIps(addresses);
  switch (fieldPath) {
    case 'metadata.name':
      return pod.metadata?.name ?? '';
    case 'metadata.namespace':
      return pod.metadata?.namespace ?? '';
    case 'metadata.uid':
      return pod.metadata?.uid ?? '';
    case 'metadata.labels':
      return formatMap(pod.metadata?.labels);
    case 'metadata.annotations':
      return formatMap(pod.metadata?.annotations);
    case 'spec.nodeName':
      return pod.spec!.nodeName ?? '';
    case 'spec.serviceAccountName':
      return pod.spec!.serviceAccountName ?? '';
    case 'status.hostIP':
      return addresses.nodeIps[0] ?? '';
    case 'status.hostIPs':
      return addresses.nodeIps.join(',');
    case 'status.podIP':
      return podIps[0] ?? '';
    case 'status.podIPs':
      return podIps.join(',');
    default:
      throw containerConfigError(`unsupported fieldPath: ${fieldPath}`);
  }
}

/** One address of each family, that of the node's primary family first: what the pod's status shows too. */
function orderedPodIps({ podIps, nodeIps }: PodAddresses): string[] {
  const v4 = podIps.find((ip) => !ip.includes(':'));
  const v6 = podIps.find((ip) => ip.includes(':'));
  const ordered = nodeIps[0]?.includes(':') === true ? [v6, v4] : [v4, v6];
  return ordered.filter((ip) => ip !== undefined);
}

function formatMap(map: Readonly<Record<string, string>> | undefined): string {
  return Object.entries(map ?? {})
    .map(([key, value]) => `${key}=${goQuote(value)}`)
    .sort()
    .join('\n');
}
