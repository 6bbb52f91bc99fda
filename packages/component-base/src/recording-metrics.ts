import type { Labels, Metrics } from './metrics.ts';

/** Metrics that keep their values for tests. */
export interface RecordingMetrics extends Metrics {
  /** Values of counters and gauges as `name{label="value"}`, with the labels in the order of their names. */
  readonly values: ReadonlyMap<string, number>;
  /** Reads and measures the gauges that have a function for that, as a collection does. */
  collect(): Promise<void>;
  /** Returns the observations of a histogram series, named likewise. */
  observed(series: string): readonly number[];
}

/** Creates {@link RecordingMetrics}. They throw for a label that the metric does not have, as those of Prometheus do. */
export function recordingMetrics(): RecordingMetrics {
  const values = new Map<string, number>();
  const observations = new Map<string, number[]>();
  const collectors: (() => Promise<void>)[] = [];
  const remove = (name: string) => (labels: Labels) => {
    values.delete(seriesName(name, labels));
    observations.delete(seriesName(name, labels));
  };
  return {
    values,
    async collect() {
      for (const collect of collectors) await collect();
    },
    observed: (series) => observations.get(series) ?? [],
    counter: ({ name, labelNames }) => ({
      inc(labels, by = 1) {
        requireLabels(name, labelNames, labels);
        const series = seriesName(name, labels);
        values.set(series, (values.get(series) ?? 0) + by);
      },
      remove: remove(name),
    }),
    gauge({ name, labelNames, read, collect }) {
      const set = (value: number, labels?: Labels): void => {
        requireLabels(name, labelNames, labels);
        values.set(seriesName(name, labels), value);
      };
      if (read !== undefined) collectors.push(async () => void values.set(name, read()));
      if (collect !== undefined) {
        collectors.push(async () => {
          const samples = await collect();
          for (const series of values.keys())
            if (series === name || series.startsWith(`${name}{`)) values.delete(series);
          for (const { value, labels } of samples) set(value, labels);
        });
      }
      return { set, remove: remove(name) };
    },
    histogram: ({ name, labelNames }) => ({
      observe(value, labels) {
        requireLabels(name, labelNames, labels);
        const series = seriesName(name, labels);
        observations.set(series, [...(observations.get(series) ?? []), value]);
      },
      remove: remove(name),
    }),
  };
}

function requireLabels(metric: string, labelNames: readonly string[] = [], labels: Labels = {}): void {
  const unknown = Object.keys(labels).filter((label) => !labelNames.includes(label));
  if (unknown.length > 0) throw new Error(`the metric ${metric} has no label ${unknown.join(', ')}`);
}

function seriesName(name: string, labels: Labels = {}): string {
  const pairs = Object.entries(labels)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([label, value]) => `${label}="${value}"`);
  return pairs.length === 0 ? name : `${name}{${pairs.join(',')}}`;
}
