import { createHash } from 'node:crypto';
import { CsiCallError } from '@rxlet/csi';
import { afterEach, describe, expect, it } from 'vitest';
import {
  createCsiNode as createNode,
  CSI_DRIVER as NAME,
  csiDirectoryOf as directoryOf,
  csiDriverObject as driverObject,
  csiPodWith as podWith,
  type CsiTestNode,
  inlineCsi as inline,
  uidOf,
} from '../test-support/csi-node.ts';

const cleanUps: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0)) await cleanUp();
});
const createCsiNode = () => createNode(cleanUps);
const claim = { persistentVolumeClaim: { claimName: 'disk' } };
const isGone = ({ isGone: isPodGone }: CsiTestNode, name: string) => isPodGone(name);
const messages = ({ messages: of }: CsiTestNode, reason: string) => of(reason);

describe('CSI volumes', () => {
  it("appear before the pod's containers start and disappear when it has ended", async () => {
    const made = await createCsiNode();
    const { node, api, until } = made;
    api.secrets.set('default/token', { data: { password: Buffer.from('hidden').toString('base64') } });
    const { driver, methods } = await made.startDriver();
    await made.start();
    node.desire(podWith('web', inline({ nodePublishSecretRef: { name: 'token' } })));
    await until(() => node.running().length === 1);

    const targetPath = `${directoryOf('web')}/mount`;
    const [container] = node.instances('web');
    expect(container?.mounts.find(({ containerPath }) => containerPath === '/data')?.hostPath).toBe(targetPath);
    const published = driver.calls.find(({ method }) => method === 'NodePublishVolume')?.request;
    expect(published).toMatchObject({
      targetPath,
      stagingTargetPath: '',
      readonly: false,
      secrets: { password: 'hidden' },
      volumeContext: {
        size: '1Gi',
        'csi.storage.k8s.io/pod.name': 'web',
        'csi.storage.k8s.io/pod.namespace': 'default',
        'csi.storage.k8s.io/pod.uid': uidOf('web'),
        'csi.storage.k8s.io/serviceAccount.name': '',
        'csi.storage.k8s.io/ephemeral': 'true',
      },
    });
    expect(published?.['volumeId']).toMatch(/^csi-[0-9a-f]{64}$/);
    expect(JSON.parse(node.files.text(`${directoryOf('web')}/vol_data.json`)!)).toMatchObject({
      driverName: NAME,
      nodeName: 'node1',
      specVolID: 'data',
      volumeHandle: published?.['volumeId'],
      volumeLifecycleMode: 'Ephemeral',
    });
    expect(JSON.stringify(node.logger.lines)).not.toContain('hidden');

    node.desire();
    await until(() => isGone(made, 'web'));
    expect(methods().at(-1)).toBe('NodeUnpublishVolume');
    expect(node.mounter.targets).toEqual([]);
  });

  it('stage a claim before the first and unstage it after the last of its pods', async () => {
    const made = await createCsiNode();
    const { node, api, until } = made;
    api.secrets.set('storage/stage', { data: { key: Buffer.from('staged').toString('base64') } });
    const nodeStageSecretRef = { namespace: 'storage', name: 'stage' };
    api.volumes.set('pv-disk', { driver: NAME, volumeHandle: 'disk-1', fsType: 'ext4', nodeStageSecretRef });
    const { driver, methods } = await made.startDriver({ capabilities: ['STAGE_UNSTAGE_VOLUME'] });
    await made.start();
    node.desire(podWith('one', claim), podWith('two', claim));
    await until(() => node.running().length === 2);
    const staged = driver.calls.filter(({ method }) => method === 'NodeStageVolume');
    expect(staged.length).toBe(1);
    const stagingTargetPath = staged[0]?.request['stagingTargetPath'];
    expect(stagingTargetPath).toBe(
      `/root/plugins/kubernetes.io/csi/${NAME}/${createHash('sha256').update('disk-1').digest('hex')}/globalmount`,
    );
    expect(staged[0]?.request).toMatchObject({ volumeId: 'disk-1', secrets: { key: 'staged' } });
    const published = driver.calls.filter(({ method }) => method === 'NodePublishVolume');
    expect(published.map(({ request }) => request['targetPath'])).toEqual(
      expect.arrayContaining(['one', 'two'].map((name) => `${directoryOf(name, 'pv-disk')}/mount`)),
    );
    expect(published[0]?.request).toMatchObject({ volumeId: 'disk-1', stagingTargetPath, secrets: {} });

    node.desire(podWith('two', claim));
    await until(() => isGone(made, 'one'));
    expect(methods()).not.toContain('NodeUnstageVolume');
    node.desire();
    await until(() => isGone(made, 'two'));
    expect(methods().filter((method) => /NodeUn/.test(method))).toEqual([
      'NodeUnpublishVolume',
      'NodeUnpublishVolume',
      'NodeUnstageVolume',
    ]);
    expect(node.mounter.targets).toEqual([]);
    expect(node.files.paths().filter((path) => path.startsWith('/root/plugins/'))).toEqual([]);
  });

  it('wait for a driver that is missing', async () => {
    const made = await createCsiNode();
    const { node, api, until } = made;
    api.volumes.set('pv-disk', { driver: NAME, volumeHandle: 'disk-1' });
    await made.start();
    node.desire(podWith('web', inline()), podWith('db', claim));
    await until(() => messages(made, 'FailedMount').length >= 2);
    const missing = `driver name ${NAME} not found in the list of registered CSI drivers`;
    expect(new Set(messages(made, 'FailedMount'))).toEqual(
      new Set([
        `MountVolume.SetUp failed for volume "data" : kubernetes.io/csi: mounter.SetUpAt failed to get CSI client: ${missing}`,
        `MountVolume.MountDevice failed for volume "pv-disk" : kubernetes.io/csi: attacher.MountDevice failed to create newCsiDriverClient: ${missing}`,
      ]),
    );
    await made.startDriver();
    await until(() => node.running().length === 2);
  });

  it('leave nothing behind when the driver is missing', async () => {
    const made = await createCsiNode();
    const { node, until } = made;
    await made.start();
    node.desire(podWith('web', inline()));
    await until(() => messages(made, 'FailedMount').length > 0);
    node.desire();
    await until(() => isGone(made, 'web'));
  });

  it('fail when the driver does not offer them', async () => {
    const made = await createCsiNode();
    const { node, api, until } = made;
    await made.startDriver();
    await made.start();
    const failure = 'MountVolume.NewMounter initialization failed for volume "data" : ';
    const mode = `volume mode "Ephemeral" not supported by driver ${NAME}`;
    api.drivers.delete(NAME);
    node.desire(podWith('web', inline()));
    await until(() => messages(made, 'FailedMount').includes(`${failure}${mode} (no CSIDriver object)`));
    api.drivers.set(NAME, driverObject({ volumeLifecycleModes: ['Persistent'] }));
    await until(() => messages(made, 'FailedMount').includes(`${failure}${mode} (only supports ["Persistent"])`));
    api.drivers.set(NAME, driverObject({ volumeLifecycleModes: ['Ephemeral'] }));
    await until(() => node.running().length === 1);
  });

  it("show the driver's message and retry when it fails, also after a restart of the driver", async () => {
    const made = await createCsiNode();
    const { node, until } = made;
    const first = await made.startDriver();
    first.driver.fault = (method) => {
      if (method === 'NodePublishVolume') throw new CsiCallError('InvalidArgument', 'size is too small');
    };
    await made.start();
    node.desire(podWith('web', inline()));
    const message =
      'MountVolume.SetUp failed for volume "data" : rpc error: code = InvalidArgument desc = size is too small';
    await until(() => messages(made, 'FailedMount').includes(message));
    await until(() => node.files.info(directoryOf('web')) === undefined);
    await first.stop();
    await node.advance(2_000);
    const second = await made.startDriver();
    await until(() => node.running().length === 1);
    expect(second.methods()).toContain('NodePublishVolume');
    node.desire();
    await until(() => isGone(made, 'web'));
    expect(second.methods()).toContain('NodeUnpublishVolume');
  });

  it('survive a restart of the agent and are removed by the next one', async () => {
    const made = await createCsiNode();
    const { node, api, until } = made;
    api.volumes.set('pv-disk', { driver: NAME, volumeHandle: 'disk-1' });
    const { methods } = await made.startDriver({ capabilities: ['STAGE_UNSTAGE_VOLUME'] });
    await made.start();
    const both = [podWith('web', inline()), podWith('db', claim)];
    node.desire(...both);
    await until(() => node.running().length === 2);
    const starts = [...node.startsMs('web'), ...node.startsMs('db')];
    await node.kill();
    await made.start();
    await node.advance(5_000);
    expect([...node.startsMs('web'), ...node.startsMs('db')]).toEqual(starts);
    await node.kill();
    // The next agent knows the volumes from the disk only.
    node.desire();
    await made.start();
    await until(() => isGone(made, 'web') && isGone(made, 'db'));
    expect(node.mounter.targets).toEqual([]);
    expect(methods().filter((method) => method === 'NodeUnstageVolume')).toEqual(['NodeUnstageVolume']);
  });

  it('for a single pod are kept from a second one while that of an earlier agent is not unmounted', async () => {
    const made = await createCsiNode();
    const { node, api, until } = made;
    api.volumes.set('pv-disk', { driver: NAME, volumeHandle: 'disk-1' });
    api.specs.set('pv-disk', { accessModes: ['ReadWriteOncePod'] });
    const { driver } = await made.startDriver();
    await made.start();
    node.desire(podWith('first', claim));
    await until(() => node.running().length === 1);
    await node.kill();
    driver.fault = (method) => {
      if (method === 'NodeUnpublishVolume') throw new CsiCallError('Internal', 'the target is busy');
    };
    node.desire(podWith('second', claim));
    await made.start();
    const inUse = 'volume uses the ReadWriteOncePod access mode and is already in use by another pod';
    await until(() => messages(made, 'FailedMount').some((message) => message.includes(inUse)));
    const targets = driver.calls.flatMap(({ method, request }) =>
      method === 'NodePublishVolume' ? [request['targetPath']] : [],
    );
    expect(targets).toEqual([`${directoryOf('first', 'pv-disk')}/mount`]);
    driver.fault = undefined;
    await until(() => isGone(made, 'first') && node.running().length === 1);
  });

  it('fail after two minutes when the driver hangs, without delaying the end of the pod', async () => {
    const made = await createCsiNode();
    const { node, until } = made;
    const { driver, methods } = await made.startDriver();
    let hang = Promise.withResolvers<void>();
    driver.fault = (method) => (method === 'NodePublishVolume' ? hang.promise : undefined);
    await made.start();
    node.desire(podWith('web', inline()));
    await until(() => methods().includes('NodePublishVolume'), 1);
    const message =
      'MountVolume.SetUp failed for volume "data" : rpc error: code = DeadlineExceeded desc = context deadline exceeded';
    await until(() => messages(made, 'FailedMount').includes(message), 1);
    // The driver may still be at work.
    expect(node.files.text(`${directoryOf('web')}/vol_data.json`)).toBeDefined();
    hang.resolve();
    await until(() => node.running().length === 1);

    hang = Promise.withResolvers<void>();
    driver.fault = (method) => (method === 'NodeUnpublishVolume' ? hang.promise : undefined);
    node.desire();
    await until(() => node.running().length === 0 && node.agent().pods.list().length === 0, 1);
    expect(isGone(made, 'web')).toBe(false);
    hang.resolve();
    await until(() => isGone(made, 'web'));
    expect(node.mounter.targets).toEqual([]);
  });

  it('publish again with each sync when their driver requires it', async () => {
    const made = await createCsiNode();
    const { node, api, until } = made;
    api.drivers.set(NAME, driverObject({ volumeLifecycleModes: ['Ephemeral'], requiresRepublish: true }));
    const { driver, methods } = await made.startDriver();
    await made.start();
    node.desire(podWith('web', inline()));
    await until(() => node.running().length === 1);
    const count = () => methods().filter((method) => method === 'NodePublishVolume').length;
    const before = count();
    await until(() => count() > before + 1);
    // A failure does not harm the volume.
    driver.fault = (method) => {
      if (method === 'NodePublishVolume') throw new CsiCallError('InvalidArgument', 'not now');
    };
    await until(() => messages(made, 'FailedMount').length > 0);
    expect(node.mounter.targets).toEqual([`${directoryOf('web')}/mount`]);
    expect(node.files.text(`${directoryOf('web')}/vol_data.json`)).toBeDefined();
    expect(node.running()).toEqual(['web/app']);
  });

  it('fail without a Node object of the control plane when they must be attached', async () => {
    const made = await createCsiNode();
    const { node, api, until } = made;
    api.drivers.set(NAME, driverObject({ attachRequired: true }));
    api.volumes.set('pv-disk', { driver: NAME, volumeHandle: 'disk-1' });
    await made.startDriver();
    await made.start();
    node.desire(podWith('db', claim));
    await until(() => messages(made, 'FailedMount').length > 0);
    expect(messages(made, 'FailedMount')[0]).toBe(
      'VerifyControllerAttachedVolume failed for volume "pv-disk" : the volume must be attached to the node, which needs an API server',
    );
  });

  it('get the group of the pod from the agent, or from a driver that does so itself', async () => {
    for (const capabilities of [[], ['VOLUME_MOUNT_GROUP']] as const) {
      const made = await createCsiNode();
      const { node, until, api } = made;
      api.drivers.set(NAME, driverObject({ volumeLifecycleModes: ['Ephemeral'], fsGroupPolicy: 'File' }));
      const { driver } = await made.startDriver({ capabilities });
      await made.start();
      node.desire(podWith('web', inline(), { securityContext: { fsGroup: 2000 } }));
      await until(() => node.running().length === 1);
      const published = driver.calls.find(({ method }) => method === 'NodePublishVolume')?.request;
      const group = capabilities.length > 0 ? '2000' : '';
      expect(published).toMatchObject({
        volumeCapability: { accessType: { case: 'mount', value: { volumeMountGroup: group } } },
      });
      expect(node.files.info(`${directoryOf('web')}/mount`)?.gid).toBe(capabilities.length > 0 ? 0 : 2000);
    }
  });
});
