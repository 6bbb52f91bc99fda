import type { Node, Pod } from '@rxlet/kube-api';
import { labelValue, matchesNodeSelector } from '@rxlet/pod-model/scheduling';

/** Reports whether the node has the labels of the pod's node selector and matches its required node affinity. */
export function matchesNodeSelection(pod: Pod, node: Node): boolean {
  const labels = node.metadata?.labels ?? {};
  const selector = Object.entries(pod.spec?.nodeSelector ?? {});
  if (!selector.every(([key, value]) => labelValue(labels, key) === value)) return false;
  const affinity = pod.spec?.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
  return affinity === undefined || matchesNodeSelector(affinity, node);
}
