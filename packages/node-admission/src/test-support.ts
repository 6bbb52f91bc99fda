import type { Node, Pod } from '@rxlet/kube-api';
import { testPod } from '@rxlet/pod-model/testing';

/** Creates a pod of one container. */
export function pod(name: string, spec: Partial<Pod['spec']> = {}, more: Partial<Pod> = {}): Pod {
  const made = testPod({ name, uid: `uid-${name}`, spec: { containers: [{ name: 'app', image: 'i' }], ...spec } });
  return { ...made, ...more, metadata: { ...made.metadata, ...more.metadata } };
}

/** Creates a pod whose container requests resources. */
export function requesting(
  name: string,
  requests: Readonly<Record<string, string>>,
  spec: Partial<Pod['spec']> = {},
): Pod {
  return pod(name, { containers: [{ name: 'app', image: 'i', resources: { requests } }], ...spec });
}

/** Creates a pod with a priority above which others are preempted. */
export function critical(name: string, requests: Readonly<Record<string, string>>): Pod {
  return requesting(name, requests, { priority: 2_000_000_000 });
}

/** Creates a node of four CPUs, eight gibibytes and ten pods. */
export function node(allocatable: Readonly<Record<string, string>> = {}, more: Partial<Node> = {}): Node {
  return {
    metadata: { name: 'node1', labels: { 'kubernetes.io/os': 'linux', disk: 'ssd', cores: '16' } },
    status: { allocatable: { cpu: '4', memory: '8Gi', pods: '10', ...allocatable } },
    ...more,
  };
}
