import type { Pod } from '@rxlet/kube-api';
import { afterEach, describe, expect, it } from 'vitest';
import type { TestNode } from '../test-node.ts';
import { createCsiNode, csiPodWith, uidOf } from '../test-support/csi-node.ts';

const cleanUps: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0)) await cleanUp();
});

const GLOBAL = '/root/plugins/kubernetes.io/local-volume/mounts/pv-disk';
const DEVICE = '/dev/sdz';
const pathOf = (name: string) => `/root/pods/${uidOf(name)}/volumes/kubernetes.io~local-volume/pv-disk`;
const podUsing = (name: string, readOnly = false): Pod =>
  csiPodWith(name, { persistentVolumeClaim: { claimName: 'disk', readOnly } });

/** A node with a disk that the claim `disk` is bound to. */
async function createDiskNode(fsType?: string) {
  const made = await createCsiNode(cleanUps);
  const { node, api } = made;
  node.files.putSpecial(DEVICE, 'block-device');
  api.specs.set('pv-disk', {
    local: { path: DEVICE, ...(fsType !== undefined && { fsType }) },
    mountOptions: ['noatime'],
  });
  await made.start();
  return made;
}

/** Lets the file systems of a node take until `end` to be made. */
function holdFileSystems({ fileSystems }: Pick<TestNode, 'fileSystems'>) {
  const made = Promise.withResolvers<void>();
  const making = { attempts: 0, end: () => made.resolve() };
  fileSystems.fault = () => {
    making.attempts += 1;
    return made.promise;
  };
  return making;
}

describe('local disks', () => {
  it('get a file system, which the pods of the node share, and are unmounted after the last of them', async () => {
    const { node, until, isGone } = await createDiskNode();
    node.desire(podUsing('one'), podUsing('two'));
    await until(() => node.running().length === 2);
    expect(node.fileSystems.formatted).toEqual(new Map([[DEVICE, 'ext4']]));
    expect(node.mounter.requests.filter(({ target }) => target === GLOBAL)).toEqual([
      { source: DEVICE, target: GLOBAL, fsType: 'ext4', options: ['noatime', 'defaults'] },
    ]);
    expect([...node.mounter.targets].toSorted()).toEqual([GLOBAL, pathOf('one'), pathOf('two')].toSorted());
    const [container] = node.instances('one');
    expect(container?.mounts.find(({ containerPath }) => containerPath === '/data')?.hostPath).toBe(pathOf('one'));

    node.desire(podUsing('two'));
    await until(() => isGone('one'));
    expect(node.mounter.targets).toEqual([GLOBAL, pathOf('two')]);
    node.desire();
    await until(() => isGone('two'));
    expect(node.mounter.targets).toEqual([]);
    expect(node.files.info(GLOBAL)).toBeUndefined();
  });

  it('keep the type of their file system, and are unmounted by the next agent', async () => {
    const { node, until, start, isGone } = await createDiskNode('xfs');
    node.fileSystems.formatted.set(DEVICE, 'xfs');
    node.desire(podUsing('one', true));
    await until(() => node.running().length === 1);
    expect(node.mounter.requests[0]).toMatchObject({ fsType: 'xfs', options: ['ro', 'noatime', 'defaults'] });
    await node.kill();
    node.desire();
    await start();
    await until(() => isGone('one'));
    expect(node.mounter.targets).toEqual([]);
    expect(node.files.info(GLOBAL)).toBeUndefined();
  });

  it('with a damaged file system are an event, and leave nothing', async () => {
    const { node, until, messages, isGone } = await createDiskNode();
    node.fileSystems.fault = () => {
      throw new Error("'fsck' found errors");
    };
    node.desire(podUsing('one'));
    await until(() => messages('FailedMount').length > 0);
    expect(messages('FailedMount')[0]).toBe(
      `MountVolume.SetUp failed for volume "pv-disk" : local: failed to mount device ${DEVICE} at ${GLOBAL} (fstype: ext4), error 'fsck' found errors`,
    );
    expect(node.files.info(GLOBAL)).toBeUndefined();
    node.fileSystems.fault = undefined;
    await until(() => node.running().length === 1);
    node.desire();
    await until(() => isGone('one'));
  });

  it('with a file system that takes an hour to make let their pod start then, and others at once', async () => {
    const { node, until } = await createDiskNode();
    const making = holdFileSystems(node);
    node.desire(podUsing('one'), csiPodWith('other', { emptyDir: {} }));
    await until(() => node.running().length === 1);
    await node.advance(3_600_000);
    expect([node.running(), making.attempts]).toEqual([['other/app'], 1]);
    making.end();
    await until(() => node.running().length === 2);
    expect(making.attempts).toBe(1);
  });

  it('with a file system that is being made are unmounted after that when their pod has ended', async () => {
    const { node, until, isGone } = await createDiskNode();
    const making = holdFileSystems(node);
    node.desire(podUsing('one'), csiPodWith('other', { emptyDir: {} }));
    await until(() => node.running().length === 1 && making.attempts === 1);
    node.desire(csiPodWith('next', { emptyDir: {} }));
    await until(() => isGone('other') && node.running().join() === 'next/app');
    await node.advance(600_000);
    making.end();
    await until(() => isGone('one'));
    expect([node.mounter.targets, node.files.info(GLOBAL), making.attempts]).toEqual([[], undefined, 1]);
  });

  it('with the mount option ro are neither formatted nor repaired', async () => {
    const { node, api, until, messages } = await createDiskNode();
    api.specs.set('pv-disk', { local: { path: DEVICE }, mountOptions: ['ro'] });
    node.desire(podUsing('one'));
    await until(() => messages('FailedMount').length > 0);
    expect(messages('FailedMount')[0]).toContain('cannot mount unformatted disk');
    expect(node.fileSystems.formatted.size).toBe(0);
  });

  it('without any answer are unmounted, and nothing looks at them', async () => {
    const { node, until, isGone } = await createDiskNode('');
    node.desire(podUsing('one'), podUsing('two'));
    await until(() => node.running().length === 2);
    const exists = node.files.nodeFiles.exists.bind(node.files.nodeFiles);
    node.files.nodeFiles.exists = async (path) => {
      const mounted = [GLOBAL, pathOf('one'), pathOf('two')].filter((target) => node.mounter.targets.includes(target));
      if (mounted.includes(path)) throw Object.assign(new Error('EIO: i/o error'), { code: 'EIO' });
      return exists(path);
    };
    node.desire();
    await until(() => isGone('one') && isGone('two'));
    expect(node.mounter.targets).toEqual([]);
  });

  it('grow when their claim has grown', async () => {
    const { node, api, until } = await createDiskNode();
    api.statuses.set('disk', { capacity: { storage: '1Gi' } });
    api.specs.set('pv-disk', { ...api.specs.get('pv-disk'), capacity: { storage: '2Gi' } });
    const grown: string[] = [];
    node.fileSystems.fault = (operation, device) => {
      if (operation === 'grow') grown.push(device);
    };
    node.desire(podUsing('one'));
    await until(() => node.running().length === 1);
    expect(grown).toEqual([DEVICE]);
    expect(api.statuses.get('disk')?.capacity).toEqual({ storage: '2Gi' });
  });

  it('leave nothing wherever the agent is killed', async () => {
    const { node, until, start, isGone } = await createDiskNode();
    for (let call = 1; call <= 120; call += 4) {
      node.desire(podUsing('one'));
      await node.killAtCall(call, 20_000);
      await start();
      await until(() => node.running().length === 1);
      expect(node.mounter.targets).toEqual([GLOBAL, pathOf('one')]);
      node.desire();
      await node.killAtCall(call, 20_000);
      await start();
      await until(() => isGone('one'));
      expect([node.mounter.targets, node.files.info(GLOBAL)]).toEqual([[], undefined]);
    }
  });
});
