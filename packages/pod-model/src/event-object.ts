import type { Pod } from '@rxlet/kube-api';

/** The reference by which an event names a pod or a part of it. */
export interface PodEventObject {
  readonly apiVersion: 'v1';
  readonly kind: 'Pod';
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  /** See `containerFieldPath`; absent: the event is about the pod as a whole. */
  readonly fieldPath?: string;
}

/** What an event about the pod refers to: a part of it, or, without a path or with an empty one, all of it. */
export function podEventObject(pod: Pod, fieldPath?: string): PodEventObject {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    namespace: pod.metadata?.namespace ?? '',
    name: pod.metadata?.name ?? '',
    uid: pod.metadata?.uid ?? '',
    ...(fieldPath === undefined || fieldPath === '' ? {} : { fieldPath }),
  };
}
