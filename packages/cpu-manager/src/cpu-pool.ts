import { type CpuSet, sortedCpus } from '@rxlet/machine/topology';
import { type CpuLayout, type CpuLevel, groupCpus } from './cpu-layout.ts';

/** How CPUs are chosen. */
export interface CpuChoice {
  /** Take hardware threads of different cores before a second one of the same core. */
  readonly spreadsOverCores: boolean;
  /** Take CPUs that share few last-level caches. */
  readonly alignsToUncoreCaches: boolean;
  /** Whether to repeat the faults of a kubelet that `StaticCpuPolicySettings` lists. */
  readonly repeatsFaults: boolean;
}

/** Free CPUs of a machine, from which one allocation takes its own. */
export class CpuPool {
  readonly taken: Set<number> = new Set();
  readonly #layout: CpuLayout;
  readonly #choice: CpuChoice;
  #free: CpuSet;
  #needed: number;
  /** Whether NUMA nodes contain sockets; else sockets contain NUMA nodes. */
  readonly #nodesContainSockets: boolean;

  constructor(layout: CpuLayout, available: CpuSet, needed: number, choice: CpuChoice) {
    this.#layout = layout;
    this.#choice = choice;
    this.#free = available.intersection(layout.cpus);
    this.#needed = needed;
    this.#nodesContainSockets = layout.groups.socket.size >= layout.groups.numaNode.size;
  }

  get needed(): number {
    return this.#needed;
  }

  get free(): CpuSet {
    return this.#free;
  }

  take(cpus: CpuSet): void {
    for (const cpu of cpus) this.taken.add(cpu);
    this.#free = this.#free.difference(cpus);
    this.#needed -= cpus.size;
  }

  /** Takes whole NUMA nodes and sockets, larger parts first, then whole caches and cores, then single CPUs. */
  takePacked(): void {
    const [larger, smaller] = this.#nodesContainSockets
      ? (['numaNode', 'socket'] as const)
      : (['socket', 'numaNode'] as const);
    this.#takeWhole(larger);
    this.#takeWhole(smaller);
    if (this.#choice.alignsToUncoreCaches) this.#takeUncoreCaches();
    if (!this.#choice.spreadsOverCores) this.#takeWhole('core');
    this.#takeSingle();
  }

  /** Returns the ids of the parts with free CPUs: those with the fewest free CPUs first, within the larger part that they belong to. */
  ordered(level: CpuLevel): readonly number[] {
    const groups = groupCpus(this.#layout.places, this.#free, level);
    const sorted = (ids: Iterable<number>): number[] =>
      [...ids].sort((left, right) => groups.get(left)!.size - groups.get(right)!.size || left - right);
    const larger = this.#larger(level);
    if (larger === undefined) return sorted(groups.keys());
    const inLarger = groupCpus(this.#layout.places, this.#free, larger);
    return this.ordered(larger).flatMap((id) =>
      sorted(groupCpus(this.#layout.places, inLarger.get(id)!, level).keys()),
    );
  }

  #larger(level: CpuLevel): CpuLevel | undefined {
    const [outer, inner] = this.#nodesContainSockets
      ? (['numaNode', 'socket'] as const)
      : (['socket', 'numaNode'] as const);
    if (level === outer) return undefined;
    if (level === inner) return outer;
    return level === 'core' ? inner : 'numaNode';
  }

  #takeWhole(level: CpuLevel): void {
    const all = this.#layout.groups[level];
    const free = groupCpus(this.#layout.places, this.#free, level);
    for (const id of this.ordered(level).filter((id) => this.#isWhole(level, all.get(id)!, free.get(id)!))) {
      const cpus = all.get(id)!;
      if (this.#needed >= cpus.size) this.take(cpus);
    }
  }

  #isWhole(level: CpuLevel, all: CpuSet, free: CpuSet): boolean {
    if (level === 'numaNode' || level === 'uncoreCache') return free.size === all.size;
    const isAverage = free.size === this.#layout.averageCpus[level];
    return isAverage && (this.#choice.repeatsFaults || free.size === all.size);
  }

  #takeUncoreCaches(): void {
    for (const id of this.ordered('uncoreCache')) {
      if (this.#needed >= this.#layout.averageCpus.uncoreCache) this.#takeWhole('uncoreCache');
      this.#takeFromUncoreCache(id);
    }
  }

  /** Takes all CPUs that are still needed from the lowest cores of one cache, or none. */
  #takeFromUncoreCache(id: number): void {
    const { places, averageCpus } = this.#layout;
    const inCache = groupCpus(places, this.#free, 'uncoreCache').get(id) ?? [];
    const byCore = groupCpus(places, this.#free, 'core');
    const cores = sortedCpus(groupCpus(places, inCache, 'core').keys());
    const chosen = cores.slice(0, Math.ceil(this.#needed / averageCpus.core));
    let cpus = sortedCpus(chosen.flatMap((core) => [...byCore.get(core)!]));
    const leavesThread = this.#needed % 2 !== 0 && averageCpus.core > 1 && cpus.length > this.#needed;
    if (leavesThread) cpus = cpus.slice(0, -1);
    if (cpus.length === this.#needed) this.take(new Set(cpus));
  }

  #takeSingle(): void {
    const level = this.#choice.spreadsOverCores ? 'socket' : 'core';
    const groups = groupCpus(this.#layout.places, this.#free, level);
    const cpus = this.ordered(level).flatMap((id) => sortedCpus(groups.get(id)!));
    this.take(new Set(cpus.slice(0, this.#needed)));
  }
}
