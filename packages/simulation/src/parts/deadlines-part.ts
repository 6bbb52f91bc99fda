import type { Pod } from '@rxlet/kube-api';
import { isTerminalPhase, podUid } from '@rxlet/pod-model';
import type { PartContext, PartKind, WorldPart } from './world-part.ts';

/** Reason of a pod that was active for too long. */
export const DEADLINE_REASON = 'DeadlineExceeded';
/** Longest time for which a pod may be active. A deadline that is further away is so because the wall clock was set back. */
const LONGEST_S = 120;

/** Pods that must end some time after their start. */
export const deadlinesPart: PartKind = {
  name: 'deadlines',
  steps: 0,
  extras: (choose) => (choose.chance(0.4) ? { deadlineSeconds: choose.pick([5, 30, LONGEST_S]) } : {}),
  create: createDeadlines,
};

function createDeadlines({ cluster }: PartContext): WorldPart {
  const leftMs = ({ spec, status }: Pod): number =>
    Date.parse(status?.startTime ?? '') + (spec?.activeDeadlineSeconds ?? NaN) * 1_000 - cluster.node.clock.now();
  return {
    name: 'deadlines',
    endReasons: [DEADLINE_REASON],
    run: () => false,
    differences: (pods) =>
      pods
        .filter((pod) => leftMs(pod) <= LONGEST_S * 1_000 && !isTerminalPhase(pod.status?.phase))
        .map((pod) => `${podUid(pod)} has not ended, ${String(leftMs(pod))} ms before its deadline`),
  };
}
