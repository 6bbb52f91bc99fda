import type { VolumeTranslation } from '@rxlet/agent-api/volumes';
import type { PersistentVolume, PersistentVolumeClaim, Pod, Volume } from '@rxlet/kube-api';
import { describe, expect, it } from 'vitest';
import { claimVolume, sourceVolume } from './mountable-volume.ts';

const { signal } = new AbortController();
const boundClaim: PersistentVolumeClaim = {
  metadata: { name: 'data', uid: 'claim-1', ownerReferences: [{ controller: true, uid: 'u' } as never] },
  spec: { volumeName: 'pv1' },
  status: { phase: 'Bound' },
};
const persistent: PersistentVolume = {
  metadata: { name: 'pv1' },
  spec: { claimRef: { uid: 'claim-1' }, nfs: { server: 's', path: '/x' }, mountOptions: ['hard'] },
};
const byName: Volume = { name: 'vol', persistentVolumeClaim: { claimName: 'data', readOnly: true } };
const ephemeral: Volume = { name: 'vol', ephemeral: {} };
const pod: Pod = {
  metadata: { name: 'web', namespace: 'team', uid: 'u' },
  spec: { containers: [{ name: 'app', volumeMounts: [{ name: 'vol', mountPath: '/v' }] }] },
};

const csi = { driver: 'csi.example.com', volumeHandle: 'disk-1' };
const translation: VolumeTranslation = {
  persistent: ({ metadata, spec }) =>
    spec?.flexVolume && { metadata, spec: { accessModes: ['ReadWriteOnce'], csi, volumeMode: spec.volumeMode } },
  inline: ({ name, flexVolume }, namespace) =>
    flexVolume && { volume: { metadata: { name: `${namespace}-${name}` }, spec: { csi } }, readOnly: true },
};

function find(
  volume: Volume,
  claim?: PersistentVolumeClaim,
  found?: PersistentVolume,
  translations: readonly VolumeTranslation[] = [],
) {
  const calls: string[] = [];
  const missing = (kind: string): Promise<never> => Promise.reject(new Error(`${kind} not found`));
  const volumes = {
    claim: async (namespace: string, name: string) => {
      calls.push(`${namespace}/${name}`);
      return claim ?? missing('claim');
    },
    volume: async () => found ?? missing('volume'),
  };
  return { calls, result: claimVolume(pod, volume, { persistentVolumes: volumes, translations }, signal) };
}

describe('claimVolume', () => {
  it('has the name and source of the persistent volume', async () => {
    expect(await find(byName, boundClaim, persistent).result).toEqual({
      name: 'pv1',
      nfs: { server: 's', path: '/x' },
      persistent: {
        ...{ podVolumeName: 'vol', readOnly: true, mountOptions: ['hard'] },
        claim: { namespace: 'team', name: 'data' },
        spec: persistent.spec,
      },
    });
  });

  it('has the mount options of the annotation in place of those of the spec, but for a CSI driver', async () => {
    const annotations = { 'volume.beta.kubernetes.io/mount-options': 'nfsvers=4.1,ro' };
    const annotated = { ...persistent, metadata: { name: 'pv1', annotations } };
    expect((await find(byName, boundClaim, annotated).result).persistent?.mountOptions).toEqual(['nfsvers=4.1', 'ro']);
    const { nfs: _, ...spec } = persistent.spec!;
    const ofDriver = { ...annotated, spec: { ...spec, csi: { driver: 'example.com', volumeHandle: 'disk' } } };
    expect((await find(byName, boundClaim, ofDriver).result).persistent?.mountOptions).toEqual(['hard']);
  });

  it.each([
    ['5000', 5000n],
    ['many', undefined],
    ['', undefined],
    ['9223372036854775808', undefined],
  ])('has the group of the annotation %j: %s', async (gid, group) => {
    const annotated = { ...persistent, metadata: { name: 'pv1', annotations: { 'pv.beta.kubernetes.io/gid': gid } } };
    expect((await find(byName, boundClaim, annotated).result).persistent?.group).toBe(group);
  });

  it('has the claim of a generic ephemeral volume, which must be the own one of the pod', async () => {
    const { calls, result } = find(ephemeral, boundClaim, persistent);
    expect((await result).persistent?.readOnly).toBe(false);
    expect(calls).toEqual(['team/web-vol']);
    await expect(find(ephemeral, { ...boundClaim, metadata: { uid: 'claim-1' } }, persistent).result).rejects.toThrow(
      'PVC team/web-vol was not created for pod team/web (pod is not owner)',
    );
  });

  const withSpec = (spec: object): PersistentVolume => ({ ...persistent, spec: { ...persistent.spec, ...spec } });
  it.each<[string, PersistentVolumeClaim | undefined, PersistentVolume | undefined]>([
    ['failed to fetch PVC from API server: claim not found', undefined, undefined],
    ['PVC is not bound', { ...boundClaim, status: { phase: 'Pending' } }, undefined],
    ['PVC has empty pvc.Spec.VolumeName', { ...boundClaim, spec: {} }, undefined],
    ['PVC is being deleted', { ...boundClaim, metadata: { uid: 'c', deletionTimestamp: 'now' } }, undefined],
    ['failed to fetch PV pv1 from API server: volume not found', boundClaim, undefined],
    [
      'found PV object pv1 but its pv.Spec.ClaimRef.UID other does not point to claim.UID claim-1',
      boundClaim,
      withSpec({ claimRef: { uid: 'other' } }),
    ],
  ])('rejects with the message of a kubelet: %s', async (message, claim, volume) => {
    await expect(find(byName, claim, volume).result).rejects.toThrow(`error processing PVC team/data: ${message}`);
  });

  it('rejects a block volume that is mounted', async () => {
    await expect(find(byName, boundClaim, withSpec({ volumeMode: 'Block' })).result).rejects.toThrow(
      'volume vol has volumeMode Block, but is specified in volumeMounts',
    );
  });

  it('lets a protected claim be used until its pods have ended', async () => {
    const metadata = { uid: 'claim-1', deletionTimestamp: 'now', finalizers: ['kubernetes.io/pvc-protection'] };
    expect((await find(byName, { ...boundClaim, metadata }, persistent).result).name).toBe('pv1');
  });

  it('has the translated source of the persistent volume', async () => {
    const ofSource = withSpec({ nfs: undefined, flexVolume: { driver: 'old' } });
    expect(await find(byName, boundClaim, ofSource, [translation]).result).toMatchObject({
      name: 'pv1',
      persistent: {
        claim: { name: 'data' },
        readOnly: true,
        isTranslated: true,
        accessModes: ['ReadWriteOnce'],
        spec: { csi },
      },
    });
    const block = withSpec({ nfs: undefined, flexVolume: { driver: 'old' }, volumeMode: 'Block' });
    await expect(find(byName, boundClaim, block, [translation]).result).rejects.toThrow('volumeMode Block');
    const untranslated = await find(byName, boundClaim, persistent, [translation]).result;
    expect(untranslated.nfs).toEqual({ server: 's', path: '/x' });
  });

  it('rejects with the message of a translation that fails', async () => {
    const failing: VolumeTranslation = {
      ...translation,
      persistent() {
        throw new Error('cannot translate');
      },
    };
    await expect(find(byName, boundClaim, persistent, [failing]).result).rejects.toThrow(/^cannot translate$/);
  });
});

describe('sourceVolume', () => {
  it('is the persistent volume, of no claim, that a source means', () => {
    expect(sourceVolume(pod, { name: 'vol', flexVolume: { driver: 'old' } }, [translation])).toEqual({
      name: 'team-vol',
      persistent: { podVolumeName: 'vol', readOnly: true, isTranslated: true, mountOptions: [], spec: { csi } },
    });
  });

  it('is the volume itself where there is nothing to translate', () => {
    const volume: Volume = { name: 'vol', emptyDir: {} };
    expect(sourceVolume(pod, volume, [translation])).toBe(volume);
  });
});
