import type { HugePages } from '../machine.ts';

/** NUMA nodes of a machine, with their CPUs and their memory. */
export interface MachineTopology {
  /** Ordered by id. Ids may have gaps. */
  readonly numaNodes: readonly NumaNode[];
}

/** NUMA node: memory, and the CPUs that are close to it. A node may have no CPUs, or no memory. */
export interface NumaNode {
  readonly id: number;
  /** All memory of the node, huge pages included. */
  readonly memoryBytes: number;
  /** Ordered by size. */
  readonly hugePages: readonly HugePages[];
  /** Distances to the nodes of the machine, in the order of their ids; `undefined` when the kernel does not report them. */
  readonly distances?: readonly number[] | undefined;
  readonly cores: readonly CpuCore[];
}

/** Physical core. */
export interface CpuCore {
  /** Physical package of the core. */
  readonly socket: number;
  /** Online CPUs of the core, its hardware threads. Cores of one machine may have different numbers of them. */
  readonly cpus: readonly number[];
  /** Last-level cache that only some cores of the NUMA node share; `undefined` when all share one. */
  readonly uncoreCache?: number | undefined;
}
