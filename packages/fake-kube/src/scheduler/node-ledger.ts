import type { Node, Pod, PodSpec, Quantity } from '@rxlet/kube-api';
import { isTerminalPhase } from '@rxlet/pod-model';
import { parseQuantity, quantityMilliValue } from '@rxlet/pod-model/quantity';
import { podRequests } from '@rxlet/pod-model/resources';

/** Resources in thousandths of their units, by name. */
export type MilliAmounts = ReadonlyMap<string, bigint>;

/** A node with what its pods take of it. */
export interface NodeEntry {
  readonly name: string;
  readonly node: Node;
  readonly allocatable: MilliAmounts;
  /** Number of pods that have not ended. */
  readonly podCount: number;
  readonly used: MilliAmounts;
}

/** Nodes and the pods on them, kept up to date by changes, so that a placement does not look at every pod of the cluster. */
export interface NodeLedger {
  setNode(name: string, node: Node | undefined): void;
  /** Records a pod of a node; `undefined`, a pod without a node or one that has ended takes nothing. @returns whether a node has more room than before */
  setPod(key: string, pod: Pod | undefined): boolean;
  /** Returns the nodes that exist, in the order of their names. */
  entries(): readonly NodeEntry[];
}

interface Load {
  podCount: number;
  readonly used: Map<string, bigint>;
}

interface Placed {
  readonly spec: PodSpec;
  readonly nodeName: string;
  readonly requests: MilliAmounts;
}

/** Creates an empty {@link NodeLedger}. */
export function createNodeLedger(): NodeLedger {
  const nodes = new Map<string, { readonly node: Node; readonly allocatable: MilliAmounts }>();
  const loads = new Map<string, Load>();
  const placed = new Map<string, Placed>();
  let sorted: readonly NodeEntry[] | undefined;

  const loadOf = (name: string): Load => {
    const found = loads.get(name) ?? { podCount: 0, used: new Map<string, bigint>() };
    loads.set(name, found);
    return found;
  };
  const take = ({ nodeName, requests }: Placed, count: 1 | -1): void => {
    const load = loadOf(nodeName);
    load.podCount += count;
    for (const [name, amount] of requests) load.used.set(name, (load.used.get(name) ?? 0n) + BigInt(count) * amount);
  };

  return {
    setNode(name, node) {
      sorted = undefined;
      if (node === undefined) nodes.delete(name);
      else nodes.set(name, { node, allocatable: milliAmounts(node.status?.allocatable ?? {}) });
    },
    setPod(key, pod) {
      const before = placed.get(key);
      const spec = pod?.spec;
      const nodeName = isTerminalPhase(pod?.status?.phase) ? undefined : spec?.nodeName;
      // The status of a pod changes often, and its requests seldom.
      if (before !== undefined && before.spec === spec && before.nodeName === nodeName) return false;
      const after = spec && nodeName ? { spec, nodeName, requests: requestsOf({ spec }) } : undefined;
      if (before !== undefined) take(before, -1);
      if (after !== undefined) take(after, 1);
      if (after === undefined) placed.delete(key);
      else placed.set(key, after);
      return before !== undefined && (after === undefined || isLess(after.requests, before.requests));
    },
    entries: () =>
      (sorted ??= [...nodes.keys()].sort().map((name) => {
        const { node, allocatable } = nodes.get(name)!;
        const load = loadOf(name);
        return {
          name,
          node,
          allocatable,
          used: load.used,
          get podCount() {
            return load.podCount;
          },
        };
      })),
  };
}

/** Returns the requests of a pod. */
export function requestsOf(pod: Pod): MilliAmounts {
  return new Map(Object.entries(podRequests(pod)).map(([name, amount]) => [name, quantityMilliValue(amount)]));
}

function milliAmounts(amounts: Readonly<Record<string, Quantity>>): MilliAmounts {
  return new Map(Object.entries(amounts).map(([name, text]) => [name, quantityMilliValue(parseQuantity(text))]));
}

function isLess(after: MilliAmounts, before: MilliAmounts): boolean {
  return [...before].some(([name, amount]) => (after.get(name) ?? 0n) < amount);
}
