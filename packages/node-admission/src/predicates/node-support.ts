import type { AdmissionRejection } from '@rxlet/agent-api';
import type { Node, Pod } from '@rxlet/kube-api';

/** Label of nodes, and by old habit of pods, with the operating system. */
export const OS_LABEL = 'kubernetes.io/os';
/** Operating system of the agent. */
export const AGENT_OS = 'linux';

/** Returns why the node can never run the pod, whatever else runs on it; `undefined` when it can. */
export function unsupportedByNode(pod: Pod, node: Node): AdmissionRejection | undefined {
  const osOfLabel = pod.metadata?.labels?.[OS_LABEL];
  if (osOfLabel !== undefined && osOfLabel !== AGENT_OS) {
    const message = `Failed to admit pod as the \`${OS_LABEL}\` label doesn't match node label`;
    return { reason: 'PodOSSelectorNodeLabelDoesNotMatch', message };
  }
  const os = pod.spec?.os?.name;
  if (os && os !== AGENT_OS)
    return { reason: 'PodOSNotSupported', message: "Failed to admit pod as the OS field doesn't match node OS" };
  const policy = pod.spec?.securityContext?.supplementalGroupsPolicy ?? 'Merge';
  if (policy !== 'Merge' && node.status?.features?.supplementalGroupsPolicy !== true) {
    const message = 'SupplementalGroupsPolicy=Strict is not supported in this node';
    return { reason: 'SupplementalGroupsPolicyNotSupported', message };
  }
  return undefined;
}

/** Returns the node with the operating system of the agent, whatever its label. A node without any label keeps none. */
export function withAgentOs(node: Node): Node {
  const labels = node.metadata?.labels ?? {};
  if (Object.keys(labels).length === 0 || labels[OS_LABEL] === AGENT_OS) return node;
  return { ...node, metadata: { ...node.metadata, labels: { ...labels, [OS_LABEL]: AGENT_OS } } };
}
