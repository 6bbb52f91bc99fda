import type { CgroupEntry } from './cgroup-entry.ts';
import { cgroupMetrics } from './cgroup-metrics.ts';
import type { MetricFamily, MetricSample } from './exposition.ts';

/** Returns the metrics of these cgroups. Each cgroup has the same labels. */
export function cgroupFamilies(entries: readonly CgroupEntry[]): readonly MetricFamily[] {
  return cgroupMetrics.map(({ name, help, type, read, isSetting = false }) => ({
    name,
    help,
    type,
    samples: entries.flatMap((entry): readonly MetricSample[] => {
      const values = read(entry);
      if (values === undefined) return [];
      const { labels } = entry;
      const time = isSetting ? {} : { timeMs: entry.sample.timeMs };
      if (typeof values === 'number') return [{ labels, value: values, ...time }];
      return values.map((sample) => ({ labels: { ...labels, ...sample.labels }, value: sample.value, ...time }));
    }),
  }));
}
