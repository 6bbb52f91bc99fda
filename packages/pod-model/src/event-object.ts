import type { Pod } from '@rxlet/kube-api';
import { podUid } from './pod-names.ts';

/** Reference of an event to a pod or to a part of it. */
export interface PodEventObject {
  readonly apiVersion: 'v1';
  readonly kind: 'Pod';
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  /** Version of the pod that the node agent acted on. Absent for a pod that no API server has. */
  readonly resourceVersion?: string;
  /** See `containerFieldPath`. Absent for an event about the whole pod. */
  readonly fieldPath?: string;
}

/** Returns the reference of an event to the pod, or to the part at `fieldPath`. */
export function podEventObject(pod: Pod, fieldPath?: string): PodEventObject {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    namespace: pod.metadata?.namespace ?? '',
    name: pod.metadata?.name ?? '',
    uid: podUid(pod),
    ...(pod.metadata?.resourceVersion && { resourceVersion: pod.metadata.resourceVersion }),
    ...(fieldPath === undefined || fieldPath === '' ? {} : { fieldPath }),
  };
}
