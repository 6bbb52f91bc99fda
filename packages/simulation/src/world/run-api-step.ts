import { resources } from '@rxlet/kube-api/resources';
import type { Pod } from '@rxlet/kube-api';
import type { TestCluster } from '@rxlet/testing';
import { clusterPodSpec, OBJECT_NAMES, withVersion } from '../workload/cluster-pods.ts';
import { healthAnnotations } from '../workload/health.ts';
import { withExtras } from '../workload/part-steps.ts';
import type { ApiStep } from '../workload/step.ts';

const { pods } = resources;
const namespace = 'default';
type Kube = TestCluster['kube'];
export const FINALIZER = 'example.com/hold';

/** Sends the request of a user to the API server. */
export function runApiStep(
  step: Exclude<ApiStep, { do: 'move' }>,
  cluster: TestCluster,
  metadata: Pod['metadata'] = {},
): void {
  const { kube } = cluster;
  if (step.do === 'object') {
    writeObject(kube, step.kind, step.version);
    return;
  }
  const pod = cluster.pod(step.name);
  if (step.do === 'create') {
    const spec = withExtras(clusterPodSpec(step.name, step.kind, step.version), step.extras ?? {});
    const annotations = { ...metadata.annotations, ...healthAnnotations(spec.containers) };
    if (pod === undefined) cluster.bind(step.name, spec, { ...metadata, annotations });
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
      overwriteStatus(kube, pod);
  }
}

/** Writes the ConfigMap or the Secret with a version, or deletes it. */
export function writeObject(kube: Kube, kind: keyof typeof OBJECT_NAMES, version: number | undefined): void {
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
function overwriteStatus(kube: Kube, { metadata, status }: Pod): void {
  if (status?.phase !== 'Running') return;
  const body = { status: { phase: 'Pending', podIP: '192.0.2.99', containerStatuses: null } };
  kube.objects.merge(pods, metadata?.name ?? '', namespace, body, 'status');
}

/** Ends all faults of the API server. */
export function endServerFaults(kube: Kube): void {
  kube.faults.clear();
  kube.setStaleness(0);
  kube.setReplay(0);
}
