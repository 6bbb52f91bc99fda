/** Returns the value below which the share `q` (0 to 1) of the samples lies; NaN of none. */
export function quantile(samples: readonly number[], q: number): number {
  const sorted = samples.toSorted((left, right) => left - right);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * q))] ?? NaN;
}

/** Returns the median. */
export function median(samples: readonly number[]): number {
  return quantile(samples, 0.5);
}

/** `p50 1.2, p99 3.4, max 5.6 ms (n 100)`. */
export function spread(samplesMs: readonly number[]): string {
  const [p50, p99, max] = [0.5, 0.99, 1].map((q) => quantile(samplesMs, q).toFixed(1));
  return `p50 ${p50!}, p99 ${p99!}, max ${max!} ms (n ${String(samplesMs.length)})`;
}

/** Returns the increase of each number. */
export function difference(
  before: Readonly<Record<string, number>>,
  after: Readonly<Record<string, number>>,
): Record<string, number> {
  return Object.fromEntries(Object.entries(after).map(([name, value]) => [name, value - (before[name] ?? 0)]));
}

/** Formats the numbers that are not 0, the largest first: `listContainers 1.00, version 0.20`. */
export function breakdown(numbers: Readonly<Record<string, number>>, places: number): string {
  return Object.entries(numbers)
    .toSorted(([, left], [, right]) => right - left)
    .map(([name, value]) => [name, value.toFixed(places)] as const)
    .filter(([, text]) => Number(text) !== 0)
    .map(([name, text]) => `${name} ${text}`)
    .join(', ');
}
