import type { Volume } from '@rxlet/kube-api';
import { afterEach, describe, expect, it } from 'vitest';
import { createCsiNode, csiDirectoryOf, csiPodWith } from '../test-support/csi-node.ts';

const EBS = 'ebs.csi.aws.com';
const AZURE = 'disk.csi.azure.com';

const cleanUps: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0)) await cleanUp();
});

/** A node with a driver whose volumes need no attachment. */
async function createNodeWith(driverName: string) {
  const made = await createCsiNode(cleanUps);
  made.api.drivers.set(driverName, { metadata: { name: driverName }, spec: { attachRequired: false } });
  const started = await made.startDriver({ name: driverName, capabilities: ['STAGE_UNSTAGE_VOLUME'] });
  await made.start();
  const published = () => started.driver.calls.filter(({ method }) => method === 'NodePublishVolume');
  return { ...made, ...started, published };
}

describe('volumes with in-tree sources', () => {
  it('belong to the driver that serves them now, when a claim is bound to them', async () => {
    const { node, api, until, published, isGone } = await createNodeWith(EBS);
    api.specs.set('pv-disk', { awsElasticBlockStore: { volumeID: 'aws://us-east-1a/vol-1', fsType: 'ext4' } });
    node.desire(csiPodWith('db', { persistentVolumeClaim: { claimName: 'disk' } }));
    await until(() => node.running().length === 1);
    expect(published().map(({ request }) => request)).toMatchObject([
      {
        volumeId: 'vol-1',
        volumeContext: { partition: '0' },
        targetPath: `${csiDirectoryOf('db', 'pv-disk')}/mount`,
        readonly: false,
      },
    ]);
    node.desire();
    await until(() => isGone('db'));
    expect(node.mounter.targets).toEqual([]);
  });

  it('stay within the directory of their pod, whatever their names, and are removed by the next agent', async () => {
    const { node, until, start, driver, published, isGone } = await createNodeWith(AZURE);
    const azureDisk = { diskName: '../../disk', diskURI: 'disk-1' };
    node.desire(csiPodWith('db', { azureDisk }));
    await until(() => node.running().length === 1);
    const directory = csiDirectoryOf('db', `${AZURE}-..~..~disk`);
    expect(published()[0]?.request).toMatchObject({
      volumeId: azureDisk.diskURI,
      targetPath: `${directory}/mount`,
    });
    await node.stop();
    node.desire();
    await start();
    await until(() => isGone('db'));
    expect(driver.calls.at(-1)).toMatchObject({
      method: 'NodeUnstageVolume',
      request: { volumeId: azureDisk.diskURI },
    });
    expect(node.mounter.targets).toEqual([]);
  });

  it('can only be read where the pod asks for that', async () => {
    const { node, until, published } = await createNodeWith(EBS);
    const source: Omit<Volume, 'name'> = { awsElasticBlockStore: { volumeID: 'vol-2', readOnly: true } };
    node.desire(csiPodWith('web', source));
    await until(() => node.running().length === 1);
    // As in the kubelet, the driver does not know that.
    expect(published()[0]?.request).toMatchObject({ volumeId: 'vol-2', readonly: false });
    const [container] = node.instances('web');
    expect(container?.mounts.find(({ containerPath }) => containerPath === '/data')?.readonly).toBe(true);
  });

  it('share no directory with another disk', async () => {
    const { node, until, driver, messages, isGone } = await createNodeWith(AZURE);
    const disks = ['a', 'b'].map((name) => ({ name, azureDisk: { diskName: 'd', diskURI: `disk-${name}` } }));
    const volumeMounts = disks.map(({ name }) => ({ name, mountPath: `/${name}` }));
    const containers = [{ name: 'app', image: 'app:1', volumeMounts }];
    node.desire(csiPodWith('db', {}, { containers, volumes: disks }));
    const cause = `kubernetes.io/csi/${AZURE}^disk-a has the directory`;
    await until(() => messages('FailedMount').some((message) => message.includes(cause)));
    node.desire();
    await until(() => isGone('db'));
    const ids = (method: string) =>
      driver.calls.filter((one) => one.method === method).map(({ request }) => request['volumeId']);
    expect([ids('NodeStageVolume'), ids('NodeUnstageVolume')]).toEqual([['disk-a'], ['disk-a']]);
    expect(node.mounter.targets).toEqual([]);
  });

  it('with names that no directory can have are rejected before anything is attached', async () => {
    const { node, until, driver, messages } = await createNodeWith(AZURE);
    const secretName = 'azure-storage-account-'.repeat(40_000);
    node.desire(
      csiPodWith('one', { azureDisk: { diskName: 'd', diskURI: 'x'.repeat(100_000) } }),
      csiPodWith('two', { azureFile: { secretName, shareName: 's' } }),
    );
    await until(() => messages('FailedMount').length >= 2);
    for (const message of messages('FailedMount')) expect(message).toMatch(/too long for a volume$/);
    expect(driver.calls.some(({ method }) => method === 'NodeStageVolume')).toBe(false);
  });

  it('fail with the cause when they cannot be translated, and the pod starts once they can be', async () => {
    const { node, api, until, messages } = await createNodeWith(EBS);
    api.specs.set('pv-disk', { awsElasticBlockStore: { volumeID: 'aws://us-east-1a' } });
    node.desire(csiPodWith('db', { persistentVolumeClaim: { claimName: 'disk' } }));
    await until(() => messages('FailedMount').length > 0);
    expect(messages('FailedMount')[0]).toBe(
      'Unable to attach or mount volumes: unmounted volumes=[data], unattached volumes=[], failed to process volumes=[data]: failed to translate in-tree pv to CSI: failed to translate Kubernetes ID to EBS Volume ID Invalid format for AWS volume (aws://us-east-1a)',
    );
    api.specs.set('pv-disk', { awsElasticBlockStore: { volumeID: 'vol-1' } });
    await until(() => node.running().length === 1);
  });
});
