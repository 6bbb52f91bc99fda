/** A series of a metric. */
export interface Series {
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

/** Series by the name of their metric. */
export type MetricSet = ReadonlyMap<string, readonly Series[]>;

/** Parses metrics in the text format of Prometheus, as far as the page uses them: names, labels and values. */
export function parseMetrics(text: string): MetricSet {
  const metrics = new Map<string, Series[]>();
  for (const line of text.split('\n')) {
    const match = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (\S+)/.exec(line);
    if (match === null) continue;
    const [, name = '', labels = '', value = ''] = match;
    const series = metrics.get(name) ?? [];
    series.push({ labels: parseLabels(labels), value: Number(value.replace('Inf', 'Infinity')) });
    metrics.set(name, series);
  }
  return metrics;
}

function parseLabels(text: string): Readonly<Record<string, string>> {
  const labels: Record<string, string> = {};
  for (const [, name = '', value = ''] of text.matchAll(/([a-zA-Z_]\w*)="((?:[^"\\]|\\.)*)"/g))
    labels[name] = value.replace(/\\(.)/g, (_, escaped: string) => (escaped === 'n' ? '\n' : escaped));
  return labels;
}

/** Returns the sum of all series of a metric whose labels match; 0 without any. */
export function total(metrics: MetricSet, name: string, labels: Readonly<Record<string, string>> = {}): number {
  return (metrics.get(name) ?? [])
    .filter((series) => Object.entries(labels).every(([key, value]) => series.labels[key] === value))
    .reduce((sum, { value }) => sum + value, 0);
}

/** A distribution of durations. */
export interface Distribution {
  readonly count: number;
  readonly sumSeconds: number;
  /** Number of observations in each bucket, not cumulated, with its upper bound in seconds. */
  readonly buckets: readonly { readonly upToSeconds: number; readonly count: number }[];
}

/** Returns the distributions of a histogram by the value of one of its labels. */
export function distributions(metrics: MetricSet, name: string, label: string): ReadonlyMap<string, Distribution> {
  const found = new Map<string, Distribution>();
  const groups = Map.groupBy(metrics.get(`${name}_bucket`) ?? [], ({ labels }) => labels[label] ?? '');
  for (const [key, series] of groups) {
    let before = 0;
    const buckets = series.map(({ labels, value }) => {
      const count = value - before;
      before = value;
      return { upToSeconds: Number((labels['le'] ?? '').replace('+Inf', 'Infinity')), count };
    });
    found.set(key, {
      count: total(metrics, `${name}_count`, { [label]: key }),
      sumSeconds: total(metrics, `${name}_sum`, { [label]: key }),
      buckets,
    });
  }
  return found;
}

/** Returns the duration that a share of the observations stays below: the upper bound of the bucket that it is in. */
export function quantile({ count, buckets }: Distribution, share: number): number {
  let seen = 0;
  for (const bucket of buckets) {
    seen += bucket.count;
    if (seen >= share * count) return bucket.upToSeconds;
  }
  return Infinity;
}
