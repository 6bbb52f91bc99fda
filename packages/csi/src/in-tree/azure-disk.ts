import type { AzureDiskVolumeSource } from '@rxlet/kube-api';
import type { DriverSource, InTreeKind } from './in-tree-kind.ts';

const DRIVER = 'disk.csi.azure.com';

export const azureDisk: InTreeKind<'azureDisk'> = {
  field: 'azureDisk',
  plugin: 'kubernetes.io/azure-disk',
  driver: DRIVER,
  persistentSource,
  inlineSource: (source) => ({ ...persistentSource(source), name: `${DRIVER}-${source.diskName}` }),
};

function persistentSource(source: AzureDiskVolumeSource): DriverSource {
  const { diskURI, cachingMode, fsType, kind = 'Managed', readOnly = false } = source;
  return {
    volumeHandle: diskURI,
    readOnly,
    ...(fsType !== undefined && { fsType }),
    volumeAttributes: {
      kind,
      'csi-migration': 'true',
      ...(cachingMode !== undefined && { cachingMode }),
      ...(fsType !== undefined && { fsType }),
    },
  };
}
