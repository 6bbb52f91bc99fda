import type { CinderPersistentVolumeSource, CinderVolumeSource } from '@rxlet/kube-api';
import type { DriverSource, InTreeKind } from './in-tree-kind.ts';
import { zonalAffinity } from './topology.ts';

export const cinder: InTreeKind<'cinder'> = {
  field: 'cinder',
  plugin: 'kubernetes.io/cinder',
  driver: 'cinder.csi.openstack.org',
  persistentSource,
  nodeAffinity: (volume) => zonalAffinity(volume, 'topology.cinder.csi.openstack.org/zone'),
  inlineSource: persistentSource,
};

function persistentSource(source: CinderVolumeSource | CinderPersistentVolumeSource): DriverSource {
  const { volumeID, readOnly = false, fsType = '' } = source;
  return { volumeHandle: volumeID, readOnly, fsType, volumeAttributes: {} };
}
