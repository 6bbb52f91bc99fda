import type { Pod } from '@rxlet/kube-api';
import { PodAnnotation } from './labels.ts';

/** Lowest system priority (`system-cluster-critical`). */
const SYSTEM_CRITICAL_PRIORITY = 2_000_000_000;

/** Reports whether the pod comes from a manifest (file or URL) and not from the API server. */
export function isStaticPod(pod: Pod): boolean {
  const source = pod.metadata?.annotations?.[PodAnnotation.configSource];
  return source !== undefined && source !== 'api';
}

/** Reports whether the pod is a mirror pod, the API server's read-only copy of a static pod. */
export function isMirrorPod(pod: Pod): boolean {
  return pod.metadata?.annotations?.[PodAnnotation.configMirror] !== undefined;
}

/** Reports whether other pods may be preempted for the pod: it is a static or mirror pod, or has a system priority. */
export function isCriticalPod(pod: Pod): boolean {
  return isStaticPod(pod) || isMirrorPod(pod) || (pod.spec?.priority ?? 0) >= SYSTEM_CRITICAL_PRIORITY;
}

/** Reports whether the pod is critical and has priority class `system-node-critical`. */
export function isNodeCriticalPod(pod: Pod): boolean {
  return isCriticalPod(pod) && pod.spec?.priorityClassName === 'system-node-critical';
}

/** Reports whether the pod shares the node's network namespace. */
export function isHostNetworkPod(pod: Pod): boolean {
  return pod.spec?.hostNetwork === true;
}

/** Reports whether a phase is terminal: `Succeeded` or `Failed`. */
export function isTerminalPhase(phase: string | undefined): boolean {
  return phase === 'Succeeded' || phase === 'Failed';
}
