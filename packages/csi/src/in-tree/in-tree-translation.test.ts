import type {
  CSIPersistentVolumeSource,
  NodeSelectorRequirement,
  NodeSelectorTerm,
  PersistentVolume,
  Volume,
} from '@rxlet/kube-api';
import { describe, expect, it } from 'vitest';
import { inTreeTranslation } from './in-tree-translation.ts';

const ZONE = 'topology.kubernetes.io/zone';
const REGION = 'topology.kubernetes.io/region';
const BETA_ZONE = 'failure-domain.beta.kubernetes.io/zone';
const BETA_REGION = 'failure-domain.beta.kubernetes.io/region';

const persistent = (spec: PersistentVolume['spec'], metadata: PersistentVolume['metadata'] = {}) =>
  inTreeTranslation.persistent({ metadata: { name: 'pv', ...metadata }, spec });
const inline = (source: Omit<Volume, 'name'>, namespace = 'shop') =>
  inTreeTranslation.inline({ name: 'data', ...source }, namespace);
const withTerms = (...nodeSelectorTerms: readonly NodeSelectorTerm[]) => ({
  nodeAffinity: { required: { nodeSelectorTerms } },
});
const requires = (key: string, ...values: readonly string[]): NodeSelectorRequirement => ({
  key,
  operator: 'In',
  values,
});

describe('persistent volumes', () => {
  const secretRef = { name: 'azure-storage-account-acme-secret', namespace: 'shop' };
  it.each<[string, PersistentVolume['spec'], CSIPersistentVolumeSource]>([
    [
      'an EBS volume',
      { awsElasticBlockStore: { volumeID: 'vol-1', fsType: 'xfs', readOnly: true, partition: 2 } },
      {
        ...{ driver: 'ebs.csi.aws.com', volumeHandle: 'vol-1', fsType: 'xfs', readOnly: true },
        volumeAttributes: { partition: '2' },
      },
    ],
    [
      'an EBS volume with the URL of its zone',
      { awsElasticBlockStore: { volumeID: 'aws://us-east-1a/vol-1' } },
      {
        ...{ driver: 'ebs.csi.aws.com', volumeHandle: 'vol-1', fsType: '', readOnly: false },
        volumeAttributes: { partition: '0' },
      },
    ],
    [
      'a disk of Azure',
      { azureDisk: { diskName: 'disk', diskURI: '/disks/disk', cachingMode: 'None', fsType: 'ext4', kind: 'Shared' } },
      {
        ...{ driver: 'disk.csi.azure.com', volumeHandle: '/disks/disk', fsType: 'ext4', readOnly: false },
        volumeAttributes: { cachingMode: 'None', 'csi-migration': 'true', fsType: 'ext4', kind: 'Shared' },
      },
    ],
    [
      'a file share of Azure, with the Secret of the namespace of its claim',
      { azureFile: { secretName: secretRef.name, shareName: 'share' }, claimRef: { namespace: 'shop' } },
      {
        ...{ driver: 'file.csi.azure.com', volumeHandle: '#acme#share#pv#shop', readOnly: false },
        ...{ volumeAttributes: { sharename: 'share' }, nodeStageSecretRef: secretRef },
      },
    ],
    [
      'a volume of Cinder',
      { cinder: { volumeID: 'volume-1', fsType: 'ext4' } },
      {
        ...{ driver: 'cinder.csi.openstack.org', volumeHandle: 'volume-1', fsType: 'ext4', readOnly: false },
        volumeAttributes: {},
      },
    ],
    [
      'a disk of GCE without a zone',
      { gcePersistentDisk: { pdName: 'disk', partition: 3 } },
      {
        driver: 'pd.csi.storage.gke.io',
        volumeHandle: 'projects/UNSPECIFIED/zones/UNSPECIFIED/disks/disk',
        ...{ fsType: '', readOnly: false, volumeAttributes: { partition: '3' } },
      },
    ],
    [
      'a volume of Portworx',
      { portworxVolume: { volumeID: '1', fsType: 'ext4' } },
      { driver: 'pxd.portworx.com', volumeHandle: '1', fsType: 'ext4', volumeAttributes: {} },
    ],
    [
      'a disk of vSphere with a policy',
      { vsphereVolume: { volumePath: '[store] kubevols/disk.vmdk', fsType: 'ext4', storagePolicyName: 'gold' } },
      {
        ...{ driver: 'csi.vsphere.vmware.com', volumeHandle: '[store] kubevols/disk.vmdk', fsType: 'ext4' },
        volumeAttributes: { storagepolicyname: 'gold' },
      },
    ],
  ])('%s', (_title, spec, csi) => {
    expect(persistent({ ...spec, capacity: { storage: '1Gi' } })?.spec).toEqual({
      ...(spec?.claimRef && { claimRef: spec.claimRef }),
      capacity: { storage: '1Gi' },
      csi,
    });
  });

  it('a file share with a Secret, a resource group and an unusual name of the Secret', () => {
    const annotations = { 'kubernetes.io/azure-file-resource-group': 'group' };
    const azureFile = { secretName: 'other', shareName: 'share', secretNamespace: 'storage' };
    expect(persistent({ azureFile }, { annotations })?.spec?.csi).toMatchObject({
      volumeHandle: 'group#other#share#pv#storage',
      nodeStageSecretRef: { name: 'other', namespace: 'storage' },
    });
  });

  it('a volume of Portworx has the Secret of its annotations for each call', () => {
    const annotations = { 'openstorage.io/auth-secret-name': 'auth', 'openstorage.io/auth-secret-namespace': 'px' };
    const secret = { name: 'auth', namespace: 'px' };
    expect(persistent({ portworxVolume: { volumeID: '1' } }, { annotations })?.spec?.csi).toMatchObject({
      nodeStageSecretRef: secret,
      nodePublishSecretRef: secret,
      nodeExpandSecretRef: secret,
    });
  });

  it.each([
    ['europe-west1-b', 'zones/europe-west1-b'],
    ['europe-west1-b__europe-west1-c', 'regions/europe-west1'],
  ])('a disk of GCE in %s belongs to %s', (zones, location) => {
    for (const label of [ZONE, BETA_ZONE])
      expect(
        persistent({ gcePersistentDisk: { pdName: 'disk' } }, { labels: { [label]: zones } })?.spec?.csi,
      ).toMatchObject({
        volumeHandle: `projects/UNSPECIFIED/${location}/disks/disk`,
      });
  });

  it.each([
    [['ReadWriteMany'], ['ReadWriteOnce']],
    [['ReadOnlyMany'], ['ReadOnlyMany']],
    [['ReadWriteOnce', 'ReadOnlyMany'], ['ReadWriteOnce']],
    [['ReadWriteOncePod'], ['ReadWriteOnce']],
  ] as const)('a disk of GCE with the access modes %j has %j for the driver', (accessModes, expected) => {
    expect(persistent({ gcePersistentDisk: { pdName: 'disk' }, accessModes })?.spec?.accessModes).toEqual(expected);
  });

  it.each<[string, PersistentVolume['spec'], Record<string, string>, RegExp]>([
    [
      'a URL without a disk',
      { awsElasticBlockStore: { volumeID: 'aws://zone/disk' } },
      {},
      /EBS Volume ID.*aws:\/\/zone\/disk/,
    ],
    ['a URL that ends', { awsElasticBlockStore: { volumeID: 'aws://vol-1' } }, {}, /EBS Volume ID/],
    ['a file share without a namespace', { azureFile: { secretName: 's', shareName: 's' } }, {}, /secret namespace/],
    [
      'zones of two regions',
      { gcePersistentDisk: { pdName: 'd' } },
      { [ZONE]: 'us-a-1__us-b-1' },
      /multiple or no regions/,
    ],
    [
      'an unknown kind of zones',
      { gcePersistentDisk: { pdName: 'd' } },
      { [ZONE]: 'a__b' },
      /unexpected format.*got: a/,
    ],
  ])('%s cannot be translated', (_title, spec, labels, message) => {
    expect(() => persistent(spec, { labels })).toThrow(message);
    expect(() => persistent(spec, { labels })).toThrow(/^failed to translate in-tree pv to CSI: /);
  });

  it('others need no translation', () => {
    expect(persistent({ nfs: { server: 's', path: '/' } })).toBeUndefined();
    expect(persistent(undefined)).toBeUndefined();
    expect(inline({ emptyDir: {} })).toBeUndefined();
  });
});

describe('the topology of persistent volumes', () => {
  const ebs = { awsElasticBlockStore: { volumeID: 'vol-1' } };
  const EBS_ZONE = 'topology.ebs.csi.aws.com/zone';
  const affinityOf = (spec: PersistentVolume['spec'], labels: Readonly<Record<string, string>> = {}) =>
    persistent(spec, { labels })?.spec?.nodeAffinity?.required?.nodeSelectorTerms;

  it('is in the terms of the driver', () => {
    const others = requires('disk', 'fast');
    const terms = [{ matchExpressions: [requires(ZONE, 'a'), others] }, { matchExpressions: [requires(ZONE, 'b')] }];
    // The affinity has precedence over the labels.
    expect(affinityOf({ ...ebs, ...withTerms(...terms) }, { [ZONE]: 'c' })).toEqual([
      { matchExpressions: [requires(EBS_ZONE, 'a'), others] },
      { matchExpressions: [requires(EBS_ZONE, 'b')] },
    ]);
  });

  it('comes from the labels of a volume without one', () => {
    expect(affinityOf(ebs, { [ZONE]: 'b__ a__b__' })).toEqual([{ matchExpressions: [requires(EBS_ZONE, 'a', 'b')] }]);
    const others = requires('disk', 'fast');
    expect(affinityOf({ ...ebs, ...withTerms({ matchExpressions: [others] }, {}) }, { [BETA_ZONE]: 'a' })).toEqual([
      { matchExpressions: [others, requires(EBS_ZONE, 'a')] },
      { matchExpressions: [requires(EBS_ZONE, 'a')] },
    ]);
    expect(affinityOf(ebs)).toBeUndefined();
    expect(affinityOf(ebs, { [ZONE]: '' })).toBeUndefined();
  });

  it('has the region that nodes have now in place of the beta label', () => {
    const terms = [{ matchExpressions: [requires(BETA_ZONE, 'a'), requires(BETA_REGION, 'r')] }];
    expect(affinityOf({ ...ebs, ...withTerms(...terms) })).toEqual([
      { matchExpressions: [requires(EBS_ZONE, 'a'), requires(REGION, 'r')] },
    ]);
  });

  it('has zone and region for vSphere', () => {
    const vsphere = { vsphereVolume: { volumePath: '[store] disk.vmdk' } };
    const expected = [requires('topology.csi.vmware.com/zone', 'a'), requires('topology.csi.vmware.com/region', 'r')];
    expect(affinityOf(vsphere, { [BETA_ZONE]: 'a', [BETA_REGION]: 'r' })).toEqual([{ matchExpressions: expected }]);
    const terms = [{ matchExpressions: [requires(ZONE, 'a'), requires(REGION, 'r')] }];
    expect(affinityOf({ ...vsphere, ...withTerms(...terms) })).toEqual([{ matchExpressions: expected }]);
  });

  it('stays as it is for drivers without zones of their own', () => {
    const terms = [{ matchExpressions: [requires(ZONE, 'a')] }];
    expect(affinityOf({ azureDisk: { diskName: 'd', diskURI: '/d' }, ...withTerms(...terms) })).toEqual(terms);
  });
});

describe('sources in the spec of a pod', () => {
  it.each<[Omit<Volume, 'name'>, string, string, boolean]>([
    [{ awsElasticBlockStore: { volumeID: 'vol-1' } }, 'ebs.csi.aws.com-vol-1', 'ReadWriteOnce', false],
    [{ azureDisk: { diskName: 'disk', diskURI: '/d' } }, 'disk.csi.azure.com-disk', 'ReadWriteOnce', false],
    [{ azureFile: { secretName: 's', shareName: 'share' } }, '#s#share#data#shop', 'ReadWriteMany', false],
    [{ cinder: { volumeID: 'v', readOnly: true } }, 'cinder.csi.openstack.org-v', 'ReadWriteOnce', true],
    [{ gcePersistentDisk: { pdName: 'd', readOnly: true } }, 'pd.csi.storage.gke.io-d', 'ReadOnlyMany', true],
    [{ portworxVolume: { volumeID: '1', readOnly: true } }, 'pxd.portworx.com-1', 'ReadOnlyMany', true],
    [
      { vsphereVolume: { volumePath: '[store] ../disk.vmdk' } },
      'csi.vsphere.vmware.com-[store] ..~disk.vmdk',
      'ReadWriteOnce',
      false,
    ],
  ])('%j is the volume %s', (source, name, accessMode, readOnly) => {
    const found = inline(source);
    expect(found).toMatchObject({ readOnly, volume: { metadata: { name }, spec: { accessModes: [accessMode] } } });
    expect(found?.volume.spec?.csi).toBeDefined();
  });

  it('a file share has the Secret of the namespace of the pod', () => {
    const found = inline({ azureFile: { secretName: 'secret', shareName: 'share' } }, 'team');
    expect(found?.volume.spec?.csi).toMatchObject({ nodeStageSecretRef: { name: 'secret', namespace: 'team' } });
  });
});
