import type { OtherPods } from '@rxlet/agent-api';
import type { Node, Pod } from '@rxlet/kube-api';
import { isStaticPod } from '@rxlet/pod-model';
import { labelValue, matchesNodeSelector, toleratesTaint } from '@rxlet/pod-model/scheduling';
import type { AdmissionFailure, FailedPredicate } from '../admission-failure.ts';
import { hostPortsAreFree } from './host-ports.ts';
import { insufficientResources } from './resource-fit.ts';

/** The pod selects other nodes. A Node object that is read anew may have the labels. */
export const nodeAffinityFailure: FailedPredicate = {
  kind: 'predicate',
  name: 'NodeAffinity',
  message: "node(s) didn't match Pod's node affinity/selector",
};

/** Returns every reason for which a pod does not fit the node beside other pods, in the kubelet's order; none when it fits. */
export function generalFailures(pod: Pod, node: Node, others: OtherPods): readonly AdmissionFailure[] {
  const failures: AdmissionFailure[] = [...insufficientResources(pod, node, others)];
  const check = (passes: boolean, failure: FailedPredicate): void => {
    if (!passes) failures.push(failure);
  };
  const nodeName = pod.spec?.nodeName;
  check(matchesNodeSelection(pod, node), nodeAffinityFailure);
  check(
    !nodeName || nodeName === node.metadata?.name,
    failed('NodeName', "node(s) didn't match the requested node name"),
  );
  check(
    hostPortsAreFree(pod, others),
    failed('NodePorts', "node(s) didn't have free ports for the requested pod ports"),
  );
  check(
    isStaticPod(pod) || toleratesTaints(pod, node),
    failed('TaintToleration', "node(s) had taints that the pod didn't tolerate"),
  );
  return failures;
}

function failed(name: string, message: string): FailedPredicate {
  return { kind: 'predicate', name, message };
}

/** Reports whether the node has the labels of the pod's node selector and matches its required node affinity. */
function matchesNodeSelection(pod: Pod, node: Node): boolean {
  const labels = node.metadata?.labels ?? {};
  const selector = Object.entries(pod.spec?.nodeSelector ?? {});
  if (!selector.every(([key, value]) => labelValue(labels, key) === value)) return false;
  const affinity = pod.spec?.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
  return affinity === undefined || matchesNodeSelector(affinity, node);
}

/** Reports whether the pod tolerates the node's taints that evict pods. Taints of other effects concern the scheduler alone. */
function toleratesTaints(pod: Pod, node: Node): boolean {
  const taints = (node.spec?.taints ?? []).filter(({ effect }) => effect === 'NoExecute');
  const tolerations = pod.spec?.tolerations ?? [];
  return taints.every((taint) => tolerations.some((toleration) => toleratesTaint(toleration, taint)));
}
