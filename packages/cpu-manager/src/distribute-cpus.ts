import { combinations, type CpuSet } from '@rxlet/machine/topology';
import { type CpuLayout, groupCpus } from './cpu-layout.ts';
import { NotEnoughCpusError } from './cpu-policy-error.ts';
import { type CpuChoice, CpuPool } from './cpu-pool.ts';
import { overwrittenCombinations } from './overwritten-combinations.ts';

/** NUMA nodes for an allocation: each gives the same share, and some give the rest. */
interface Distribution {
  readonly nodes: readonly number[];
  readonly restNodes: readonly number[];
}

/**
 * Takes equal shares of the fewest NUMA nodes that have enough CPUs (KEP-2902), in groups of `groupSize`. Of equally many nodes those are chosen that leave the
 * free CPUs most balanced over the machine. Returns `undefined` when no nodes can give equal shares.
 */
export function distributeCpus(
  layout: CpuLayout,
  available: CpuSet,
  count: number,
  groupSize: number,
  choice: CpuChoice,
): Set<number> | undefined {
  const pool = new CpuPool(layout, available, count, choice);
  const nodes = pool.ordered('numaNode');
  const free = new Map(nodes.map((node) => [node, groupCpus(layout.places, pool.free, 'numaNode').get(node)!.size]));
  const choose = choice.repeatsFaults ? overwrittenCombinations : combinations<number>;
  const groups = Math.ceil(count / groupSize);
  const groupsOfNode = Math.ceil(Math.ceil(layout.cpus.size / groupSize) / layout.groups.numaNode.size);
  const most = Math.min(groups, nodes.length);
  for (let size = Math.ceil(groups / groupsOfNode); size <= most; size += 1) {
    const best = bestDistribution(nodes, size, free, count, groupSize, choose);
    if (best === undefined) continue;
    takeShares(layout, pool, best, shareOf(count, size, groupSize), groupSize, choice);
    return pool.taken;
  }
  return undefined;
}

/** Returns the CPUs that each of `nodes` nodes gives, in whole groups. */
function shareOf(count: number, nodes: number, groupSize: number): number {
  return Math.floor(Math.floor(count / nodes) / groupSize) * groupSize;
}

function bestDistribution(
  nodes: readonly number[],
  size: number,
  free: ReadonlyMap<number, number>,
  count: number,
  groupSize: number,
  choose: typeof overwrittenCombinations,
): Distribution | undefined {
  let best: Distribution | undefined;
  let bestImbalance = Infinity;
  const share = shareOf(count, size, groupSize);
  for (const combination of choose(nodes, size)) {
    if (bestImbalance === 0) break;
    const amounts = combination.map((node) => free.get(node)!);
    if (amounts.some((amount) => amount < share)) continue;
    const left = new Map(free);
    for (const node of combination) left.set(node, left.get(node)! - share);
    const rest = bestRest(combination, left, count - share * size, groupSize, choose);
    if (rest !== undefined && rest.imbalance < bestImbalance) {
      bestImbalance = rest.imbalance;
      best = { nodes: combination, restNodes: rest.nodes };
    }
  }
  return best;
}

/** Chooses the nodes that give the rest: the choice that leaves the free CPUs most balanced, of as many nodes as possible. */
function bestRest(
  combination: readonly number[],
  left: ReadonlyMap<number, number>,
  rest: number,
  groupSize: number,
  choose: typeof overwrittenCombinations,
): { readonly imbalance: number; readonly nodes: readonly number[] } | undefined {
  if (rest === 0) return { imbalance: imbalance([...left.values()]), nodes: [] };
  const able = combination.filter((node) => left.get(node)! >= groupSize);
  let best: { readonly imbalance: number; readonly nodes: readonly number[] } | undefined;
  for (let size = able.length; size >= 1; size -= 1) {
    for (const nodes of choose(able, size)) {
      const after = takeRest(nodes, left, rest, groupSize);
      if (after === undefined) continue;
      const value = imbalance([...after.values()]);
      if (value < (best?.imbalance ?? Infinity)) best = { imbalance: value, nodes };
    }
  }
  return best;
}

/** Takes the rest in turns of one group from each node; `undefined` when the nodes have too few groups. */
function takeRest(
  nodes: readonly number[],
  left: ReadonlyMap<number, number>,
  rest: number,
  groupSize: number,
): Map<number, number> | undefined {
  const after = new Map(left);
  const groups = nodes.reduce((sum, node) => sum + Math.floor(left.get(node)! / groupSize), 0);
  if (groups * groupSize < rest) return undefined;
  for (let missing = rest; missing > 0;) {
    for (const node of nodes) {
      if (missing <= 0) break;
      if (after.get(node)! < groupSize) continue;
      after.set(node, after.get(node)! - groupSize);
      missing -= groupSize;
    }
  }
  return after;
}

function takeShares(
  layout: CpuLayout,
  pool: CpuPool,
  { nodes, restNodes }: Distribution,
  share: number,
  groupSize: number,
  choice: CpuChoice,
): void {
  const freeOf = (node: number): CpuSet => groupCpus(layout.places, pool.free, 'numaNode').get(node) ?? new Set();
  const takeFrom = (node: number, count: number): void => {
    const part = new CpuPool(layout, freeOf(node), count, choice);
    if (part.free.size < count) return;
    part.takePacked();
    pool.take(part.taken);
  };
  let rest = pool.needed - share * nodes.length;
  for (const node of nodes) takeFrom(node, share);
  while (rest > 0 && restNodes.some((node) => freeOf(node).size >= groupSize)) {
    for (const node of restNodes) {
      if (rest <= 0 || freeOf(node).size < groupSize) continue;
      takeFrom(node, groupSize);
      rest -= groupSize;
    }
  }
  if (pool.needed > 0)
    throw new NotEnoughCpusError(`accounting error, not enough CPUs allocated, remaining: ${String(pool.needed)}`);
}

/** Returns the standard deviation, rounded to thousandths like its mean. */
function imbalance(values: readonly number[]): number {
  const mean = thousandths(values.reduce((sum, value) => sum + value, 0) / values.length);
  const squares = values.reduce((sum, value) => sum + (value - mean) ** 2, 0);
  return thousandths(Math.sqrt(squares / values.length));
}

function thousandths(value: number): number {
  return Math.round(value * 1000) / 1000;
}
