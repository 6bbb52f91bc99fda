export { stats, type StatsOptions } from './stats-module.ts';
export {
  createPodStatistics,
  type FileSystems,
  type ListPodStatsOptions,
  type MeasuredVolume,
  type PodFiles,
  type PodStatistics,
  type PodStatisticsOptions,
  type PodStatisticsPorts,
  type PodVolumeStatistics,
} from './summary/pod-statistics.ts';
export { type CgroupStats, noCgroupStats, type PodCgroupStats } from './summary/cgroup-stats.ts';
export { formatSummary } from './summary/format-summary.ts';
export type { DiskUsage, FileSystemUsage } from './summary/fs-stats.ts';
export type * from './summary/summary-types.ts';
export { createKernelFiles, type KernelFiles } from './cgroup/kernel-files.ts';
export { formatMetrics, type MetricFamily, type MetricSample } from './metrics/exposition.ts';
export { resourceMetricsResponse } from './metrics/resource-metrics.ts';
