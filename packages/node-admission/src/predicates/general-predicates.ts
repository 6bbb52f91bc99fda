import type { Node, Pod } from '@rxlet/kube-api';
import { isStaticPod } from '@rxlet/pod-model';
import type { AdmissionFailure, FailedPredicate } from '../admission-failure.ts';
import { hostPortsAreFree } from './host-ports.ts';
import { matchesNodeSelection } from './node-selection.ts';
import { insufficientResources } from './resource-fit.ts';
import { toleratesTaints } from './taints.ts';

/** The pod selects other nodes. A Node object that is read anew may have the labels. */
export const nodeAffinityFailure: FailedPredicate = {
  kind: 'predicate',
  name: 'NodeAffinity',
  message: "node(s) didn't match Pod's node affinity/selector",
};

/** Returns every reason for which a pod does not fit the node beside other pods, in the kubelet's order; none when it fits. */
export function generalFailures(pod: Pod, node: Node, others: readonly Pod[]): readonly AdmissionFailure[] {
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
