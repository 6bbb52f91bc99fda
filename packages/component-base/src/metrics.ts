/** Values of a metric's labels. */
export type Labels = Readonly<Record<string, string>>;

/** A metric whose series end with what they are about. */
export interface RemovableSeries {
  /**
   * Takes away the series of exactly these labels, if there is one: for labels that name a pod or a container, of which a node sees ever new ones.
   * A port that lacks it keeps its series.
   */
  remove?(labels: Labels): void;
}

/** A number that only grows. */
export interface Counter extends RemovableSeries {
  /** Adds `by` (default `1`), which must not be negative. */
  inc(labels?: Labels, by?: number): void;
}

/** A number that goes up and down. */
export interface Gauge extends RemovableSeries {
  set(value: number, labels?: Labels): void;
}

/** A distribution of observed values. */
export interface Histogram extends RemovableSeries {
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
  counter: () => ({ inc: () => undefined, remove: () => undefined }),
  gauge: () => ({ set: () => undefined, remove: () => undefined }),
  histogram: () => ({ observe: () => undefined, remove: () => undefined }),
};
