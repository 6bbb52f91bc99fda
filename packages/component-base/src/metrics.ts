/** Values of a metric's labels. */
export type Labels = Readonly<Record<string, string>>;

/** A number that only grows. */
export interface Counter {
  /** Adds `by` (default `1`), which must not be negative. */
  inc(labels?: Labels, by?: number): void;
}

/** A number that goes up and down. */
export interface Gauge {
  set(value: number, labels?: Labels): void;
}

/** A distribution of observed values. */
export interface Histogram {
  observe(value: number, labels?: Labels): void;
}

/** What a metric is called and which labels it has. Names are those of the kubelet where it has the metric. */
export interface MetricOptions {
  readonly name: string;
  /** One sentence; must not be empty. */
  readonly help: string;
  readonly labelNames?: readonly string[];
}

/** The port by which subsystems measure themselves. Asking twice for one name gives the same metric. */
export interface Metrics {
  counter(options: MetricOptions): Counter;
  /** With `read`, the value (of a metric without labels) is asked for each time that somebody looks at it. */
  gauge(options: MetricOptions & { readonly read?: () => number }): Gauge;
  histogram(options: MetricOptions & { readonly buckets: readonly number[] }): Histogram;
}

/** Measures nothing. */
export const noopMetrics: Metrics = {
  counter: () => ({ inc: () => undefined }),
  gauge: () => ({ set: () => undefined }),
  histogram: () => ({ observe: () => undefined }),
};
