import { type AgentModule, contribute } from '@rxlet/agent-api';
import { statusSinks } from '@rxlet/agent-api/statuses';
import type { PodStatus } from '@rxlet/kube-api';
import { podUid } from '@rxlet/pod-model';
import type { HistoryRecorder, StatusFacts } from './history.ts';

/** Creates a module that records the statuses which an agent publishes, until its life ends. */
export function statusRecorder(history: HistoryRecorder, life: { readonly signal: AbortSignal }): AgentModule {
  return {
    name: 'status-recorder',
    setup: () => ({
      contributions: [
        contribute(statusSinks, {
          publish: async ({ pod, status }) => {
            if (!life.signal.aborted) history.add({ kind: 'status', status: statusFacts(podUid(pod), status) });
          },
        }),
      ],
    }),
  };
}

function statusFacts(
  uid: string,
  { phase, reason, conditions = [], initContainerStatuses = [], containerStatuses = [] }: PodStatus,
): StatusFacts {
  return {
    uid,
    phase: phase ?? '',
    reason,
    pendingResize: conditions.find(({ type }) => type === 'PodResizePending')?.reason,
    isReady: conditions.some(({ type, status }) => type === 'Ready' && status === 'True'),
    restartCounts: Object.fromEntries(
      [...initContainerStatuses, ...containerStatuses].map(({ name, restartCount }) => [name, restartCount]),
    ),
  };
}
