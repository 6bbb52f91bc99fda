import type { PodList } from '@rxlet/agent-api';
import type { ObjectWatch } from '@rxlet/kube-api/client';
import type { MirrorPods } from '@rxlet/agent-api/statuses';
import type { Pod } from '@rxlet/kube-api';
import { isMirrorPod, isStaticPod, isTerminalPhase, podFullName } from '@rxlet/pod-model';
import { EMPTY, filter, from, map, merge, mergeMap, type Observable, of } from 'rxjs';
import { isMirrorOf } from './mirror-pods.ts';

/** Ports of {@link mirrorlessEndedPods}. */
export interface MirrorlessEndedPodsPorts {
  /** The node's pods in the API server. */
  readonly watch: Pick<ObjectWatch<Pod>, 'isSynced' | 'changes$'>;
  /** The agent's pods. */
  readonly pods: Pick<PodList, 'list' | 'changes$'>;
  readonly mirrorOf: Required<MirrorPods>['mirrorOf'];
}

/**
 * Emits static pods that have ended without a mirror in the API server. Pods get their mirrors when they are synced, and an ended pod is not synced, such as one that
 * ended before a restart of the agent (kubelet: fastStaticPodsRegistration), or before the mirror of its predecessor was replaced. A mirror that is deleted afterwards
 * is not created again by the same agent, as in the kubelet: a user who deletes the record of an ended pod does not want it back.
 */
export function mirrorlessEndedPods({ watch, pods, mirrorOf }: MirrorlessEndedPodsPorts): Observable<Pod> {
  const known = watch.changes$.pipe(
    filter(({ type }) => type === 'snapshot'),
    mergeMap(() => from(pods.list())),
  );
  const changed = pods.changes$.pipe(
    filter(({ type }) => type !== 'DELETED'),
    map(({ pod }) => pod),
  );
  const outdated = watch.changes$.pipe(
    mergeMap((change) => {
      if (change.type === 'snapshot' || !isMirrorPod(change.object)) return EMPTY;
      const { object } = change;
      const pod = pods.list().find((one) => podFullName(one) === podFullName(object));
      return pod === undefined || isMirrorOf(object, pod) ? EMPTY : of(pod);
    }),
  );
  const lacksMirror = (pod: Pod): boolean =>
    watch.isSynced &&
    isStaticPod(pod) &&
    isTerminalPhase(pod.status?.phase) &&
    pod.metadata?.deletionTimestamp === undefined &&
    mirrorOf(pod) === undefined;
  return merge(known, changed, outdated).pipe(filter(lacksMirror));
}
