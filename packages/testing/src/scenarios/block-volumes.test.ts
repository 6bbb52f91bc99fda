import { CsiCallError } from '@rxlet/csi';
import type { Pod } from '@rxlet/kube-api';
import { afterEach, describe, expect, it } from 'vitest';
import { createCsiNode as createNode, CSI_DRIVER, csiPodWith, uidOf } from '../test-support/csi-node.ts';

const cleanUps: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0)) await cleanUp();
});

const DEVICES = '/root/plugins/kubernetes.io/csi/volumeDevices';
const LOCAL_DEVICES = '/root/plugins/kubernetes.io~local-volume/volumeDevices';
const linkOf = (name: string, plugin = 'csi', volume = 'pv-disk') =>
  `/root/pods/${uidOf(name)}/volumeDevices/kubernetes.io~${plugin}/${volume}`;

function podUsing(name: string, { claimName = 'disk', readOnly = false } = {}): Pod {
  const containers = [{ name: 'app', image: 'app:1', volumeDevices: [{ name: 'data', devicePath: '/dev/data' }] }];
  return csiPodWith(name, { persistentVolumeClaim: { claimName, readOnly } }, { containers });
}

async function createBlockNode() {
  const made = await createNode(cleanUps);
  const { node, api } = made;
  api.volumes.set('pv-disk', { driver: CSI_DRIVER, volumeHandle: 'disk-1' });
  api.specs.set('pv-disk', { volumeMode: 'Block' });
  node.files.putSpecial('/dev/sdz', 'block-device');
  api.specs.set('pv-local', { volumeMode: 'Block', local: { path: '/dev/sdz' } });
  const leftovers = () => [
    ...node.mounter.targets,
    ...node.loopDevices.attached,
    ...node.files.paths().filter((path) => /^\/root\/plugins\/|volumeDevices/.test(path)),
  ];
  const devicesOf = async (name: string): Promise<unknown> => {
    const [container] = node.instances(name);
    const { info } = await node.fake.runtime.containerStatus({ containerId: container!.id, verbose: true });
    return (JSON.parse(info['info']!) as { config: { devices: unknown } }).config.devices;
  };
  return { ...made, leftovers, devicesOf };
}

describe('block volumes of CSI drivers', () => {
  it('reach the container as a device, at the paths of a kubelet', async () => {
    const { node, until, startDriver, start, messages, devicesOf } = await createBlockNode();
    const { driver } = await startDriver({ capabilities: ['STAGE_UNSTAGE_VOLUME'] });
    await start();
    node.desire(podUsing('db'));
    await until(() => node.running().length === 1);

    const published = `${DEVICES}/publish/pv-disk/${uidOf('db')}`;
    const calls = driver.calls.filter(({ method }) => /Stage|Publish/.test(method));
    expect(calls.map(({ method, request }) => [method, request])).toMatchObject([
      ['NodeStageVolume', { volumeId: 'disk-1', stagingTargetPath: `${DEVICES}/staging/pv-disk` }],
      ['NodePublishVolume', { stagingTargetPath: `${DEVICES}/staging/pv-disk`, targetPath: published }],
    ]);
    for (const { request } of calls)
      expect(request['volumeCapability']).toMatchObject({ accessType: { case: 'block' }, accessMode: { mode: 1 } });
    const bound = `${DEVICES}/pv-disk/dev/${uidOf('db')}`;
    expect(node.mounter.targets).toEqual([published, bound]);
    expect(node.loopDevices.attached).toEqual([bound]);
    expect(node.files.info(bound)?.kind).toBe('block-device');
    expect(node.files.paths()).toContain(`${linkOf('db')} -> ${published}`);
    expect(JSON.parse(node.files.text(`${DEVICES}/pv-disk/data/vol_data.json`)!)).toMatchObject({
      driverName: CSI_DRIVER,
      nodeName: 'node1',
      specVolID: 'pv-disk',
      volumeHandle: 'disk-1',
    });
    expect(await devicesOf('db')).toMatchObject([
      { host_path: linkOf('db'), container_path: '/dev/data', permissions: 'mrw' },
    ]);
    expect(messages('SuccessfulMountVolume')).toEqual([
      `MapVolume.MapPodDevice succeeded for volume "pv-disk" globalMapPath "${DEVICES}/pv-disk/dev"`,
      `MapVolume.MapPodDevice succeeded for volume "pv-disk" volumeMapPath "/root/pods/${uidOf('db')}/volumeDevices/kubernetes.io~csi"`,
    ]);
  });

  it('end their publication with each pod and their staging with the last one', async () => {
    const { node, until, startDriver, start, isGone, leftovers, devicesOf } = await createBlockNode();
    const { methods } = await startDriver({ capabilities: ['STAGE_UNSTAGE_VOLUME'] });
    await start();
    node.desire(podUsing('one'), podUsing('two', { readOnly: true }));
    await until(() => node.running().length === 2);
    expect(await devicesOf('two')).toMatchObject([{ permissions: 'r' }]);
    expect(methods().filter((method) => method === 'NodeStageVolume')).toHaveLength(1);
    node.desire(podUsing('two', { readOnly: true }));
    await until(() => isGone('one'));
    expect(methods()).not.toContain('NodeUnstageVolume');
    node.desire();
    await until(() => isGone('two'));
    expect(methods().filter((method) => /NodeUn/.test(method))).toEqual([
      'NodeUnpublishVolume',
      'NodeUnpublishVolume',
      'NodeUnstageVolume',
    ]);
    expect(leftovers()).toEqual([]);
  });

  it('skip staging when the driver does not stage', async () => {
    const { node, until, startDriver, start, isGone, leftovers } = await createBlockNode();
    const { methods } = await startDriver();
    await start();
    node.desire(podUsing('db'));
    await until(() => node.running().length === 1);
    node.desire();
    await until(() => isGone('db'));
    expect(methods().filter((method) => /Stage|Publish|Unpublish|Unstage/.test(method))).toEqual([
      'NodePublishVolume',
      'NodeUnpublishVolume',
    ]);
    expect(leftovers()).toEqual([]);
  });

  it('survive a restart of the agent and are removed by the next one', async () => {
    const { node, until, startDriver, start, isGone, leftovers } = await createBlockNode();
    const { methods } = await startDriver({ capabilities: ['STAGE_UNSTAGE_VOLUME'] });
    await start();
    node.desire(podUsing('db'));
    await until(() => node.running().length === 1);
    const starts = node.startsMs('db');
    await node.kill();
    await start();
    await node.advance(5_000);
    expect(node.startsMs('db')).toEqual(starts);
    await node.kill();
    // The next agent knows the volume from the disk only.
    node.desire();
    await start();
    await until(() => isGone('db'));
    expect(methods().filter((method) => method === 'NodeUnstageVolume')).toHaveLength(1);
    expect(leftovers()).toEqual([]);
  });

  it.each([1, 2, 3, 4, 5, 6, 7, 8])(
    'leave nothing when the agent was killed while it set them up (%i)',
    async (step) => {
      const { node, until, startDriver, start, isGone, leftovers } = await createBlockNode();
      const { driver } = await startDriver({ capabilities: ['STAGE_UNSTAGE_VOLUME'] });
      let writes = 0;
      let isKilled = false;
      node.files.fault = (operation, path) => {
        const isOfVolume =
          /volumeDevices/.test(path) && /^(makeDirectory|symlink|replaceFile|createFile)$/.test(operation);
        if (isOfVolume && (writes += 1) === step) isKilled = true;
        // Nothing of the agent has an effect from now on.
        return isKilled ? new Promise<void>(() => undefined) : undefined;
      };
      await start();
      node.desire(podUsing('db'));
      await until(() => isKilled || node.running().length === 1);
      await node.kill();
      node.files.fault = undefined;
      node.desire();
      await start();
      await until(() => isGone('db') && leftovers().length === 0);
      expect(driver.calls.filter(({ method }) => method === 'NodeStageVolume').length).toBeLessThan(2);
    },
  );

  it("show the driver's message and retry when the driver fails", async () => {
    const { node, until, startDriver, start, messages } = await createBlockNode();
    const { driver } = await startDriver({ capabilities: ['STAGE_UNSTAGE_VOLUME'] });
    let failing = 'NodeStageVolume';
    driver.fault = (method) => {
      if (method === failing) throw new CsiCallError('Internal', 'no path to the storage');
    };
    await start();
    node.desire(podUsing('db'));
    const cause = 'failed for volume "pv-disk" : rpc error: code = Internal desc = no path to the storage';
    await until(() => messages('FailedMapVolume').includes(`MapVolume.SetUpDevice ${cause}`));
    failing = 'NodePublishVolume';
    await until(() => messages('FailedMapVolume').includes(`MapVolume.MapPodDevice ${cause}`));
    failing = '';
    node.loopDevices.fault = (operation) => {
      if (operation === 'attach') throw new Error('losetup failed: exit status 1');
    };
    await until(() => messages('FailedMapVolume').some((message) => /MapBlockVolume failed .*losetup/.test(message)));
    node.loopDevices.fault = undefined;
    await until(() => node.running().length === 1);
  });

  it('wait for a driver that is missing', async () => {
    const { node, until, startDriver, start, messages, isGone } = await createBlockNode();
    await start();
    node.desire(podUsing('db'));
    const cause = `kubernetes.io/csi: blockMapper.SetUpDevice failed to get CSI client: driver name ${CSI_DRIVER} not found in the list of registered CSI drivers`;
    await until(() =>
      messages('FailedMapVolume').includes(`MapVolume.SetUpDevice failed for volume "pv-disk" : ${cause}`),
    );
    node.desire();
    await until(() => isGone('db'));
    await startDriver();
    node.desire(podUsing('db'));
    await until(() => node.running().length === 1);
  });

  it('cannot be mounted, and other volumes are no devices', async () => {
    const { node, api, until, startDriver, start, messages } = await createBlockNode();
    await startDriver();
    await start();
    node.desire(csiPodWith('web', { persistentVolumeClaim: { claimName: 'disk' } }));
    const failed =
      'Unable to attach or mount volumes: unmounted volumes=[data], unattached volumes=[], failed to process volumes=[data]';
    await until(() => messages('FailedMount').length > 0);
    expect(messages('FailedMount')).toContain(
      `${failed}: volume data has volumeMode Block, but is specified in volumeMounts`,
    );
    api.specs.set('pv-nfs', { volumeMode: 'Block', nfs: { server: 's', path: '/x' } });
    node.desire(podUsing('db', { claimName: 'nfs' }));
    const cause = 'volumes of the plugin kubernetes.io/nfs cannot have the volumeMode Block';
    await until(() => messages('FailedMount').includes(`${failed}: ${cause}`));
  });
});

describe('local block volumes', () => {
  it('reach the container as a device, and leave nothing', async () => {
    const { node, until, start, isGone, leftovers, devicesOf } = await createBlockNode();
    await start();
    node.desire(podUsing('db', { claimName: 'local' }));
    await until(() => node.running().length === 1);
    const bound = `${LOCAL_DEVICES}/pv-local/${uidOf('db')}`;
    expect(node.mounter.targets).toEqual([bound]);
    expect(node.loopDevices.attached).toEqual([bound]);
    const link = linkOf('db', 'local-volume', 'pv-local');
    expect(node.files.paths()).toContain(`${link} -> /dev/sdz`);
    expect(await devicesOf('db')).toMatchObject([{ host_path: link, container_path: '/dev/data' }]);
    await node.kill();
    node.desire();
    await start();
    await until(() => isGone('db'));
    expect(leftovers()).toEqual([]);
    expect(node.files.info('/dev/sdz')?.kind).toBe('block-device');
  });

  it('fail for paths that are not devices', async () => {
    const { node, api, until, start, messages, isGone, leftovers } = await createBlockNode();
    node.files.put('/var/disk.img', '');
    api.specs.set('pv-file', { volumeMode: 'Block', local: { path: '/var/disk.img' } });
    api.specs.set('pv-none', { volumeMode: 'Block', local: { path: '/dev/none' } });
    await start();
    node.desire(podUsing('one', { claimName: 'file' }), podUsing('two', { claimName: 'none' }));
    await until(() => messages('FailedMapVolume').length >= 2);
    const text = messages('FailedMapVolume').join('\n');
    expect(text).toContain('/var/disk.img is a file, expected a block device');
    expect(text).toContain('MapVolume.MapPodDevice failed for volume "pv-none" : path "/dev/none" does not exist');
    node.desire();
    await until(() => isGone('one') && isGone('two'));
    expect(leftovers()).toEqual([]);
  });
});
