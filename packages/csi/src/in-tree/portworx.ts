import type { PortworxVolumeSource } from '@rxlet/kube-api';
import type { DriverSource, InTreeKind } from './in-tree-kind.ts';

const SECRET_NAME = 'openstorage.io/auth-secret-name';
const SECRET_NAMESPACE = 'openstorage.io/auth-secret-namespace';

export const portworx: InTreeKind<'portworxVolume'> = {
  field: 'portworxVolume',
  plugin: 'kubernetes.io/portworx-volume',
  driver: 'pxd.portworx.com',
  persistentSource(source, { metadata }) {
    const { [SECRET_NAME]: name, [SECRET_NAMESPACE]: namespace } = metadata?.annotations ?? {};
    if (name === undefined || namespace === undefined) return driverSource(source);
    const secret = { name, namespace };
    return {
      ...driverSource(source),
      controllerPublishSecretRef: secret,
      controllerExpandSecretRef: secret,
      nodeStageSecretRef: secret,
      nodePublishSecretRef: secret,
      nodeExpandSecretRef: secret,
    };
  },
  inlineSource: (source) => ({
    ...driverSource(source),
    accessMode: source.readOnly === true ? 'ReadOnlyMany' : 'ReadWriteOnce',
  }),
};

function driverSource({ volumeID, fsType = '' }: PortworxVolumeSource): DriverSource {
  return { volumeHandle: volumeID, fsType, volumeAttributes: {} };
}
