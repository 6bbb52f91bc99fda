import type { Pod, Toleration } from '@rxlet/kube-api';
import { PodAnnotation } from '@rxlet/pod-model';
import type { ManifestOrigin } from './parsed-manifest.ts';
import { staticPodUid } from './uid/static-pod-uid.ts';

/** Node and manifest that a static pod belongs to. */
export interface StaticPodOptions {
  /** A DNS subdomain, so in lower case, as in the API server. */
  readonly nodeName: string;
  readonly origin: ManifestOrigin;
}

/** Prevents taints of the node from evicting its static pods. */
const noExecuteToleration: Toleration = { operator: 'Exists', effect: 'NoExecute' };

/**
 * Gives a pod the identity that a kubelet gives to pods of manifests: a name that ends in the node's, namespace `default` unless given, the node, phase
 * Pending, and, unless given, a UID that follows from the pod's content, the node and the manifest. Another content makes another pod, which replaces
 * the first.
 *
 * @param written the pod as it was written, for the UID (see `staticPodUid`). Default: `pod`
 */
export function makeStaticPod(pod: Pod, { nodeName, origin }: StaticPodOptions, written: Pod = pod): Pod {
  const uid = pod.metadata?.uid || staticPodUid(written, nodeName, origin);
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
