import type { Pod } from '@rxlet/kube-api';
import type { Pleg } from '@rxlet/pleg';
import { podUid } from '@rxlet/pod-model';
import { mayRun } from '../housekeeping/may-run.ts';

/**
 * Sorts pods by the order in which they get scarce resources: those that run since an earlier run of the agent, and of these and of the others the oldest first. Pods
 * without a creation time come first. Creation times are in seconds: of the same second, pods that an earlier run of the agent admitted precede those that were still
 * waiting; of those admitted, the ones that started first.
 */
export function inAdmissionOrder(pods: readonly Pod[], find: Pleg['find']): readonly Pod[] {
  const isIdle = (pod: Pod): number => (mayRun(find(podUid(pod))) ? 0 : 1);
  const createdMs = ({ metadata }: Pod): number => Date.parse(metadata?.creationTimestamp ?? '') || 0;
  const isWaiting = ({ status }: Pod): number => (status?.startTime === undefined ? 1 : 0);
  const startedMs = (pod: Pod): number => {
    const times = find(podUid(pod))?.sandboxes.map(({ createdAtNanos }) => Number(createdAtNanos / 1_000_000n)) ?? [];
    return times.length === 0 ? Number.MAX_VALUE : Math.min(...times);
  };
  const compare = (a: Pod, b: Pod): number =>
    isIdle(a) - isIdle(b) || createdMs(a) - createdMs(b) || isWaiting(a) - isWaiting(b) || startedMs(a) - startedMs(b);
  return pods.length < 2 ? pods : pods.toSorted(compare);
}
