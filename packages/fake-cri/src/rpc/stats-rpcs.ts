import { create } from '@bufbuild/protobuf';
import {
  ContainerFilterSchema,
  type ContainerStats,
  type ContainerStatsFilter,
  ContainerStatsResponseSchema,
  ListContainerStatsResponseSchema,
  ListMetricDescriptorsResponseSchema,
  ListPodSandboxMetricsResponseSchema,
  ListPodSandboxStatsResponseSchema,
  PodSandboxFilterSchema,
  type PodSandboxMetrics,
  type PodSandboxStats,
  type PodSandboxStatsFilter,
  PodSandboxStatsResponseSchema,
  ServiceError,
  StatusCode,
  StreamContainerStatsResponseSchema,
  StreamPodSandboxMetricsResponseSchema,
  StreamPodSandboxStatsResponseSchema,
} from '@rxlet/cri-api';
import { filterContainers, filterSandboxes } from '../list-filter.ts';
import type { RuntimeState } from '../runtime-state.ts';
import { isReady } from '../sandbox.ts';
import { containerStats } from '../stats/container-stats.ts';
import { metricDescriptors, sandboxMetrics } from '../stats/metrics.ts';
import { sandboxStats } from '../stats/sandbox-stats.ts';
import { inBatches } from './batches.ts';
import type { RuntimeHandlers } from './port.ts';

/** RPCs of statistics and metrics: single, as lists, and streamed. All numbers of a response are of one moment. */
export function statsRpcs(state: RuntimeState): RuntimeHandlers {
  const containers = (filter: ContainerStatsFilter | undefined): ContainerStats[] => {
    const now = state.timestamps();
    const wanted = filter && create(ContainerFilterSchema, conditions(filter, { podSandboxId: filter.podSandboxId }));
    const listed = Array.from(state.containers.values(), (container) => container.listed);
    return filterContainers(listed, wanted).map(({ id }) => containerStats(state.containers.get(id), now));
  };
  /** Only ready sandboxes have statistics. */
  const sandboxes = (filter: PodSandboxStatsFilter | undefined): PodSandboxStats[] => {
    const now = state.timestamps();
    const wanted = filter && create(PodSandboxFilterSchema, conditions(filter, {}));
    const listed = Array.from(state.sandboxes.values()).filter(isReady);
    return filterSandboxes(
      listed.map((sandbox) => sandbox.listed),
      wanted,
    ).map(({ id }) => sandboxStats(state.sandboxes.get(id), now));
  };
  const metrics = (): PodSandboxMetrics[] =>
    sandboxes(undefined).map((stats) => sandboxMetrics(state.sandboxes.get(stats.attributes!.id), stats));

  return {
    containerStats({ containerId }) {
      const stats = containerStats(state.containers.get(containerId), state.timestamps());
      return create(ContainerStatsResponseSchema, { stats });
    },
    listContainerStats({ filter }) {
      return create(ListContainerStatsResponseSchema, { stats: containers(filter) });
    },
    streamContainerStats({ filter }) {
      return inBatches(containers(filter), (batch) =>
        create(StreamContainerStatsResponseSchema, { containerStats: batch }),
      );
    },
    podSandboxStats({ podSandboxId }) {
      const sandbox = state.sandboxes.get(podSandboxId);
      if (!isReady(sandbox))
        throw new ServiceError(StatusCode.Unavailable, `there are no statistics: sandbox "${sandbox.id}" is not ready`);
      return create(PodSandboxStatsResponseSchema, { stats: sandboxStats(sandbox, state.timestamps()) });
    },
    listPodSandboxStats({ filter }) {
      return create(ListPodSandboxStatsResponseSchema, { stats: sandboxes(filter) });
    },
    streamPodSandboxStats({ filter }) {
      return inBatches(sandboxes(filter), (batch) =>
        create(StreamPodSandboxStatsResponseSchema, { podSandboxStats: batch }),
      );
    },
    listMetricDescriptors() {
      return create(ListMetricDescriptorsResponseSchema, { descriptors: metricDescriptors() });
    },
    listPodSandboxMetrics() {
      return create(ListPodSandboxMetricsResponseSchema, { podMetrics: metrics() });
    },
    streamPodSandboxMetrics() {
      return inBatches(metrics(), (batch) =>
        create(StreamPodSandboxMetricsResponseSchema, { podSandboxMetrics: batch }),
      );
    },
  };
}

function conditions<T extends object>(
  { id, labelSelector }: { id: string; labelSelector: Record<string, string> },
  more: T,
): T & { id: string; labelSelector: Record<string, string> } {
  return { id, labelSelector, ...more };
}
