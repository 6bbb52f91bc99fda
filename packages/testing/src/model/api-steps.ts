import { resources } from '@rxlet/kube-api/resources';
import type { Node, Pod } from '@rxlet/kube-api';
import type { TestCluster } from '../test-cluster.ts';
import { clusterPodSpec, OBJECT_NAMES, withVersion } from './cluster-pods.ts';
import type { ApiStep, ServerStep } from './cluster-step.ts';

const { pods } = resources;
const namespace = 'default';
const LEASES = 'kube-node-lease';
export const FINALIZER = 'example.com/hold';
/** Time after which the pings of a real connection find out that it is dead. */
const DEAD_CONNECTION_MS = 45_000;

/** Sends the request of a user to the API server. */
export function runApiStep(step: ApiStep, cluster: TestCluster): void {
  const { kube } = cluster;
  if (step.do === 'object') {
    writeObject(cluster, step.kind, step.version);
    return;
  }
  const pod = cluster.pod(step.name);
  if (step.do === 'create') {
    if (pod === undefined) cluster.bind(step.name, clusterPodSpec(step.name, step.kind, step.version));
    return;
  }
  if (pod === undefined) return;
  switch (step.do) {
    case 'delete':
      kube.objects.delete(pods, step.name, namespace, step.graceSeconds);
      break;
    case 'hold':
      // A finalizer cannot be added to a pod that is being deleted.
      if (step.isHeld && pod.metadata?.deletionTimestamp !== undefined) break;
      kube.objects.merge(pods, step.name, namespace, { metadata: { finalizers: step.isHeld ? [FINALIZER] : null } });
      break;
    case 'label':
      kube.objects.merge(pods, step.name, namespace, { metadata: { labels: { step: step.value } } });
      break;
    case 'image': {
      const containers = pod.spec?.containers.map((container) => withVersion(container, step.version));
      kube.objects.merge(pods, step.name, namespace, { spec: { containers } });
      break;
    }
    case 'overwrite':
      overwriteStatus(cluster, pod);
  }
}

/** Writes the ConfigMap or the Secret with a version, or deletes it. */
export function writeObject({ kube }: TestCluster, kind: keyof typeof OBJECT_NAMES, version: number | undefined): void {
  const resource = kind === 'Secret' ? resources.secrets : resources.configMaps;
  const name = OBJECT_NAMES[kind];
  const exists = kube.objects.get(resource, name, namespace) !== undefined;
  if (version === undefined) {
    if (exists) kube.objects.delete(resource, name, namespace);
    return;
  }
  const text = `v${String(version)}`;
  const data = { key: kind === 'Secret' ? Buffer.from(text).toString('base64') : text };
  if (exists) kube.objects.merge(resource, name, namespace, { data });
  else kube.objects.create(resource, { metadata: { name, namespace }, data });
}

/** Writes over a status as a confused controller does. A terminal phase would end the pod for good. */
function overwriteStatus({ kube }: TestCluster, { metadata, status }: Pod): void {
  if (status?.phase !== 'Running') return;
  const body = { status: { phase: 'Pending', podIP: '192.0.2.99', containerStatuses: null } };
  kube.objects.merge(pods, metadata?.name ?? '', namespace, body, 'status');
}

/** Disturbs the API server. */
export async function runServerStep(step: ServerStep, { kube, node }: TestCluster): Promise<void> {
  switch (step.do) {
    case 'api-fault':
      kube.faults.add(step.fault);
      break;
    case 'watches':
      if (step.how === 'compact') kube.compact();
      if (step.how === 'rewind') kube.setReplay(20);
      if (step.how === 'freeze') {
        kube.freezeWatches();
        node.clock.setTimer(DEAD_CONNECTION_MS, () => void kube.cutWatches());
      } else {
        kube.cutWatches();
      }
      break;
    case 'stale':
      kube.setStaleness(step.revisions);
      break;
    case 'api-outage':
      kube.stop();
      await node.advance(step.ms);
      kube.start();
      break;
    case 'node-gone':
      await replaceNode(step.ms, { kube, node });
  }
}

/** Deletes the Node object, and creates it with another UID after a while. */
async function replaceNode(ms: number, { kube, node }: Pick<TestCluster, 'kube' | 'node'>): Promise<void> {
  const name = 'node1';
  const found = kube.objects.get(resources.nodes, name) as Node | undefined;
  if (found === undefined) return;
  kube.objects.delete(resources.nodes, name);
  if (kube.objects.get(resources.leases, name, LEASES) !== undefined)
    kube.objects.delete(resources.leases, name, LEASES);
  await node.advance(ms);
  // An agent that has started meanwhile has registered it.
  if (kube.objects.get(resources.nodes, name) !== undefined) return;
  const { labels, annotations } = found.metadata ?? {};
  const metadata = { name, ...(labels && { labels }), ...(annotations && { annotations }) };
  kube.objects.create(resources.nodes, { metadata, spec: found.spec });
}

/** Ends all faults of the API server. */
export function endServerFaults({ kube }: TestCluster): void {
  kube.faults.clear();
  kube.setStaleness(0);
  kube.setReplay(0);
}
