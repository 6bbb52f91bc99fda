import type { Pod } from '@rxlet/kube-api';
import { SOURCE_PROBLEM_ANNOTATION } from '@rxlet/kubelet-server';
import { formatSince, podReadiness, podRestarts, podStatusWord } from '@rxlet/pod-model/summary';
import { usablePod } from './usable-pod.ts';

/** Columns of `get pods`. */
export const POD_COLUMNS = ['NAMESPACE', 'NAME', 'READY', 'STATUS', 'RESTARTS', 'AGE'] as const;

/** Additional columns of `-o wide`. */
export const WIDE_COLUMNS = ['IP', 'NODE'] as const;

/** Returns the cells of a pod. */
export function podRow(given: Pod, nowMs: number): string[] {
  const pod = usablePod(given);
  const { metadata, status } = pod;
  return [
    metadata?.namespace ?? '',
    metadata?.name ?? '',
    podReadiness(pod),
    markedStatus(pod),
    podRestarts(pod, nowMs),
    // A pod from a manifest has no time of creation; the agent notes when it first saw it.
    formatSince(metadata?.creationTimestamp ?? status?.startTime, nowMs),
  ];
}

/** The word for a pod's state, marked when its manifest is broken and the last good version runs. */
function markedStatus(pod: Pod): string {
  const isMarked = pod.metadata?.annotations?.[SOURCE_PROBLEM_ANNOTATION] !== undefined;
  return `${podStatusWord(pod)}${isMarked ? ',InvalidManifest' : ''}`;
}

/** Returns the additional cells of `-o wide`. */
export function wideCells(pod: Pod): string[] {
  return [pod.status?.podIP || '<none>', pod.spec?.nodeName || '<none>'];
}
