import type { Pod } from '@rxlet/kube-api';
import { PodAnnotation } from './labels.ts';

/** Priorities from here on are the system's own (`system-cluster-critical`). */
const SYSTEM_CRITICAL_PRIORITY = 2_000_000_000;

/** Whether the pod comes from a manifest, a file or a URL, and not from the API server. */
export function isStaticPod(pod: Pod): boolean {
  const source = pod.metadata?.annotations?.[PodAnnotation.configSource];
  return source !== undefined && source !== 'api';
}

/** Whether the pod is the API server's read-only image of a static pod. */
export function isMirrorPod(pod: Pod): boolean {
  return pod.metadata?.annotations?.[PodAnnotation.configMirror] !== undefined;
}

/** Whether other pods may be preempted for it: static, mirror, or of a system priority. */
export function isCriticalPod(pod: Pod): boolean {
  return isStaticPod(pod) || isMirrorPod(pod) || (pod.spec?.priority ?? 0) >= SYSTEM_CRITICAL_PRIORITY;
}

/** Whether the node cannot do without it: critical, and of priority class `system-node-critical`. */
export function isNodeCriticalPod(pod: Pod): boolean {
  return isCriticalPod(pod) && pod.spec?.priorityClassName === 'system-node-critical';
}

/** Whether the pod shares the node's network namespace. */
export function isHostNetworkPod(pod: Pod): boolean {
  return pod.spec?.hostNetwork === true;
}

/** Whether a pod in this phase has ended for good. */
export function isTerminalPhase(phase: string | undefined): boolean {
  return phase === 'Succeeded' || phase === 'Failed';
}
