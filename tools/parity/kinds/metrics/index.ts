import type { Answer } from '../../vector-kind.ts';
import { isAbsent } from './absent-families.ts';
import { agentFamilies } from './agent-families.ts';
import type { Family } from './families.ts';

interface MetricsVector {
  readonly name: string;
  readonly type: string;
  readonly labels: readonly string[];
  /** Number of recorded series, of all values of the labels. */
  readonly series: number;
  readonly help: string;
}

let registered: Promise<ReadonlyMap<string, Family>> | undefined;

/** One metric family of `/metrics`. */
export async function run({ name, type, labels, series, help }: MetricsVector): Promise<Answer> {
  registered ??= agentFamilies();
  const family = (await registered).get(name);
  if (isAbsent(name)) return { got: family, want: undefined };
  if (family === undefined) return { got: 'absent', want: 'registered' };
  // Each combination of labels has a series for each bucket, for +Inf, the sum and the count.
  const seriesOfOne = family.type === 'histogram' ? family.buckets + 3 : 1;
  return {
    got: { type: family.type, labels: family.labels, help: family.help, unexplainedSeries: series % seriesOfOne },
    want: { type, labels: labels.toSorted(), help, unexplainedSeries: 0 },
  };
}
