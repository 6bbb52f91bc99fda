import { type MetricSet, total } from './metrics.ts';

/** Rates of counters, between measurements. */
export interface Rates {
  add(metrics: MetricSet, nowMs: number): void;
  /** Returns how much a counter grows a second; `undefined` before there are two measurements. */
  perSecond(name: string, labels?: Readonly<Record<string, string>>): number | undefined;
  clear(): void;
}

/** Measurements over which a rate is taken: a few seconds. */
const KEPT = 6;

/** Creates {@link Rates} over the last few measurements. */
export function createRates(): Rates {
  let kept: { readonly metrics: MetricSet; readonly atMs: number }[] = [];
  return {
    add(metrics, nowMs) {
      kept = [...kept, { metrics, atMs: nowMs }].slice(-KEPT);
    },
    perSecond(name, labels) {
      const first = kept[0];
      const last = kept.at(-1);
      if (first === undefined || last === undefined || last.atMs <= first.atMs) return undefined;
      const grown = total(last.metrics, name, labels) - total(first.metrics, name, labels);
      // A counter begins anew with the agent.
      return grown < 0 ? undefined : (1000 * grown) / (last.atMs - first.atMs);
    },
    clear() {
      kept = [];
    },
  };
}
