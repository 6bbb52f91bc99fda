/** Amounts of a node, or of a container, at a time. */
export interface ResourceSample {
  readonly node: string;
  /** Empty for the node, as are pod and container. */
  readonly namespace: string;
  readonly pod: string;
  readonly container: string;
  readonly timeMs: number;
  readonly cpuSeconds: number;
  readonly memoryBytes: number;
}

/** Usage of a node, or of a container, between two samples. */
export interface ResourceUsage extends Omit<ResourceSample, 'cpuSeconds'> {
  readonly windowMs: number;
  readonly cpuNanoCores: number;
}

/** The metrics that metrics-server reads, each by its series. */
const CPU = ['node_cpu_usage_seconds_total', 'container_cpu_usage_seconds_total'];
const MEMORY = ['node_memory_working_set_bytes', 'container_memory_working_set_bytes'];

/** Parses `/metrics/resource` of a node as metrics-server does: what lacks CPU, memory or a time is left out. */
export function parseResourceMetrics(node: string, text: string): ResourceSample[] {
  const found = new Map<string, Partial<ResourceSample> & { readonly labels: string }>();
  for (const line of text.split('\n')) {
    const [, name = '', labels = '', value = '', time] = /^(\w+)(?:\{([^}]*)\})? (\S+) (\d+)$/.exec(line) ?? [];
    const amount = CPU.includes(name) ? 'cpuSeconds' : MEMORY.includes(name) ? 'memoryBytes' : undefined;
    if (amount === undefined) continue;
    // CPU is measured with a time of its own, by which metrics-server calculates rates.
    const times = amount === 'cpuSeconds' ? { timeMs: Number(time) } : {};
    found.set(labels, { ...found.get(labels), labels, [amount]: Number(value), ...times });
  }
  return [...found.values()].flatMap(({ labels, timeMs, cpuSeconds, memoryBytes }) => {
    if (timeMs === undefined || cpuSeconds === undefined || memoryBytes === undefined) return [];
    const label = (name: string): string => new RegExp(`\\b${name}="([^"]*)"`).exec(labels)?.[1] ?? '';
    const identity = { node, namespace: label('namespace'), pod: label('pod'), container: label('container') };
    return [{ ...identity, timeMs, cpuSeconds, memoryBytes }];
  });
}

/** Returns the usage of what both of two scrapes have. */
export function usageBetween(before: readonly ResourceSample[], after: readonly ResourceSample[]): ResourceUsage[] {
  const keyOf = ({ node, namespace, pod, container }: ResourceSample): string =>
    [node, namespace, pod, container].join('/');
  const earlier = new Map(before.map((sample) => [keyOf(sample), sample]));
  return after.flatMap(({ cpuSeconds, ...sample }) => {
    const previous = earlier.get(keyOf({ ...sample, cpuSeconds }));
    const windowMs = sample.timeMs - (previous?.timeMs ?? Infinity);
    if (previous === undefined || windowMs <= 0) return [];
    const cpuNanoCores = Math.trunc(((cpuSeconds - previous.cpuSeconds) / windowMs) * 1e12);
    return [{ ...sample, windowMs, cpuNanoCores }];
  });
}
