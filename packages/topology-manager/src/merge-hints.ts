import type { NumaHint, ResourceHints } from '@rxlet/agent-api/topology';
import { compareNumaNodes, numaMask } from '@rxlet/machine/topology';
import type { TopologyPolicy } from './topology-policy.ts';

/** Decision of a policy about the resources of a container or a pod. */
export interface MergedHint {
  /** NUMA nodes for the resources. */
  readonly hint: NumaHint;
  /** Whether the policy admits the pod with these nodes. */
  readonly isAdmitted: boolean;
}

/** Choice of one hint for each of the resources so far, reduced to what decides about the result. */
interface Choice {
  /** Nodes in all chosen hints. */
  readonly mask: bigint;
  /** Whether all chosen hints are preferred and have the same nodes. */
  readonly isPreferred: boolean;
  /** Nodes of the chosen hints of a preferred choice; `undefined` when they have no preference. */
  readonly common: bigint | undefined;
}

/** Hint of a resource; without nodes when any will do. */
interface MaskedHint {
  readonly mask: bigint | undefined;
  readonly size: number;
  readonly isPreferred: boolean;
}

/**
 * Merges the hints of all providers to the best NUMA nodes for all resources: of every choice of one hint for each resource, the nodes in all of these hints.
 * Choices are preferred in which all hints are preferred and have the same nodes. Time is proportional to the number of resources, and not exponential in it.
 */
export function mergeHints(policy: TopologyPolicy, providers: readonly (ResourceHints | undefined)[]): MergedHint {
  if (policy.name === 'none') return { hint: { numaNodes: undefined, isPreferred: false }, isAdmitted: true };
  const isSingleNode = policy.name === 'single-numa-node';
  const resources = providers.flatMap(hintsOfProvider).map((hints) => (isSingleNode ? onSingleNode(hints) : hints));
  const all = numaMask(policy.numaNodes);
  const best = bestHint(policy, choicesOf(resources, all), largestMinimum(resources));
  const { numaNodes, isPreferred } = best ?? { numaNodes: policy.numaNodes, isPreferred: false };
  const isAll = numaNodes.length === policy.numaNodes.length;
  const hint = { numaNodes: isSingleNode && isAll ? undefined : numaNodes, isPreferred };
  return { hint, isAdmitted: policy.name === 'best-effort' || isPreferred };
}

function hintsOfProvider(hints: ResourceHints | undefined): (readonly MaskedHint[])[] {
  const any = { mask: undefined, size: 0, isPreferred: true };
  const lists = Object.values(hints ?? {});
  if (lists.length === 0) return [[any]];
  return lists.map((list) => {
    if (list === undefined) return [any];
    if (list.length === 0) return [{ ...any, isPreferred: false }];
    return list.map(({ numaNodes, isPreferred }) => ({
      mask: numaNodes && numaMask(numaNodes),
      size: new Set(numaNodes).size,
      isPreferred,
    }));
  });
}

function onSingleNode(hints: readonly MaskedHint[]): readonly MaskedHint[] {
  return hints.filter(({ mask, size, isPreferred }) => isPreferred && (mask === undefined || size === 1));
}

/** Returns the largest of the resources' minimal numbers of nodes. A hint that is not preferred should have that many. */
function largestMinimum(resources: readonly (readonly MaskedHint[])[]): number {
  const minima = resources.map((hints) => {
    const sizes = hints.filter(({ mask }) => mask !== undefined).map(({ size }) => size);
    return sizes.length === 0 ? 0 : Math.min(...sizes);
  });
  return Math.max(0, ...minima);
}

/** Combines the hints resource by resource. Choices that cannot differ in the result are kept once. */
function choicesOf(resources: readonly (readonly MaskedHint[])[], all: bigint): Choice[] {
  let choices: Choice[] = [{ mask: all, isPreferred: true, common: undefined }];
  for (const hints of resources) {
    const next = new Map<string, Choice>();
    for (const choice of choices) {
      for (const hint of hints) {
        const combined = combine(choice, hint);
        next.set(
          `${combined.mask.toString(16)}/${combined.common?.toString(16) ?? ''}/${String(combined.isPreferred)}`,
          combined,
        );
      }
    }
    choices = [...next.values()];
  }
  return choices;
}

function combine(choice: Choice, hint: MaskedHint): Choice {
  const mask = hint.mask === undefined ? choice.mask : choice.mask & hint.mask;
  const isSame = hint.mask === undefined || choice.common === undefined || choice.common === hint.mask;
  if (!choice.isPreferred || !hint.isPreferred || !isSame) return { mask, isPreferred: false, common: undefined };
  return { mask, isPreferred: true, common: choice.common ?? hint.mask };
}

/** Hint with nodes. */
type NodesHint = NumaHint & { readonly numaNodes: readonly number[] };

function bestHint(policy: TopologyPolicy, choices: readonly Choice[], goal: number): NodesHint | undefined {
  let best: NodesHint | undefined;
  for (const { mask, isPreferred } of choices) {
    const numaNodes = policy.numaNodes.filter((node) => (mask & (1n << BigInt(node))) !== 0n);
    const hint = { numaNodes, isPreferred };
    if (numaNodes.length > 0 && (best === undefined || compareHints(policy, hint, best, goal) < 0)) best = hint;
  }
  return best;
}

/** Compares hints: negative when the first is better. */
function compareHints(policy: TopologyPolicy, left: NodesHint, right: NodesHint, goal: number): number {
  if (left.isPreferred !== right.isPreferred) return left.isPreferred ? -1 : 1;
  const bySize = left.isPreferred ? 0 : distanceToGoal(left, goal) - distanceToGoal(right, goal);
  return bySize || compareNodes(policy, left.numaNodes, right.numaNodes);
}

/** Orders numbers of nodes: the goal, then fewer in descending order, then more in ascending order. */
function distanceToGoal({ numaNodes: { length } }: NodesHint, goal: number): number {
  return length <= goal ? goal - length : length;
}

/** Compares sets of nodes: smaller ones first, then those with a lower average distance if the policy asks for it, then those with lower ids. */
function compareNodes({ distances }: TopologyPolicy, left: readonly number[], right: readonly number[]): number {
  if (distances === undefined || left.length !== right.length) return compareNumaNodes(left, right);
  const total = (nodes: readonly number[]): number =>
    nodes.reduce((sum, from) => nodes.reduce((part, to) => part + (distances.get(from)?.get(to) ?? 0), sum), 0);
  return total(left) - total(right) || compareNumaNodes(left, right);
}
