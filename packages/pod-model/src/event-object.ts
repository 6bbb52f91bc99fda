import type { Pod } from '@rxlet/kube-api';

/** The reference by which an event names a pod or a part of it. */
export interface PodEventObject {
  readonly apiVersion: 'v1';
  readonly kind: 'Pod';
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  /** See `containerFieldPath`. */
  readonly fieldPath?: string;
}

/** What an event about the pod refers to. */
export function podEventObject(pod: Pod, fieldPath?: string): PodEventObject {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    namespace: pod.metadata?.namespace ?? '',
    name: pod.metadata?.name ?? '',
    uid: pod.metadata?.uid ?? '',
    ...(fieldPath === undefined ? {} : { fieldPath }),
  };
}
