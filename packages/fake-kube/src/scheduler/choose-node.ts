import type { Node, Pod } from '@rxlet/kube-api';
import { isTerminalPhase } from '@rxlet/pod-model';
import { parseQuantity, quantityMilliValue } from '@rxlet/pod-model/quantity';
import { podRequests } from '@rxlet/pod-model/resources';
import { labelValue, matchesNodeSelector, toleratesTaint } from '@rxlet/pod-model/scheduling';

/** Node of a pod, or the reasons why there is none. */
export type Placement =
  { readonly kind: 'node'; readonly name: string } | { readonly kind: 'none'; readonly message: string };

/**
 * Chooses a node for a pod: one that is ready and schedulable, whose taints the pod tolerates, that it selects, and that has the resources it requests. Among several, that with
 * the fewest pods, then the first by name.
 *
 * @param pods all pods of the cluster
 */
export function chooseNode(pod: Pod, nodes: readonly Node[], pods: readonly Pod[]): Placement {
  const candidates = nodes.map((node) => {
    const name = node.metadata?.name ?? '';
    const others = pods.filter(({ spec, status }) => spec?.nodeName === name && !isTerminalPhase(status?.phase));
    return { name, count: others.length, problem: problemOf(pod, node, others) };
  });
  const [best] = candidates
    .filter(({ problem }) => problem === undefined)
    .sort((a, b) => a.count - b.count || (a.name < b.name ? -1 : 1));
  if (best !== undefined) return { kind: 'node', name: best.name };
  const counts = new Map<string, number>();
  for (const { problem = '' } of candidates) counts.set(problem, (counts.get(problem) ?? 0) + 1);
  const reasons = Array.from(counts, ([problem, count]) => `${String(count)} ${problem}`).sort();
  const list = reasons.length === 0 ? 'no nodes available to schedule pods' : reasons.join(', ');
  return { kind: 'none', message: `0/${String(nodes.length)} nodes are available: ${list}.` };
}

/** Returns why a pod cannot be on a node, in the words of the scheduler; `undefined` when it can. */
function problemOf(pod: Pod, node: Node, others: readonly Pod[]): string | undefined {
  const { spec, status } = node;
  if (spec?.unschedulable === true) return 'node(s) were unschedulable';
  if (!status?.conditions?.some((condition) => condition.type === 'Ready' && condition.status === 'True')) {
    return 'node(s) were not ready';
  }
  const tolerations = pod.spec?.tolerations ?? [];
  const taint = (spec?.taints ?? [])
    .filter(({ effect }) => effect !== 'PreferNoSchedule')
    .find((each) => !tolerations.some((toleration) => toleratesTaint(toleration, each)));
  if (taint !== undefined) return `node(s) had untolerated taint(s) {${taint.key}: ${taint.value ?? ''}}`;
  if (!isSelected(pod, node)) return "node(s) didn't match Pod's node affinity/selector";
  return insufficientResource(pod, node, others);
}

function isSelected({ spec }: Pod, node: Node): boolean {
  const labels = node.metadata?.labels ?? {};
  const required = spec?.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
  return (
    Object.entries(spec?.nodeSelector ?? {}).every(([key, value]) => labelValue(labels, key) === value) &&
    (required === undefined || matchesNodeSelector(required, node))
  );
}

function insufficientResource(pod: Pod, { status }: Node, others: readonly Pod[]): string | undefined {
  const allocatable = status?.allocatable ?? {};
  const limitOf = (name: string): bigint => quantityMilliValue(parseQuantity(allocatable[name] ?? '0'));
  if (BigInt(others.length + 1) * 1000n > limitOf('pods')) return 'Too many pods';
  const requests = podRequests(pod);
  const short = Object.keys(requests).find((name) => {
    const used = [...others, pod].reduce((sum, each) => sum + requestOf(each, name), 0n);
    return requestOf(pod, name) > 0n && used > limitOf(name);
  });
  return short === undefined ? undefined : `Insufficient ${short}`;
}

function requestOf(pod: Pod, name: string): bigint {
  const amount = podRequests(pod)[name];
  return amount === undefined ? 0n : quantityMilliValue(amount);
}
