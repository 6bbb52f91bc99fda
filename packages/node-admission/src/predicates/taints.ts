import type { Node, Pod, Taint, Toleration } from '@rxlet/kube-api';

/** Reports whether the pod tolerates the node's taints that evict pods. Taints of other effects concern the scheduler alone. */
export function toleratesTaints(pod: Pod, node: Node): boolean {
  const taints = (node.spec?.taints ?? []).filter(({ effect }) => effect === 'NoExecute');
  const tolerations = pod.spec?.tolerations ?? [];
  return taints.every((taint) => tolerations.some((toleration) => tolerates(toleration, taint)));
}

/** An empty effect or key tolerates every one. */
function tolerates({ key, operator, value, effect }: Toleration, taint: Taint): boolean {
  if (effect && effect !== taint.effect) return false;
  if (key && key !== taint.key) return false;
  if (operator === 'Exists') return true;
  return (!operator || operator === 'Equal') && (value ?? '') === (taint.value ?? '');
}
