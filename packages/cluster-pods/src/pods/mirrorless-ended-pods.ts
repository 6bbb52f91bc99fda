import type { PodList } from '@rxlet/agent-api';
import type { ObjectWatch } from '@rxlet/kube-api/client';
import type { MirrorPods } from '@rxlet/agent-api/statuses';
import type { Pod } from '@rxlet/kube-api';
import { isStaticPod, isTerminalPhase } from '@rxlet/pod-model';
import { filter, from, map, merge, mergeMap, type Observable } from 'rxjs';

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
 * ended before a restart of the agent (kubelet: fastStaticPodsRegistration).
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
  const lacksMirror = (pod: Pod): boolean =>
    watch.isSynced &&
    isStaticPod(pod) &&
    isTerminalPhase(pod.status?.phase) &&
    pod.metadata?.deletionTimestamp === undefined &&
    mirrorOf(pod) === undefined;
  return merge(known, changed).pipe(filter(lacksMirror));
}
