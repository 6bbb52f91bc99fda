import type { Metrics, Sample } from '@rxlet/component-base/metrics';
import type { Pod } from '@rxlet/kube-api';
import { podUid } from '@rxlet/pod-model';
import type { VolumeStatistics } from '../node/volume-statistics.ts';
import type { PodFiles } from '../summary/pod-statistics.ts';
import type { VolumeStats } from '../summary/summary-types.ts';

/** Ports of {@link registerPodMetrics}. */
export interface PodMetricsPorts {
  readonly metrics: Metrics;
  /** Returns the pods with their current statuses. */
  pods(): readonly Pod[];
  readonly podFiles: Pick<PodFiles, 'containerLogs'>;
  /** Absent: there are no volumes. */
  readonly volumes: Pick<VolumeStatistics, 'refresh' | 'ofPod'> | undefined;
}

/** Metrics of claims, by the amount of a volume. */
const CLAIM_METRICS: readonly (readonly [amount: keyof VolumeStats, name: string, help: string])[] = [
  ['capacityBytes', 'capacity_bytes', 'Capacity in bytes of the volume'],
  ['availableBytes', 'available_bytes', 'Number of available bytes in the volume'],
  ['usedBytes', 'used_bytes', 'Number of used bytes in the volume'],
  ['inodes', 'inodes', 'Maximum number of inodes in the volume'],
  ['inodesFree', 'inodes_free', 'Number of free inodes in the volume'],
  ['inodesUsed', 'inodes_used', 'Number of used inodes in the volume'],
];

/** Registers the metrics of logs and of claimed volumes, which are measured when the metrics are collected. */
export function registerPodMetrics({ metrics, pods, podFiles, volumes }: PodMetricsPorts): void {
  metrics.gauge({
    name: 'kubelet_container_log_filesystem_used_bytes',
    help: "[ALPHA] Bytes used by the container's logs on the filesystem.",
    labelNames: ['uid', 'namespace', 'pod', 'container'],
    collect: () => logSamples(pods(), podFiles),
  });
  if (volumes === undefined) return;
  // One collection reads all of these metrics at the same time, and measures once for all.
  let measuring: Promise<readonly VolumeStats[]> | undefined;
  const measure = (): Promise<readonly VolumeStats[]> =>
    (measuring ??= claimedVolumes(pods(), volumes).finally(() => (measuring = undefined)));
  for (const [amount, name, help] of CLAIM_METRICS) {
    metrics.gauge({
      name: `kubelet_volume_stats_${name}`,
      help: `[ALPHA] ${help}`,
      labelNames: ['namespace', 'persistentvolumeclaim'],
      collect: async () => (await measure()).flatMap((stats) => claimSample(stats, amount)),
    });
  }
}

/** Returns the size of the logs of running containers. */
async function logSamples(pods: readonly Pod[], podFiles: PodMetricsPorts['podFiles']): Promise<readonly Sample[]> {
  const samples: Sample[] = [];
  for (const pod of pods) {
    const { name = '', namespace = '' } = pod.metadata ?? {};
    const uid = podUid(pod);
    for (const container of runningContainers(pod)) {
      const usage = await podFiles.containerLogs({ name, namespace, uid }, container);
      const value = usage?.usedBytes;
      if (value !== undefined) samples.push({ value, labels: { uid, namespace, pod: name, container } });
    }
  }
  return samples;
}

function runningContainers({ status = {} }: Pod): readonly string[] {
  const { initContainerStatuses = [], containerStatuses = [], ephemeralContainerStatuses = [] } = status;
  return [...initContainerStatuses, ...containerStatuses, ...ephemeralContainerStatuses]
    .filter(({ state }) => state?.running !== undefined)
    .map(({ name }) => name);
}

/** Returns the volumes of claims, each claim once. */
async function claimedVolumes(
  pods: readonly Pod[],
  volumes: NonNullable<PodMetricsPorts['volumes']>,
): Promise<readonly VolumeStats[]> {
  await volumes.refresh(pods);
  const claims = new Map<string, VolumeStats>();
  for (const { stats } of pods.flatMap((pod) => volumes.ofPod(podUid(pod)) ?? [])) {
    const { pvcRef } = stats;
    const key = pvcRef && `${pvcRef.namespace}/${pvcRef.name}`;
    if (key !== undefined && !claims.has(key)) claims.set(key, stats);
  }
  return [...claims.values()];
}

function claimSample(stats: VolumeStats, amount: keyof VolumeStats): readonly Sample[] {
  const value = stats[amount];
  const { namespace = '', name = '' } = stats.pvcRef ?? {};
  return typeof value === 'number' ? [{ value, labels: { namespace, persistentvolumeclaim: name } }] : [];
}
