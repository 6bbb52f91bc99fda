import { median, quantile } from '../statistics.ts';

/** A quantity that is measured for each agent in each round. */
export interface Metric {
  readonly section: string;
  readonly name: string;
  readonly unit: 's' | 'ms' | 'MB' | 'MB/s' | 'ms/s' | 'calls/s';
  /** Whether more is better. Default: less is. */
  readonly isRate?: boolean;
}

/** Samples of one metric: one list for each agent, in the order of the rounds, so that values of the same index were measured one after the other. */
export interface MetricSamples {
  readonly metric: Metric;
  readonly byAgent: ReadonlyMap<string, readonly number[]>;
}

/** Samples of a run, by metric in the order of their first sample. */
export interface Samples {
  add(metric: Metric, agent: string, value: number): void;
  list(): readonly MetricSamples[];
}

/** Creates {@link Samples}. */
export function createSamples(): Samples {
  const metrics = new Map<string, { readonly metric: Metric; readonly byAgent: Map<string, number[]> }>();
  return {
    add(metric, agent, value) {
      const key = `${metric.section}\n${metric.name}`;
      const entry = metrics.get(key) ?? { metric, byAgent: new Map<string, number[]>() };
      metrics.set(key, entry);
      entry.byAgent.set(agent, [...(entry.byAgent.get(agent) ?? []), value]);
    },
    list: () => [...metrics.values()],
  };
}

/** Median and extremes of samples. */
export interface Spread {
  readonly median: number;
  readonly least: number;
  readonly most: number;
  readonly count: number;
}

/** Returns the spread of samples; `undefined` of none. */
export function spreadOf(samples: readonly number[]): Spread | undefined {
  if (samples.length === 0) return undefined;
  return { median: median(samples), least: quantile(samples, 0), most: quantile(samples, 1), count: samples.length };
}

/** Returns the spread of the ratios of values that were measured one after the other; `undefined` without a pair. A ratio to 0 does not count. */
export function ratioOf(samples: readonly number[], others: readonly number[]): Spread | undefined {
  const ratios = samples.flatMap((value, index) => {
    const other = others[index];
    return other === undefined || other === 0 ? [] : [value / other];
  });
  return spreadOf(ratios);
}
