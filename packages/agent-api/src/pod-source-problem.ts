import type { Pod } from '@rxlet/kube-api';
import type { PodSourceProblem } from './pod-source.ts';

/** Returns the pod's identity as a problem shows it. */
export function problemPod({ metadata }: Pod): NonNullable<PodSourceProblem['pod']> {
  return { name: metadata?.name ?? '', namespace: metadata?.namespace ?? '', uid: metadata?.uid ?? '' };
}

/** Identifies a problem: two problems with one key are the same one. */
export function problemKey({ source, path, reason, message, pod }: PodSourceProblem): string {
  return [source, path, reason, message, pod?.uid ?? ''].join('\0');
}
