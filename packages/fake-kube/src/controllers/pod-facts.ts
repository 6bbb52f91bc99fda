import type { Pod } from '@rxlet/kube-api';
import { isTerminalPhase } from '@rxlet/pod-model';

/** Reports whether a pod counts as a replica: it has not ended, and is not being deleted. */
export function isActive({ metadata, status }: Pod): boolean {
  return metadata?.deletionTimestamp === undefined && !isTerminalPhase(status?.phase);
}

/** Returns since when a pod is ready, in epoch milliseconds; `undefined` when it is not. */
export function readySinceMs({ status }: Pod): number | undefined {
  const ready = status?.conditions?.find(({ type }) => type === 'Ready');
  return ready?.status === 'True' ? Date.parse(ready.lastTransitionTime ?? '') : undefined;
}

/** Reports whether a pod has been ready for long enough. */
export function isAvailable(pod: Pod, minReadySeconds: number, nowMs: number): boolean {
  const sinceMs = readySinceMs(pod);
  return sinceMs !== undefined && sinceMs + minReadySeconds * 1000 <= nowMs;
}

/** Sorts pods by how little is lost with them: without a node first, then those that are not ready, then the youngest. */
export function expendableFirst(pods: readonly Pod[]): readonly Pod[] {
  const rank = (pod: Pod): number => (!pod.spec?.nodeName ? 0 : readySinceMs(pod) === undefined ? 1 : 2);
  const created = ({ metadata }: Pod): string => metadata?.creationTimestamp ?? '';
  return pods.toSorted((a, b) => rank(a) - rank(b) || (created(a) > created(b) ? -1 : created(a) < created(b) ? 1 : 0));
}
