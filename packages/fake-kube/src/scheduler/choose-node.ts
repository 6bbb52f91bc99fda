import type { Node, Pod } from '@rxlet/kube-api';
import { labelValue, matchesNodeSelector, toleratesTaint } from '@rxlet/pod-model/scheduling';
import { type MilliAmounts, type NodeEntry, requestsOf } from './node-ledger.ts';

/** Node of a pod, or the reasons why there is none. */
export type Placement =
  | {
      readonly kind: 'node';
      readonly name: string;
      /** Position at which the next search begins. */ readonly next: number;
    }
  | { readonly kind: 'none'; readonly message: string };

/** Suitable nodes among which a search chooses. It ends with the last of them, so that a large cluster is not looked at as a whole for each pod. */
const ENOUGH = 100;

/**
 * Chooses a node for a pod: one that is ready and schedulable, whose taints the pod tolerates, that it selects, and that has the resources it requests. Among several, that with
 * the fewest pods, then the first by name; of more than a hundred, the first hundred from `start` on count.
 *
 * @param nodes all nodes of the cluster, in the order of their names
 */
export function chooseNode(pod: Pod, nodes: readonly NodeEntry[], start = 0): Placement {
  const requests = requestsOf(pod);
  const problems = new Map<string, number>();
  const first = nodes.length > ENOUGH ? start % nodes.length : 0;
  let best: NodeEntry | undefined;
  let found = 0;
  let visited = 0;
  for (; visited < nodes.length && found < ENOUGH; visited += 1) {
    const entry = nodes[(first + visited) % nodes.length]!;
    const problem = problemOf(pod, entry, requests);
    if (problem !== undefined) {
      problems.set(problem, (problems.get(problem) ?? 0) + 1);
      continue;
    }
    found += 1;
    if (best === undefined || entry.podCount < best.podCount) best = entry;
  }
  if (best !== undefined) return { kind: 'node', name: best.name, next: first + visited };
  const reasons = Array.from(problems, ([problem, count]) => `${String(count)} ${problem}`).sort();
  const list = reasons.length === 0 ? 'no nodes available to schedule pods' : reasons.join(', ');
  return { kind: 'none', message: `0/${String(nodes.length)} nodes are available: ${list}.` };
}

/** Returns why a pod cannot be on a node, in the words of the scheduler; `undefined` when it can. */
function problemOf(pod: Pod, entry: NodeEntry, requests: MilliAmounts): string | undefined {
  const { spec, status } = entry.node;
  if (spec?.unschedulable === true) return 'node(s) were unschedulable';
  if (!status?.conditions?.some((condition) => condition.type === 'Ready' && condition.status === 'True')) {
    return 'node(s) were not ready';
  }
  const tolerations = pod.spec?.tolerations ?? [];
  const taint = (spec?.taints ?? [])
    .filter(({ effect }) => effect !== 'PreferNoSchedule')
    .find((each) => !tolerations.some((toleration) => toleratesTaint(toleration, each)));
  if (taint !== undefined) return `node(s) had untolerated taint(s) {${taint.key}: ${taint.value ?? ''}}`;
  if (!isSelected(pod, entry.node)) return "node(s) didn't match Pod's node affinity/selector";
  return insufficientResource(entry, requests);
}

/** Reports whether a pod's selector and its required affinity choose a node. */
export function isSelected({ spec }: Pod, node: Node): boolean {
  const labels = node.metadata?.labels ?? {};
  const required = spec?.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
  return (
    Object.entries(spec?.nodeSelector ?? {}).every(([key, value]) => labelValue(labels, key) === value) &&
    (required === undefined || matchesNodeSelector(required, node))
  );
}

function insufficientResource({ allocatable, podCount, used }: NodeEntry, requests: MilliAmounts): string | undefined {
  if (BigInt(podCount + 1) * 1000n > (allocatable.get('pods') ?? 0n)) return 'Too many pods';
  for (const [name, amount] of requests)
    if (amount > 0n && (used.get(name) ?? 0n) + amount > (allocatable.get(name) ?? 0n)) return `Insufficient ${name}`;
  return undefined;
}
