import type { Pod } from '@rxlet/kube-api';
import type { ManifestOrigin } from '../parsed-manifest.ts';
import { fnv1a128 } from './fnv128.ts';
import { internalPod } from './internal-pod.ts';
import { printValue } from './print-value.ts';

/**
 * Returns the UID that a kubelet 1.36 gives to a static pod without one: the hash of the pod's print in Go, the node and the manifest. With equal UIDs, a node
 * moves between a kubelet and this agent without a restart of its static pods.
 *
 * @param pod pod as decoded from the manifest, before it got the identity of a static pod; see `internalPod`
 */
export function staticPodUid(pod: Pod, nodeName: string, origin: ManifestOrigin): string {
  const place = 'file' in origin ? `host:${nodeName}file:${origin.file}` : `url:${origin.url}`;
  return fnv1a128(new TextEncoder().encode(printPod(pod) + place));
}

/** Returns a pod's print in Go. */
export function printPod(pod: Pod): string {
  return printValue('*core.Pod', internalPod(pod));
}
