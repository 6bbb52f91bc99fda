import { admissionHandlers, type AgentModule, contribute, podSteps, provide } from '@rxlet/agent-api';
import { housekeepingSteps } from '@rxlet/agent-api/housekeeping';
import { mirrorPods, podStatusContributors } from '@rxlet/agent-api/statuses';
import { nodeResources, podAllocations } from '@rxlet/agent-api/node';
import type { Pod, PodStatus } from '@rxlet/kube-api';
import { isStaticPod, isTerminalPhase, podUid } from '@rxlet/pod-model';
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
    collects: [admissionHandlers, mirrorPods],
    setup({ core, collections, services, files, node, clock, events, logger, metrics }) {
      const resources = services.find(nodeResources);
      /** Returns the status that a static pod has in the API. */
      const mirroredStatus = (pod: Pod): PodStatus | undefined =>
        isStaticPod(pod)
          ? collections
              .of(mirrorPods)
              .map((mirrors) => mirrors.mirrorOf?.(pod)?.status)
              .find((status) => status !== undefined)
          : undefined;
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
          statusOf: (pod) => core.podStatus(podUid(pod)) ?? mirroredStatus(pod) ?? core.pods.get(podUid(pod))?.status,
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
