import { admissionHandlers, type AgentModule, contribute, podSteps, provide } from '@rxlet/agent-api';
import { housekeepingSteps } from '@rxlet/agent-api/housekeeping';
import { podStatusContributors } from '@rxlet/agent-api/statuses';
import { nodeResources, podAllocations } from '@rxlet/agent-api/node';
import { isTerminalPhase, podUid } from '@rxlet/pod-model';
import { createAllocationManager } from './resize/allocation-manager.ts';
import { createResizeMetrics } from './resize/resize-metrics.ts';
import { createAllocationStore } from './resize/allocation-store.ts';
import type { ResizePolicies } from './resize/resize-fit.ts';

/**
 * Creates the agent module that decides on resizes of running pods (KEP-1287): a pod keeps its allocated resources until the new ones fit. Allocations are kept in
 * `allocated_pods_state` in the agent's root directory.
 */
export function podAllocation(policies: ResizePolicies = {}): AgentModule {
  return {
    name: 'pod-allocation',
    uses: [nodeResources],
    provides: [podAllocations],
    collects: [admissionHandlers],
    setup({ core, collections, services, files, node, clock, events, logger, metrics }) {
      const resources = services.find(nodeResources);
      const manager = createAllocationManager(
        {
          store: createAllocationStore({ files, clock, logger }, node.rootDirectory),
          clock,
          events,
          logger,
          metrics: createResizeMetrics(metrics, () => core.pods.list()),
          // Also pods that wait for their admission, as all do after a restart of the agent, and those that have failed and whose containers still end.
          activePods: () =>
            core.knownPods().filter((pod) => !isTerminalPhase(pod.status?.phase) || core.mayRunContainers(podUid(pod))),
          sourcesReady: () => core.sourcesReady(),
          handlers: () => collections.of(admissionHandlers),
          statusOf: (uid) => core.podStatus(uid) ?? core.pods.get(uid)?.status,
          allocatable: () => resources?.allocatable() ?? {},
        },
        policies,
      );
      return {
        services: [provide(podAllocations, manager)],
        contributions: [
          contribute(podStatusContributors, {
            name: 'pod-allocation',
            conditionTypes: ['PodResizePending'],
            conditions: (pod) => [manager.condition(pod) ?? []].flat(),
          }),
          contribute(podSteps, {
            name: 'pod-allocation',
            terminating: ({ uid }) => manager.terminating(uid),
            tearDown: () => manager.retry(),
          }),
          contribute(housekeepingSteps, {
            name: 'forget the resources of removed pods',
            run: ({ knownPodUids }) => manager.retain((uid) => knownPodUids.has(uid)),
          }),
        ],
        start: () => manager.start(),
        [Symbol.asyncDispose]: () => manager[Symbol.asyncDispose](),
      };
    },
  };
}
