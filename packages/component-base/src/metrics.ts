/** Values of a metric's labels. */
export type Labels = Readonly<Record<string, string>>;

/** A metric whose series can be removed. */
export interface RemovableSeries {
  /**
   * Removes the series of exactly these labels, if it exists. For labels that name a pod or a container, because a node sees ever new ones. A port without this
   * method keeps its series.
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

/** Name and labels of a metric. Names are those of the kubelet where it has the metric. */
export interface MetricOptions {
  readonly name: string;
  /** One sentence; must not be empty. */
  readonly help: string;
  readonly labelNames?: readonly string[];
}

/** Value of a series. */
export interface Sample {
  readonly value: number;
  readonly labels: Labels;
}

/** Options of a gauge. */
export interface GaugeOptions extends MetricOptions {
  /** Reads the value of a metric without labels at each collection. */
  readonly read?: () => number;
  /** Measures all series at each collection; those of the previous one are removed. Must not reject. */
  readonly collect?: () => Promise<readonly Sample[]>;
}

/** Port for metrics. Two requests for one name return the same metric. */
export interface Metrics {
  counter(options: MetricOptions): Counter;
  gauge(options: GaugeOptions): Gauge;
  histogram(options: MetricOptions & { readonly buckets: readonly number[] }): Histogram;
}

/** Drops every measurement. */
export const noopMetrics: Metrics = {
  counter: () => ({ inc: () => undefined, remove: () => undefined }),
  gauge: () => ({ set: () => undefined, remove: () => undefined }),
  histogram: () => ({ observe: () => undefined, remove: () => undefined }),
};
