import { EndpointError, type HttpEndpoint } from '@rxlet/agent-api/http';
import { type Clock, errorMessage } from '@rxlet/component-base';
import type { Pod } from '@rxlet/kube-api';
import { podUid } from '@rxlet/pod-model';
import { formatSummary, resourceMetricsResponse, type Summary } from '@rxlet/stats';
import type { PodProvider, ProviderPodStats } from './pod-provider.ts';

/** Ports of {@link providerStatsEndpoints}. */
export interface ProviderStatsPorts {
  readonly provider: Pick<PodProvider, 'stats'>;
  readonly clock: Pick<Clock, 'now'>;
  /** Returns the pods of the node with their statuses. */
  pods(): readonly Pod[];
}

/** Returns the endpoints `/stats/summary` and `/metrics/resource`, of which `kubectl top` shows the figures. */
export function providerStatsEndpoints(
  { provider, clock, pods }: ProviderStatsPorts,
  nodeName: string,
): readonly HttpEndpoint[] {
  const measure = async (signal: AbortSignal): Promise<Summary> => {
    if (provider.stats === undefined) throw new EndpointError(501, 'the node has no statistics');
    const stats = await provider.stats(signal).catch((error: unknown) => {
      throw new EndpointError(500, `Internal Error: ${errorMessage(error)}`);
    });
    return summaryOf(stats, pods(), nodeName, clock.now());
  };
  return [
    {
      path: 'stats/summary',
      produces: 'application/json',
      isOnReadOnlyPort: true,
      handle: async ({ signal }) => ({
        contentType: 'application/json',
        body: formatSummary(await measure(signal)),
      }),
    },
    {
      path: 'metrics/resource',
      isOnReadOnlyPort: true,
      handle: async ({ signal }) => resourceMetricsResponse(await measure(signal)),
    },
  ];
}

/** Returns the summary of the pods that the node has; others are not its business any more. The node's own figures are the sums. */
export function summaryOf(
  stats: readonly ProviderPodStats[],
  pods: readonly Pod[],
  nodeName: string,
  nowMs: number,
): Summary {
  const byUid = new Map(stats.map((one) => [one.uid, one]));
  const sum = (field: 'cpuNanoseconds' | 'workingSetBytes', measured: readonly ProviderPodStats[]): number =>
    measured.flatMap(({ containers }) => containers).reduce((total, one) => total + (one[field] ?? 0), 0);
  const amounts = (measured: readonly ProviderPodStats[]) => ({
    cpu: { time: nowMs, usageCoreNanoSeconds: sum('cpuNanoseconds', measured) },
    memory: { time: nowMs, workingSetBytes: sum('workingSetBytes', measured) },
  });
  const measuredPods = pods.flatMap((pod) => {
    const measured = byUid.get(podUid(pod));
    return measured === undefined ? [] : [{ pod, measured }];
  });
  return {
    node: { nodeName, startTime: 0, ...amounts(measuredPods.map(({ measured }) => measured)) },
    pods: measuredPods.map(({ pod: { metadata, status }, measured }) => ({
      podRef: { name: metadata?.name ?? '', namespace: metadata?.namespace ?? '', uid: measured.uid },
      startTime: Date.parse(status?.startTime ?? '') || 0,
      ...amounts([measured]),
      containers: measured.containers.map(({ name, cpuNanoseconds, workingSetBytes }) => ({
        name,
        startTime: startOf(status?.containerStatuses, name),
        ...(cpuNanoseconds !== undefined && { cpu: { time: nowMs, usageCoreNanoSeconds: cpuNanoseconds } }),
        ...(workingSetBytes !== undefined && { memory: { time: nowMs, workingSetBytes } }),
      })),
    })),
  };
}

function startOf(statuses: NonNullable<Pod['status']>['containerStatuses'], name: string): number {
  return Date.parse(statuses?.find((one) => one.name === name)?.state?.running?.startedAt ?? '') || 0;
}
