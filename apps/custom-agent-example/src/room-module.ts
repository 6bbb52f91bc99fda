import { admissionHandlers, type AgentModule, contribute } from '@rxlet/agent-api';
import { housekeepingSteps } from '@rxlet/agent-api/housekeeping';
import { podStatusContributors } from '@rxlet/agent-api/statuses';
import { httpEndpoints } from '@rxlet/agent-api/http';

/**
 * A custom module with one contribution of each common kind: it limits the number of pods, marks pods that share the node by a condition, lists rejected pods
 * at `/room`, and forgets them when they are gone.
 */
export function room(maxPods: number): AgentModule {
  return {
    name: 'room',
    setup({ core, logger }) {
      const rejected = new Set<string>();
      return {
        contributions: [
          contribute(admissionHandlers, {
            name: 'room',
            admit(pod, others) {
              if (others.count < maxPods) return undefined;
              rejected.add(pod.metadata?.uid ?? '');
              return { reason: 'OutOfpods', message: `the node runs ${String(maxPods)} pods at most` };
            },
          }),
          contribute(podStatusContributors, {
            name: 'room',
            conditionTypes: ['example.com/Alone'],
            conditions: () => [
              { type: 'example.com/Alone', status: core.activePods().length === 1 ? 'True' : 'False' },
            ],
          }),
          contribute(housekeepingSteps, {
            name: 'forget rejected pods',
            run({ knownPodUids }) {
              for (const uid of rejected)
                if (!knownPodUids.has(uid) && rejected.delete(uid)) logger.debug('forgot a rejected pod', { uid });
            },
          }),
          contribute(httpEndpoints, {
            path: 'room',
            methods: ['GET'],
            handle: () => ({
              contentType: 'application/json',
              body: JSON.stringify({ maxPods, rejected: [...rejected] }),
            }),
          }),
        ],
      };
    },
  };
}
