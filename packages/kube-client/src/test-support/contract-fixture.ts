import type { KubeClient, KubeObject, ObjectRef } from '@rxlet/kube-api/client';
import type { ConfigMap, Node, Pod } from '@rxlet/kube-api';
import { resources, subresources } from '@rxlet/kube-api/resources';

/** An API server that the contract is checked against. */
export interface ContractTarget extends AsyncDisposable {
  /** Client of an administrator. */
  readonly admin: KubeClient;
  /** Client of the node agent `contract-node`. */
  readonly node: KubeClient;
}

/** An API server with a namespace of its own for the tests. */
export interface ContractFixture {
  readonly target: ContractTarget;
  readonly admin: KubeClient;
  readonly namespace: string;
  /** Returns a pod that is not created yet. */
  podOf(more?: Partial<Pod['spec']>, metadata?: Pod['metadata']): Pod;
  createPod(more?: Partial<Pod['spec']>, metadata?: Pod['metadata']): Promise<Pod>;
  /** Creates a pod and binds it to {@link NODE}. */
  createBoundPod(more?: Partial<Pod['spec']>, metadata?: Pod['metadata']): Promise<Pod>;
  createMap(data?: Record<string, string>, labels?: Record<string, string>): Promise<ConfigMap>;
}

/** Name of the node. */
export const NODE = 'contract-node';

/** Options of a wait for what the API server sends. */
export const WAIT = { timeout: 10_000 };

const { pods, nodes, configMaps, namespaces, serviceAccounts } = resources;

/** Creates the namespace. */
export async function createContractFixture(target: ContractTarget): Promise<ContractFixture> {
  const { admin } = target;
  const created = await admin.create(namespaces, { metadata: { generateName: 'contract-' } });
  const namespace = created.metadata!.name!;
  // A cluster's controllers create it.
  await admin.create(serviceAccounts, { metadata: { name: 'default', namespace } });
  const podOf = (more: Partial<Pod['spec']> = {}, metadata: Pod['metadata'] = {}): Pod => ({
    metadata: { generateName: 'pod-', namespace, ...metadata },
    spec: { containers: [{ name: 'c', image: 'busybox:1' }], automountServiceAccountToken: false, ...more },
  });
  const createPod = (more?: Partial<Pod['spec']>, metadata?: Pod['metadata']): Promise<Pod> =>
    admin.create(pods, podOf(more, metadata));
  const createBoundPod = async (more?: Partial<Pod['spec']>, metadata?: Pod['metadata']): Promise<Pod> => {
    const pod = await createPod(more, metadata);
    const binding = {
      apiVersion: 'v1',
      kind: 'Binding',
      metadata: { name: pod.metadata!.name!, namespace },
      target: { kind: 'Node', name: NODE },
    };
    await admin.createSubresource(subresources.podBinding, refOf(pod), binding);
    return admin.get(pods, refOf(pod));
  };
  const createMap = (data: Record<string, string> = {}, labels: Record<string, string> = {}): Promise<ConfigMap> =>
    admin.create(configMaps, { metadata: { generateName: 'map-', namespace, labels }, data });
  return { target, admin, namespace, podOf, createPod, createBoundPod, createMap };
}

/** Returns the reference to an object. */
export function refOf({ metadata }: KubeObject): ObjectRef {
  return { name: metadata?.name ?? '', namespace: metadata?.namespace };
}

/** Returns the node of the agent, which another test may have registered. */
export async function ownNode(admin: KubeClient, node: KubeClient): Promise<Node> {
  const found = (await admin.list(nodes)).items.find(({ metadata }) => metadata?.name === NODE);
  return (
    found ??
    node.create(nodes, {
      metadata: { name: NODE, labels: { 'kubernetes.io/os': 'linux' } },
      status: { nodeInfo, capacity, allocatable: capacity },
    })
  );
}

const capacity = { cpu: '8', memory: '8Gi', pods: '110' };

const nodeInfo = {
  architecture: 'amd64',
  bootID: 'b',
  containerRuntimeVersion: 'containerd://1.6.20',
  kernelVersion: '6.1',
  kubeProxyVersion: '',
  kubeletVersion: 'v1.36.2',
  machineID: 'm',
  operatingSystem: 'linux',
  osImage: 'Debian',
  systemUUID: 's',
};
