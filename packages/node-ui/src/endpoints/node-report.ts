// Data on the wire between the agent and the page, beside the stream. The page imports these types, so that this file imports nothing but types.
import type { ShownPanel } from '../panels.ts';

/** Answer of `/ui/node`. Amounts are CPUs in thousandths and bytes. */
export interface NodeReport {
  readonly name: string;
  readonly addresses: readonly string[];
  /** Resources of the node, of which pods may use the allocatable part; empty when no module knows them. */
  readonly resources: readonly NodeResourceRow[];
  readonly pods: { readonly active: number; readonly max?: number };
  /** Conditions of the Node object; empty for an agent without one. */
  readonly conditions: readonly NodeConditionRow[];
  readonly checks: readonly { readonly name: string; readonly problem?: string }[];
  /** State of evictions, as the debug state has it; absent without the module. */
  readonly eviction?: unknown;
  readonly panels: readonly ShownPanel[];
}

/** A resource of the node. */
export interface NodeResourceRow {
  readonly name: string;
  /** Thousandths of a CPU for `cpu`, else whole units. */
  readonly capacity: number;
  readonly allocatable: number;
  /** Sum of the requests of the active pods. */
  readonly requested: number;
}

/** A condition of the node. */
export interface NodeConditionRow {
  readonly type: string;
  readonly status: string;
  readonly reason: string;
  readonly message: string;
  readonly since?: string;
}

/** Answer of `/ui/inside`: sections of the debug state by name. */
export interface InsideReport {
  readonly nowMs: number;
  readonly sections: Readonly<Record<string, unknown>>;
  /** Number of pod workers by the state that they are in. */
  readonly workers: Readonly<Record<string, number>>;
  readonly panels: readonly ShownPanel[];
}
