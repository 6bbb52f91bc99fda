import type { Labels, MetricOptions, Metrics } from '@rxlet/component-base';

/** Metrics whose values tests can read. */
export interface RecordingMetrics extends Metrics {
  /** The value of a counter or gauge, or the observations of a histogram added up; `undefined` while there is none. */
  value(name: string, labels?: Labels): number | undefined;
  /** How often a histogram was observed. */
  count(name: string, labels?: Labels): number;
}

/** Creates {@link RecordingMetrics}. */
export function recordingMetrics(): RecordingMetrics {
  const values = new Map<string, number[]>();
  const reads = new Map<string, () => number>();
  const keyOf = (name: string, labels: Labels = {}): string => name + JSON.stringify(Object.entries(labels).sort());
  const record = (
    { name, labelNames = [] }: MetricOptions,
    labels: Labels = {},
    value: number,
    keep: boolean,
  ): void => {
    if (Object.keys(labels).sort().join() !== [...labelNames].sort().join()) throw new Error(`wrong labels of ${name}`);
    const key = keyOf(name, labels);
    values.set(key, [...(keep ? (values.get(key) ?? []) : []), value]);
  };
  return {
    counter: (options) => ({ inc: (labels, by = 1) => record(options, labels, by, true) }),
    gauge(options) {
      if (options.read !== undefined) reads.set(options.name, options.read);
      return { set: (value, labels) => record(options, labels, value, false) };
    },
    histogram: (options) => ({ observe: (value, labels) => record(options, labels, value, true) }),
    value: (name, labels) =>
      reads.get(name)?.() ?? values.get(keyOf(name, labels))?.reduce((sum, each) => sum + each, 0),
    count: (name, labels) => values.get(keyOf(name, labels))?.length ?? 0,
  };
}
