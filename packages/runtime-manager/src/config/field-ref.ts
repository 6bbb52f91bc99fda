import { goQuote } from '@rxlet/component-base/go';
import type { ObjectFieldSelector, Pod } from '@rxlet/kube-api';
import { podUid, sortPodIps } from '@rxlet/pod-model';
import { labelKeyProblems } from '@rxlet/pod-model/scheduling';
import { containerConfigError } from './config-error.ts';

/** Addresses available to a container's environment. */
export interface PodAddresses {
  /** Addresses of the pod, the primary one first. */
  readonly podIps: readonly string[];
  /** Address for a pod without valid `podIps`. Default: the first of them. */
  readonly podIp?: string | undefined;
  /** Addresses of the node as pods see them, the primary one first. */
  readonly hostIps: readonly string[];
  /** First address that was chosen for the node; its family comes first in `status.podIPs`. Default: IPv4 comes first. */
  readonly primaryNodeIp?: string | undefined;
}

/** Fields without a subscript that can be named; not all of them have a value for containers. */
const fieldLabels: ReadonlySet<string> = new Set([
  'metadata.annotations',
  'metadata.labels',
  'metadata.name',
  'metadata.namespace',
  'metadata.uid',
  'spec.nodeName',
  'spec.restartPolicy',
  'spec.serviceAccountName',
  'spec.schedulerName',
  'status.phase',
  'status.hostIP',
  'status.hostIPs',
  'status.podIP',
  'status.podIPs',
]);

/**
 * Returns the value of a pod's field for a `fieldRef` (downward API).
 * @throws ConfigError for an unsupported field
 */
export function podFieldValue(
  pod: Pod,
  { apiVersion = '', fieldPath }: ObjectFieldSelector,
  addresses: PodAddresses,
): string {
  if (apiVersion !== 'v1') throw containerConfigError(`unsupported pod version: ${apiVersion}`);
  const subscript = fieldPath.endsWith("']") ? fieldPath.indexOf("['") : -1;
  if (subscript > 0) {
    return subscriptedValue(pod, fieldPath, fieldPath.slice(0, subscript), fieldPath.slice(subscript + 2, -2));
  }
  // The name of an early version of the API.
  const path = fieldPath === 'spec.host' ? 'spec.nodeName' : fieldPath;
  if (!fieldLabels.has(path)) throw containerConfigError(`field label not supported: ${path}`);

  switch (path) {
    case 'metadata.name':
      return pod.metadata?.name ?? '';
    case 'metadata.namespace':
      return pod.metadata?.namespace ?? '';
    case 'metadata.uid':
      return podUid(pod);
    case 'metadata.labels':
      return formatMap(pod.metadata?.labels);
    case 'metadata.annotations':
      return formatMap(pod.metadata?.annotations);
    case 'spec.nodeName':
      return pod.spec!.nodeName ?? '';
    case 'spec.serviceAccountName':
      return pod.spec!.serviceAccountName ?? '';
    case 'status.hostIP':
      return knownHostIps(addresses)[0]!;
    case 'status.hostIPs':
      return knownHostIps(addresses).join(',');
    case 'status.podIP':
      return sortPodIps(addresses.podIps, addresses.primaryNodeIp)[0] ?? addresses.podIp ?? addresses.podIps[0] ?? '';
    case 'status.podIPs':
      return sortPodIps(addresses.podIps, addresses.primaryNodeIp).join(',');
    default:
      throw containerConfigError(`unsupported fieldPath: ${path}`);
  }
}

function subscriptedValue(pod: Pod, fieldPath: string, map: string, key: string): string {
  if (map !== 'metadata.labels' && map !== 'metadata.annotations') {
    throw containerConfigError(`field label does not support subscript: ${fieldPath}`);
  }
  const isLabel = map === 'metadata.labels';
  // Keys of annotations may have capitals in their domain.
  const problems = labelKeyProblems(isLabel ? key : key.toLowerCase());
  if (problems.length > 0) {
    throw containerConfigError(`invalid key subscript in ${fieldPath}: ${problems.join(';')}`);
  }
  const values = (isLabel ? pod.metadata?.labels : pod.metadata?.annotations) ?? {};
  return Object.hasOwn(values, key) ? values[key]! : '';
}

function knownHostIps({ hostIps }: PodAddresses): readonly string[] {
  if (hostIps.length === 0) throw containerConfigError('host IP unknown; known addresses: []');
  return hostIps;
}

function formatMap(map: Readonly<Record<string, string>> | undefined): string {
  return Object.entries(map ?? {})
    .toSorted(([a], [b]) => Buffer.compare(Buffer.from(a), Buffer.from(b)))
    .map(([key, value]) => `${key}=${goQuote(value)}`)
    .join('\n');
}
