import type { LastingFault } from '../faults/lasting-faults.ts';
import type { TimedStep } from './step.ts';
import type { Workload } from './workloads.ts';

/** Properties of the simulated node. */
export interface WorldOptions {
  readonly workload: Workload;
  /** Latency of the runtime's changes, in milliseconds. */
  readonly latencyMs: number;
  /** Whether the runtime emits events, or must be polled. */
  readonly hasEvents: boolean;
  /** Latency of the API server, in milliseconds. */
  readonly apiLatencyMs: number;
  /** Whether watches begin with the objects. Without it, lists come from a cache that can be stale. */
  readonly hasStreamingLists: boolean;
  /** Whether the agent keeps the last known objects for a start without the API server. */
  readonly hasOfflineCache: boolean;
}

/** A whole run as plain data: the same plan on the same commit gives the same run. */
export interface Plan {
  /** Seed of the plan and of the randomness in the run. */
  readonly seed: number;
  readonly world: WorldOptions;
  /** Time in which the steps are, in milliseconds. */
  readonly durationMs: number;
  /** Names of the pods that steps may concern. */
  readonly podNames: readonly string[];
  /** Names of the nodes of a world that has several. */
  readonly nodeNames?: readonly string[];
  /** Names of the enabled kinds of faults. */
  readonly faults: readonly string[];
  /** Names of the enabled parts of the world. Default: none. */
  readonly parts?: readonly string[];
  /** A fault that never ends: all that it does not touch must converge nevertheless. */
  readonly lasting?: LastingFault;
  /** The node that the permanent fault concerns. Default: all. */
  readonly lastingNode?: string;
  /** In the order of time. */
  readonly steps: readonly TimedStep[];
}
