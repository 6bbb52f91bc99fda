import type { Node, Pod } from '@rxlet/kube-api';
import { toleratesTaint } from '@rxlet/pod-model/scheduling';

/** Reports whether the pod tolerates the node's taints that evict pods. Taints of other effects concern the scheduler alone. */
export function toleratesTaints(pod: Pod, node: Node): boolean {
  const taints = (node.spec?.taints ?? []).filter(({ effect }) => effect === 'NoExecute');
  const tolerations = pod.spec?.tolerations ?? [];
  return taints.every((taint) => tolerations.some((toleration) => toleratesTaint(toleration, taint)));
}
