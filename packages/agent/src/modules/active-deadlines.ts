import { type AgentModule, contribute, podSteps, syncTriggers } from '@rxlet/agent-api';
import { supportedPodFields } from '@rxlet/agent-api/pod-fields';
import { podEvictors } from '@rxlet/agent-api/statuses';
import { createDeadlineQueue } from '@rxlet/component-base';
import { createEmitter } from '@rxlet/component-base/streams';
import type { Pod, PodStatus } from '@rxlet/kube-api';
import { isTerminalPhase, podEventObject, podUid } from '@rxlet/pod-model';

/**
 * Creates the agent module that fails pods at the end of their `activeDeadlineSeconds`, counted from the start time in their status (kubelet:
 * activeDeadlineHandler). The pod is synced exactly then, where a kubelet checks each second.
 */
export function activeDeadlines(): AgentModule {
  return {
    name: 'active-deadlines',
    setup({ clock, events }) {
      const expired = createEmitter<string>();
      const deadlines = createDeadlineQueue<string>(clock, (uid) => expired.emit(uid));
      const remainingMs = ({ spec }: Pod, { phase, startTime }: PodStatus): number => {
        // A pod in a terminal phase does not fail again.
        if (spec?.activeDeadlineSeconds === undefined || startTime === undefined || isTerminalPhase(phase))
          return Infinity;
        return Date.parse(startTime) + spec.activeDeadlineSeconds * 1000 - clock.now();
      };
      return {
        contributions: [
          contribute(syncTriggers, expired.values$),
          contribute(podEvictors, {
            name: 'active-deadline',
            shouldEvict(pod, current) {
              if (remainingMs(pod, current) > 0) return undefined;
              const reason = 'DeadlineExceeded';
              const message = 'Pod was active on the node longer than the specified deadline';
              events.event(podEventObject(pod), 'Normal', reason, message);
              return { reason, message };
            },
            statusSet(pod, status) {
              const uid = podUid(pod);
              const delayMs = remainingMs(pod, status);
              if (delayMs === Infinity) deadlines.delete(uid);
              else deadlines.set(uid, delayMs);
            },
          }),
          contribute(podSteps, { name: 'active-deadline', tearDown: ({ uid }) => deadlines.delete(uid) }),
          contribute(supportedPodFields, 'spec.activeDeadlineSeconds'),
        ],
        async [Symbol.asyncDispose]() {
          deadlines[Symbol.dispose]();
          expired.complete();
        },
      };
    },
  };
}
