import type { CSIDriver, Pod } from '@rxlet/kube-api';
import { describe, expect, it } from 'vitest';
import { inlineVolumeHandle, stagingDirectory } from './csi-names.ts';
import { changesGroup, csiAccessMode, type CsiVolume, csiVolumeOf, isAttachable, podContext } from './csi-volume.ts';

const pod: Pod = {
  metadata: { name: 'web', namespace: 'shop', uid: 'uid-1' },
  spec: { containers: [], serviceAccountName: 'clerk' },
};
const inline = csiVolumeOf({ name: 'data', csi: { driver: 'csi.example.com' } }, pod);
const driver = (spec: CSIDriver['spec']): CSIDriver => ({ metadata: { name: 'csi.example.com' }, spec });

describe('csiVolumeOf', () => {
  it('derives the handle of an inline volume from pod and name', () => {
    // printf uid-1data | sha256sum
    expect(inline.handle).toBe(inlineVolumeHandle('uid-1', 'data'));
    expect(inline.handle).toBe('csi-d6e418cffb6079f9b02d83af7dffbf3511ed5a26b3f106f1f3ca764ed6505c9c');
    expect(inline).toMatchObject({ lifecycleMode: 'Ephemeral', readOnly: false, fsType: '' });
  });

  it('takes the Secret of an inline volume from the namespace of the pod', () => {
    const csi = { driver: 'csi.example.com', nodePublishSecretRef: { name: 'token' } };
    expect(csiVolumeOf({ name: 'data', csi }, pod).publishSecret).toEqual({ namespace: 'shop', name: 'token' });
  });

  it('takes read-only access from the claim of a persistent volume, not from its source', () => {
    const csi = { driver: 'csi.example.com', volumeHandle: 'disk-1', readOnly: true };
    const persistent = {
      podVolumeName: 'data',
      claim: { namespace: 'shop', name: 'data' },
      readOnly: false,
      mountOptions: ['noatime'],
      accessModes: ['ReadWriteMany'],
      spec: { csi },
    };
    expect(csiVolumeOf({ name: 'pv', persistent }, pod)).toMatchObject({
      handle: 'disk-1',
      lifecycleMode: 'Persistent',
      readOnly: false,
      mountOptions: ['noatime'],
      accessModes: ['ReadWriteMany'],
    });
  });
});

describe('csiAccessMode', () => {
  it.each([
    [[], 'SINGLE_NODE_WRITER', 'SINGLE_NODE_MULTI_WRITER'],
    [['ReadWriteOnce', 'ReadWriteMany'], 'SINGLE_NODE_WRITER', 'SINGLE_NODE_MULTI_WRITER'],
    [['ReadWriteOncePod'], 'SINGLE_NODE_WRITER', 'SINGLE_NODE_SINGLE_WRITER'],
    [['ReadOnlyMany'], 'MULTI_NODE_READER_ONLY', 'MULTI_NODE_READER_ONLY'],
    [['ReadWriteMany'], 'MULTI_NODE_MULTI_WRITER', 'MULTI_NODE_MULTI_WRITER'],
  ])('maps %j to %s, or to %s for a driver that distinguishes writers', (accessModes, plain, precise) => {
    const volume: CsiVolume = { ...inline, accessModes };
    expect(csiAccessMode(volume, new Set())).toBe(plain);
    expect(csiAccessMode(volume, new Set(['SINGLE_NODE_MULTI_WRITER'] as const))).toBe(precise);
  });
});

describe('changesGroup', () => {
  const persistent: CsiVolume = { ...inline, lifecycleMode: 'Persistent', fsType: 'ext4' };
  it.each<[string, CsiVolume, string | undefined, boolean]>([
    ['with policy None', { ...inline, fsType: 'ext4' }, 'None', false],
    ['with policy File, without a file system', inline, 'File', true],
    ['that is read-only', { ...inline, readOnly: true }, 'File', false],
    ['without a file system', inline, undefined, false],
    ['inline, with a file system', { ...inline, fsType: 'ext4' }, undefined, true],
    ['persistent, for one node', { ...persistent, accessModes: ['ReadWriteOnce'] }, undefined, true],
    ['persistent, for one pod', { ...persistent, accessModes: ['ReadWriteOncePod'] }, undefined, true],
    ['persistent, for many nodes', { ...persistent, accessModes: ['ReadWriteMany'] }, undefined, false],
    ['persistent, without modes', persistent, undefined, false],
  ])('decides for a volume %s', (_name, volume, fsGroupPolicy, expected) => {
    expect(changesGroup(volume, driver(fsGroupPolicy === undefined ? {} : { fsGroupPolicy }))).toBe(expected);
  });
});

describe('podContext', () => {
  it('has facts about the pod for drivers that ask for them only', () => {
    const volume = { ...inline, attributes: { size: '1Gi', 'csi.storage.k8s.io/pod.name': 'forged' } };
    expect(podContext(volume, undefined, pod)).toEqual(volume.attributes);
    expect(podContext(volume, driver({ podInfoOnMount: true }), pod)).toEqual({
      size: '1Gi',
      'csi.storage.k8s.io/pod.name': 'web',
      'csi.storage.k8s.io/pod.namespace': 'shop',
      'csi.storage.k8s.io/pod.uid': 'uid-1',
      'csi.storage.k8s.io/serviceAccount.name': 'clerk',
      'csi.storage.k8s.io/ephemeral': 'true',
    });
  });
});

describe('isAttachable', () => {
  const persistent: CsiVolume = { ...inline, lifecycleMode: 'Persistent' };

  it('is true for persistent volumes unless the driver says otherwise', () => {
    expect(isAttachable(persistent, undefined)).toBe(true);
    expect(isAttachable(persistent, driver({}))).toBe(true);
    expect(isAttachable(persistent, driver({ attachRequired: false }))).toBe(false);
    expect(isAttachable(inline, undefined)).toBe(false);
  });
});

describe('stagingDirectory', () => {
  it('contains the driver and the hash of the handle, and does not leave the root', () => {
    expect(stagingDirectory('/root', 'csi.example.com', '../../etc')).toMatch(
      /^\/root\/plugins\/kubernetes\.io\/csi\/csi\.example\.com\/[0-9a-f]{64}$/,
    );
    expect(() => stagingDirectory('/root', '..', 'disk-1')).toThrow('not a name of a directory');
  });
});
