import { createHash } from 'node:crypto';
import { provide } from '@rxlet/agent-api';
import { kubeClients } from '@rxlet/agent-api/kube';
import { clusterObjects, clusterPods, clusterTokens, clusterVolumes } from '@rxlet/cluster-pods';
import { csi } from '@rxlet/csi';
import { createTestDriver } from '@rxlet/csi/testing';
import { createFakeKube, type FakeKube, nodeUser } from '@rxlet/fake-kube';
import type { CSIDriver, CSINode, Node, Pod } from '@rxlet/kube-api';
import { createKubeClients, type KubeTransport } from '@rxlet/kube-client';
import { createTestMachine } from '@rxlet/machine/testing';
import { nodePlugins } from '@rxlet/node-plugins';
import { nodeStatus } from '@rxlet/node-status';
import { manifestPod } from '@rxlet/pod-model/testing';
import { apiStatuses } from '@rxlet/status-manager';
import { expect, it, onTestFinished } from 'vitest';
import { createDriverMounts } from '../test-support/driver-mounts.ts';
import { contributing } from '../test-modules.ts';
import { createTestNode } from '../test-node.ts';

const NAME = 'csi.example.com';
const base64 = (text: string) => Buffer.from(text).toString('base64');

const CLAIMS = { group: '', plural: 'persistentvolumeclaims' };
const NODES = { group: '', plural: 'nodes' };
const PODS = { group: '', plural: 'pods' };

/** A node of a cluster with a CSI driver, a Secret for each kind of call, and a claim `disk` that is bound to a volume of the driver. */
async function createCsiCluster(spec: CSIDriver['spec']) {
  const node = createTestNode();
  onTestFinished(() => node[Symbol.asyncDispose]());
  const kube = createFakeKube(node, { authorization: 'node' });
  onTestFinished(() => kube[Symbol.asyncDispose]());
  const driver = createTestDriver({
    name: NAME,
    mounts: createDriverMounts(node),
    capabilities: ['STAGE_UNSTAGE_VOLUME'],
  });
  for (const name of ['default', 'storage'])
    kube.objects.apply({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
  kube.objects.apply({ apiVersion: 'v1', kind: 'ServiceAccount', metadata: { namespace: 'default', name: 'default' } });
  kube.objects.apply({ apiVersion: 'storage.k8s.io/v1', kind: 'CSIDriver', metadata: { name: NAME }, spec });
  for (const [namespace, name, key] of [
    ['default', 'inline', 'one'],
    ['storage', 'stage', 'two'],
  ] as const) {
    const metadata = { namespace, name };
    kube.objects.apply({ apiVersion: 'v1', kind: 'Secret', metadata, data: { key: base64(key) } });
  }
  kube.objects.apply({
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: { namespace: 'default', name: 'disk' },
    spec: { volumeName: 'pv', accessModes: ['ReadWriteOnce'] },
    status: { phase: 'Bound' },
  });
  kube.objects.apply({
    apiVersion: 'v1',
    kind: 'PersistentVolume',
    metadata: { name: 'pv' },
    spec: {
      accessModes: ['ReadWriteOnce'],
      claimRef: { namespace: 'default', name: 'disk', uid: kube.objects.get(CLAIMS, 'disk', 'default')?.metadata?.uid },
      csi: { driver: NAME, volumeHandle: 'disk-1', nodeStageSecretRef: { namespace: 'storage', name: 'stage' } },
    },
  });
  const transport: KubeTransport = { send: (request) => kube.handle({ ...request, user: nodeUser('node1') }) };
  const clients = createKubeClients(
    { ...node, transport },
    { userAgent: 'kubelet/v1.36.2 (linux/amd64) kubernetes/test' },
  );
  node.desire();
  node.files.putSpecial('/root/plugins_registry/driver.sock', 'socket');
  const start = () =>
    node.start({
      modules: [
        contributing({ services: [provide(kubeClients, clients)] }, 'kube'),
        ...[nodeStatus({ machine: createTestMachine() }), clusterPods(), clusterObjects(), clusterVolumes()],
        ...[clusterTokens(), nodePlugins(driver), csi(driver), apiStatuses()],
      ],
      without: ['status-checkpoint'],
    });
  const pod = () => kube.objects.get(PODS, 'web', 'default') as Pod | undefined;
  /** Creates the pod `web` with volumes of these names: `inline`, or `disk` for the claim. */
  const createPod = (...names: readonly string[]): void => {
    const volumeMounts = names.map((name) => ({ name, mountPath: `/${name}` }));
    const volumes = [
      { name: 'inline', csi: { driver: NAME, nodePublishSecretRef: { name: 'inline' } } },
      { name: 'disk', persistentVolumeClaim: { claimName: 'disk' } },
    ].filter(({ name }) => names.includes(name));
    kube.objects.apply({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'web', namespace: 'default' },
      spec: {
        ...manifestPod('web', { containers: [{ name: 'app', image: 'app:1', volumeMounts }], volumes }).spec,
        serviceAccountName: 'default',
        terminationGracePeriodSeconds: 1,
        nodeName: 'node1',
      },
    });
  };
  const removePod = async (): Promise<void> => {
    kube.objects.delete(PODS, 'web', 'default');
    await node.until(() => pod() === undefined, 60_000);
    await node.until(() => node.mounter.targets.length === 0, 60_000);
  };
  const requests = (...methods: readonly string[]) =>
    driver.calls.filter(({ method }) => methods.includes(method)).map(({ request }) => request);
  return { node, kube, driver, start, pod, createPod, removePod, requests };
}

it('a node of a cluster reads the objects of CSI volumes with the rights of a kubelet', async () => {
  const spec = { attachRequired: false, volumeLifecycleModes: ['Persistent', 'Ephemeral'] };
  const { node, driver, start, pod, createPod, removePod, requests } = await createCsiCluster(spec);
  await start();
  createPod('inline', 'disk');
  await node.until(() => pod()?.status?.phase === 'Running', 30_000);
  const secrets = requests('NodeStageVolume', 'NodePublishVolume').map((request) => request['secrets']);
  expect(secrets).toHaveLength(3);
  expect(secrets).toEqual(expect.arrayContaining([{ key: 'one' }, { key: 'two' }, {}]));
  await removePod();
  expect(driver.calls.at(-1)?.method).toBe('NodeUnstageVolume');
  await node.stop();
});

it('the CSINode has the limit of volumes that a driver reports later, at the period of its CSIDriver object', async () => {
  const { node, kube, driver, start } = await createCsiCluster({ nodeAllocatableUpdatePeriodSeconds: 30 });
  const count = (): number | undefined => {
    const found = kube.objects.get({ group: 'storage.k8s.io', plural: 'csinodes' }, 'node1') as CSINode | undefined;
    return found?.spec.drivers[0]?.allocatable?.count;
  };
  driver.maxVolumes = 5;
  await start();
  await node.until(() => count() === 5, 30_000);
  driver.maxVolumes = 3;
  await node.until(() => count() === 3, 40_000);
  driver.maxVolumes = 0;
  await node.until(() => count() === undefined, 40_000);
  await node.stop();
});

it('a volume waits until the control plane has attached it, and is in use until it is unmounted', async () => {
  const { node, kube, start, pod, createPod, removePod, requests } = await createCsiCluster({});
  const name = `kubernetes.io/csi/${NAME}^disk-1`;
  const nodeObject = () => kube.objects.get(NODES, 'node1') as Node | undefined;
  const inUse = () => nodeObject()?.status?.volumesInUse ?? [];
  await start();
  createPod('disk');
  await node.until(() => inUse().includes(name), 30_000);
  await node.advance(130_000);
  expect(requests('NodeStageVolume')).toEqual([]);
  expect(
    node
      .agent()
      .events.list()
      .map(({ reason }) => reason),
  ).not.toContain('FailedMount');

  const attachment = createAttachment(kube, { attached: false, attachError: { message: 'the disk is broken' } });
  const volumesAttached = [{ name, devicePath: '' }];
  kube.objects.merge(NODES, 'node1', undefined, { status: { volumesAttached } }, 'status');
  const messages = () =>
    node
      .agent()
      .events.list()
      .map(({ message }) => message);
  const failed = 'MountVolume.WaitForAttach failed for volume "pv" : the disk is broken';
  await node.until(() => messages().includes(failed), 200_000);

  attachment({ attached: true, attachmentMetadata: { device: '/dev/sdx' } });
  await node.until(() => pod()?.status?.phase === 'Running', 200_000);
  expect(requests('NodeStageVolume', 'NodePublishVolume').map((request) => request['publishContext'])).toEqual([
    { device: '/dev/sdx' },
    { device: '/dev/sdx' },
  ]);
  // The next agent knows it from the disk.
  await node.stop();
  await start();
  await node.advance(30_000);
  expect(inUse()).toEqual([name]);

  await removePod();
  await node.until(() => inUse().length === 0, 60_000);
  await node.stop();
});

it('a pod whose volume exceeds the limit of the driver fails, and the CSINode has the new limit', async () => {
  const { node, kube, driver, start, pod, createPod, removePod } = await createCsiCluster({
    nodeAllocatableUpdatePeriodSeconds: 3_600,
  });
  const limit = (): number | undefined => {
    const found = kube.objects.get({ group: 'storage.k8s.io', plural: 'csinodes' }, 'node1') as CSINode | undefined;
    return found?.spec.drivers[0]?.allocatable?.count;
  };
  driver.maxVolumes = 5;
  await start();
  await node.until(() => limit() === 5, 30_000);
  const attachment = createAttachment(kube, { attached: false, attachError: { message: 'full', errorCode: 13 } });
  createPod('disk');
  await node.advance(130_000);
  expect(pod()?.status?.phase).toBe('Pending');

  driver.maxVolumes = 2;
  attachment({ attached: false, attachError: { message: 'full', errorCode: 8 } });
  await node.until(() => pod()?.status?.phase === 'Failed', 200_000);
  const message =
    'Node has reached its volume attachment limit, rejecting pod. unmounted volumes=[disk], unattached volumes=[disk], failed to process volumes=[]: context deadline exceeded';
  const reason = 'VolumeAttachmentLimitExceeded';
  expect(pod()?.status).toMatchObject({ phase: 'Failed', reason, message: `Pod was rejected: ${message}` });
  expect(node.agent().events.list()).toContainEqual(expect.objectContaining({ type: 'Warning', reason, message }));
  await node.until(() => limit() === 2, 10_000);
  // It stays, and leaves nothing.
  await node.advance(60_000);
  expect(pod()?.status).toMatchObject({ phase: 'Failed', reason });
  await removePod();
  await node.stop();
});

it('a driver gets tokens of the service account of the pod', async () => {
  const { node, start, pod, createPod, removePod, requests } = await createCsiCluster({
    attachRequired: false,
    volumeLifecycleModes: ['Ephemeral'],
    tokenRequests: [{ audience: 'vault', expirationSeconds: 3600 }, { audience: '' }],
  });
  await start();
  createPod('inline');
  await node.until(() => pod()?.status?.phase === 'Running', 30_000);
  const context = requests('NodePublishVolume')[0]!['volumeContext'] as Record<string, string>;
  const tokens = JSON.parse(context['csi.storage.k8s.io/serviceAccount.tokens']!) as object;
  expect(Object.keys(tokens)).toEqual(['', 'vault']);
  for (const issued of Object.values(tokens))
    expect(issued).toEqual({
      token: expect.any(String) as unknown,
      expirationTimestamp: expect.stringMatching(/^20..-.*Z$/) as unknown,
    });
  await removePod();
  await node.stop();
});

/** Creates the VolumeAttachment of the claim's volume. Returns a function that changes its status. */
function createAttachment(kube: FakeKube, status: object): (status: object) => void {
  const id = createHash('sha256').update(`disk-1${NAME}node1`).digest('hex');
  const attachments = { group: 'storage.k8s.io', plural: 'volumeattachments' };
  kube.objects.create(attachments, {
    apiVersion: 'storage.k8s.io/v1',
    kind: 'VolumeAttachment',
    metadata: { name: `csi-${id}` },
    spec: { attacher: NAME, nodeName: 'node1', source: { persistentVolumeName: 'pv' } },
  });
  const change = (to: object): void =>
    void kube.objects.merge(attachments, `csi-${id}`, undefined, { status: to }, 'status');
  change(status);
  return change;
}
