import type { Labels, Metrics } from '@rxlet/component-base';

/** Metrics that record their values. */
export interface RecordingMetrics extends Metrics {
  /** The observations of a histogram. */
  observed(name: string): readonly number[];
  /** Counts and gauges, by name and label values: `name{a,b}`. */
  readonly values: ReadonlyMap<string, number>;
}

/** Creates {@link RecordingMetrics}. */
export function recordingMetrics(): RecordingMetrics {
  const values = new Map<string, number>();
  const observations = new Map<string, number[]>();
  const keyOf = (name: string, labels: Labels = {}): string => {
    const shown = Object.values(labels).join(',');
    return shown === '' ? name : `${name}{${shown}}`;
  };
  return {
    values,
    observed: (name) => observations.get(name) ?? [],
    counter: ({ name }) => ({
      inc: (labels, by = 1) => void values.set(keyOf(name, labels), (values.get(keyOf(name, labels)) ?? 0) + by),
    }),
    gauge: ({ name }) => ({ set: (value, labels) => void values.set(keyOf(name, labels), value) }),
    histogram: ({ name }) => ({
      observe: (value) => void observations.set(name, [...(observations.get(name) ?? []), value]),
    }),
  };
}
