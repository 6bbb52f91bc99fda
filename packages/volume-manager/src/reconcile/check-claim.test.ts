import { expect, it } from 'vitest';
import type { MountableVolume, PersistentPart } from '@rxlet/agent-api/volumes';
import { checkNodeAffinity, createSinglePodVolumes } from './check-claim.ts';
import { createActualState } from './volume-states.ts';

const volumeWith = (part: Partial<PersistentPart>): MountableVolume => ({
  name: 'pv',
  persistent: { podVolumeName: 'vol', readOnly: false, mountOptions: [], spec: {}, ...part },
});
const onNode = (value: string): MountableVolume =>
  volumeWith({
    nodeAffinity: {
      nodeSelectorTerms: [
        { matchExpressions: [{ key: 'kubernetes.io/hostname', operator: 'In', values: [value] }] },
        { matchExpressions: [] },
      ],
    },
  });

it('rejects a volume of another node', () => {
  const node = { metadata: { name: 'node1', labels: { 'kubernetes.io/hostname': 'node1' } } };
  expect(() => checkNodeAffinity(onNode('node1'), node)).not.toThrow();
  expect(() => checkNodeAffinity(volumeWith({}), node)).not.toThrow();
  expect(() => checkNodeAffinity(onNode('node2'), undefined)).not.toThrow();
  expect(() => checkNodeAffinity(onNode('node2'), node)).toThrow('no matching NodeSelectorTerms');
});

it('keeps a volume for one pod from a second one', async () => {
  const actual = createActualState();
  const mounted = { hostPath: '/v', readOnly: false, managed: true, seLinuxRelabel: false, seLinuxLabeled: false };
  const plugin = { name: 'kubernetes.io/csi' } as never;
  const set = (isCertain: boolean): void =>
    actual.set('one', {
      name: 'data',
      plugin,
      isCertain,
      isPersistent: true,
      isTranslated: false,
      refreshes: false,
      mounted: { ...mounted, innerVolumeSpecName: 'pv' },
    });
  const onDisk = new Set<string>();
  const volumes = createSinglePodVolumes(actual, async (name, uid) => {
    expect(name).toBe('pv');
    return [...onDisk].some((other) => other !== uid);
  });
  const reserve = async (volume: MountableVolume, uid: string): Promise<void> =>
    (await volumes.reserve(volume, uid))[Symbol.dispose]();
  const single = volumeWith({ accessModes: ['ReadWriteOncePod'] });
  const inUse = 'is already in use by another pod';
  await reserve(single, 'two');
  {
    using _reservation = await volumes.reserve(single, 'one');
    await expect(reserve(single, 'two')).rejects.toThrow(inUse);
  }
  // A volume that may be mounted counts as mounted.
  set(false);
  await expect(reserve(single, 'two')).rejects.toThrow(inUse);
  await reserve(single, 'one');
  actual.delete('one', 'data');
  onDisk.add('one');
  await expect(reserve(single, 'two')).rejects.toThrow(inUse);
  await reserve(single, 'one');
  const several = volumeWith({ accessModes: ['ReadWriteOncePod', 'ReadWriteOnce'] });
  await reserve(several, 'two');
});

it('lets a pod use a volume although another pod has a volume of its own with that name', async () => {
  const actual = createActualState();
  actual.set('one', {
    name: 'pv',
    plugin: { name: 'kubernetes.io/empty-dir' } as never,
    isCertain: true,
    isPersistent: false,
    isTranslated: false,
    refreshes: false,
    mounted: {
      hostPath: '/v',
      readOnly: false,
      managed: true,
      seLinuxRelabel: false,
      seLinuxLabeled: false,
      innerVolumeSpecName: 'pv',
    },
  });
  const volumes = createSinglePodVolumes(actual, async () => false);
  using reservation = await volumes.reserve(volumeWith({ accessModes: ['ReadWriteOncePod'] }), 'two');
  expect(reservation).toBeDefined();
});
