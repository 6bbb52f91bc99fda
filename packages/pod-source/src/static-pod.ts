import { createHash } from 'node:crypto';
import type { Pod, Toleration } from '@rxlet/kube-api';
import { PodAnnotation } from '@rxlet/pod-model';

/** The manifest that a static pod comes from. */
export type ManifestOrigin = { readonly file: string } | { readonly url: string };

/** What makes a pod of a manifest a pod of this node. */
export interface StaticPodOptions {
  /** A DNS subdomain, so in lower case, as the API server knows the node. */
  readonly nodeName: string;
  readonly origin: ManifestOrigin;
}

/** So that no taint of the node evicts its own pods. */
const noExecuteToleration: Toleration = { operator: 'Exists', effect: 'NoExecute' };

/**
 * Gives a pod the identity that a kubelet gives to pods of manifests: a name that ends in the node's, namespace `default` unless given, the node, phase
 * Pending, and, unless given, a UID that follows from the pod's content, the node and the manifest. Another content makes another pod, which replaces
 * the first. The kubelet's own UIDs cannot be had outside Go; all that counts is that a UID stays while nothing changes.
 */
export function makeStaticPod(pod: Pod, { nodeName, origin }: StaticPodOptions): Pod {
  const uid = pod.metadata?.uid || uidOf(pod, nodeName, origin);
  const tolerations = pod.spec?.tolerations ?? [];
  return {
    ...pod,
    metadata: {
      ...pod.metadata,
      uid,
      name: `${pod.metadata?.name ?? ''}-${nodeName.toLowerCase()}`,
      namespace: pod.metadata?.namespace || 'default',
      annotations: { ...pod.metadata?.annotations, [PodAnnotation.configHash]: uid },
    },
    spec: {
      containers: [],
      ...pod.spec,
      nodeName,
      ...('file' in origin && {
        tolerations: tolerations.some(isNoExecuteToleration) ? tolerations : [...tolerations, noExecuteToleration],
      }),
    },
    // A manifest may be a copy of a pod that ran elsewhere.
    status: { phase: 'Pending' },
  };
}

function isNoExecuteToleration({ key, operator, value, effect }: Toleration): boolean {
  return !key && operator === 'Exists' && !value && effect === 'NoExecute';
}

function uidOf(pod: Pod, nodeName: string, origin: ManifestOrigin): string {
  const hash = createHash('sha256').update(canonicalJson({ ...pod, status: undefined }));
  // A separator that is in no name keeps the parts apart.
  if ('file' in origin) hash.update(`\0host:${nodeName}\0file:${origin.file}`);
  else hash.update(`\0url:${origin.url}`);
  return hash.digest('hex').slice(0, 32);
}

/** JSON in which the order of keys says nothing. */
function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_, item: unknown) =>
    typeof item === 'object' && item !== null && !Array.isArray(item)
      ? Object.fromEntries(Object.entries(item).sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)))
      : item,
  );
}
