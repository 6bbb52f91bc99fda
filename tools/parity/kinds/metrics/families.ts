import type { Metrics } from '@rxlet/component-base/metrics';
import type { Registry } from 'prom-client';

/** A metric family, as its registration describes it. */
export interface Family {
  readonly type: string;
  readonly help: string;
  /** Sorted. */
  readonly labels: readonly string[];
  /** Buckets of a histogram without `+Inf`; 0 for other types. */
  readonly buckets: number;
}

/** Metrics that record their registrations, and drop all measurements. */
export interface RecordedRegistrations {
  readonly metrics: Metrics;
  readonly families: ReadonlyMap<string, Family>;
}

/** Creates {@link RecordedRegistrations}. */
export function recordRegistrations(): RecordedRegistrations {
  const families = new Map<string, Family>();
  const add = (
    type: string,
    { name, help, labelNames = [] }: { name: string; help: string; labelNames?: readonly string[] },
    buckets = 0,
  ): void => void families.set(name, { type, help, labels: labelNames.toSorted(), buckets });
  return {
    families,
    metrics: {
      counter(options) {
        add('counter', options);
        return { inc: () => undefined };
      },
      gauge(options) {
        add('gauge', options);
        return { set: () => undefined };
      },
      histogram(options) {
        add('histogram', options, options.buckets.length);
        return { observe: () => undefined };
      },
    },
  };
}

/** Returns the families without labels of a registry of `prom-client`. */
export async function familiesOf(registry: Registry): Promise<ReadonlyMap<string, Family>> {
  const metrics = await registry.getMetricsAsJSON();
  // The type of prom-client calls this an enum; it is text.
  return new Map(metrics.map(({ name, type, help }) => [name, { type: String(type), help, labels: [], buckets: 0 }]));
}
