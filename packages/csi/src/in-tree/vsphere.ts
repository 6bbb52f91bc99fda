import type { VsphereVirtualDiskVolumeSource } from '@rxlet/kube-api';
import type { DriverSource, InTreeKind } from './in-tree-kind.ts';
import { regionalAffinity } from './topology.ts';

const TOPOLOGY = { zone: 'topology.csi.vmware.com/zone', region: 'topology.csi.vmware.com/region' };

export const vsphere: InTreeKind<'vsphereVolume'> = {
  field: 'vsphereVolume',
  plugin: 'kubernetes.io/vsphere-volume',
  driver: 'csi.vsphere.vmware.com',
  persistentSource,
  nodeAffinity: (volume) => regionalAffinity(volume, TOPOLOGY),
  inlineSource: persistentSource,
};

function persistentSource(source: VsphereVirtualDiskVolumeSource): DriverSource {
  const { volumePath, fsType = '', storagePolicyName = '' } = source;
  return {
    volumeHandle: volumePath,
    fsType,
    volumeAttributes: { ...(storagePolicyName !== '' && { storagepolicyname: storagePolicyName }) },
  };
}
