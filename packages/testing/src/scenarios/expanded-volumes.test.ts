import { CsiCallError } from '@rxlet/csi';
import { afterEach, describe, expect, it } from 'vitest';
import { createCsiNode, CSI_DRIVER, csiDirectoryOf, csiPodWith, uidOf } from '../test-support/csi-node.ts';

const cleanUps: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0)) await cleanUp();
});

const STAGED = /^\/root\/plugins\/kubernetes\.io\/csi\/csi\.example\.com\/[0-9a-f]{64}\/globalmount$/;

async function createExpansionNode(volumeMode: 'Filesystem' | 'Block') {
  const made = await createCsiNode(cleanUps);
  const { api } = made;
  const nodeExpandSecretRef = { namespace: 'storage', name: 'expand' };
  api.secrets.set('storage/expand', { data: { key: Buffer.from('secret').toString('base64') } });
  api.volumes.set('pv-disk', { driver: CSI_DRIVER, volumeHandle: 'disk-1', fsType: 'ext4', nodeExpandSecretRef });
  const grow = (size: string): void => {
    api.specs.set('pv-disk', { volumeMode, capacity: { storage: size } });
    api.statuses.set('disk', {
      capacity: api.statuses.get('disk')?.capacity ?? { storage: '1Gi' },
      allocatedResources: { storage: size },
      allocatedResourceStatuses: { storage: 'NodeResizePending' },
    });
  };
  api.specs.set('pv-disk', { volumeMode, capacity: { storage: '1Gi' } });
  api.statuses.set('disk', { capacity: { storage: '1Gi' } });
  const { driver, methods } = await made.startDriver({ capabilities: ['STAGE_UNSTAGE_VOLUME', 'EXPAND_VOLUME'] });
  const claim = { persistentVolumeClaim: { claimName: 'disk' } };
  const devices = [{ name: 'app', image: 'app:1', volumeDevices: [{ name: 'data', devicePath: '/dev/data' }] }];
  const pod = csiPodWith('db', claim, volumeMode === 'Block' ? { containers: devices } : {});
  const expansions = () => driver.calls.filter(({ method }) => method === 'NodeExpandVolume');
  return {
    ...made,
    driver,
    methods,
    grow,
    pod,
    expansions,
    size: () => api.statuses.get('disk')?.capacity?.['storage'],
  };
}

describe('volumes whose claims have grown', () => {
  it('grow while their pods run', async () => {
    const { node, until, start, pod, grow, size, expansions, messages } = await createExpansionNode('Filesystem');
    await start();
    node.desire(pod);
    await until(() => node.running().length === 1);
    expect(expansions()).toEqual([]);
    const starts = node.startsMs('db');
    grow('2Gi');
    await until(() => size() === '2Gi');
    expect(expansions()).toMatchObject([
      {
        request: {
          volumeId: 'disk-1',
          volumePath: `${csiDirectoryOf('db', 'pv-disk')}/mount`,
          stagingTargetPath: expect.stringMatching(STAGED) as string,
          capacityRange: { requiredBytes: 2n << 30n },
          secrets: { key: 'secret' },
          volumeCapability: { accessType: { case: 'mount', value: { fsType: 'ext4' } } },
        },
      },
    ]);
    expect(messages('FileSystemResizeSuccessful')).toHaveLength(2);
    expect(node.startsMs('db')).toEqual(starts);
    await node.advance(300_000);
    expect(expansions()).toHaveLength(1);
  });

  it('grow before their pods start, and stay unused before that', async () => {
    const { node, until, start, pod, grow, driver, size, messages, expansions } =
      await createExpansionNode('Filesystem');
    grow('2Gi');
    driver.fault = (method) => {
      if (method === 'NodeExpandVolume') throw new CsiCallError('Internal', 'busy');
    };
    await start();
    node.desire(pod);
    const failed = 'MountVolume.Setup failed while expanding volume for volume "pv-disk" : ';
    const cause = 'Expander.NodeExpand failed to expand the volume : rpc error: code = Internal desc = busy';
    await until(() => messages('FailedMount').includes(`${failed}${cause}`));
    expect(node.running()).toEqual([]);
    driver.fault = undefined;
    await until(() => node.running().length === 1);
    expect(size()).toBe('2Gi');
    const count = expansions().length;
    await node.kill();
    await start();
    await node.advance(120_000);
    expect(expansions()).toHaveLength(count);
  });

  it('with the mode Block are expanded by their devices', async () => {
    const { node, until, start, pod, grow, size, expansions } = await createExpansionNode('Block');
    await start();
    node.desire(pod);
    await until(() => node.running().length === 1);
    grow('3Gi');
    await until(() => size() === '3Gi');
    const devices = '/root/plugins/kubernetes.io/csi/volumeDevices';
    expect(expansions()).toMatchObject([
      {
        request: {
          volumePath: `${devices}/publish/pv-disk/${uidOf('db')}`,
          stagingTargetPath: `${devices}/staging/pv-disk`,
          volumeCapability: { accessType: { case: 'block' } },
        },
      },
    ]);
  });
});
