import type { GCEPersistentDiskVolumeSource, PersistentVolume, PersistentVolumeAccessMode } from '@rxlet/kube-api';
import type { DriverSource, InTreeKind } from './in-tree-kind.ts';
import { zonalAffinity, zonesOf } from './topology.ts';

const DRIVER = 'pd.csi.storage.gke.io';
/** Project or zone that the driver finds out by itself. */
const UNSPECIFIED = 'UNSPECIFIED';

export const gcePd: InTreeKind<'gcePersistentDisk'> = {
  field: 'gcePersistentDisk',
  plugin: 'kubernetes.io/gce-pd',
  driver: DRIVER,
  persistentSource: (source, volume) => driverSource(source, locationOf(volume)),
  nodeAffinity: (volume) => zonalAffinity(volume, 'topology.gke.io/zone'),
  accessModes,
  inlineSource: (source) => ({
    ...driverSource(source, `zones/${UNSPECIFIED}`),
    name: `${DRIVER}-${source.pdName}`,
    accessMode: source.readOnly === true ? 'ReadOnlyMany' : 'ReadWriteOnce',
  }),
};

function driverSource(source: GCEPersistentDiskVolumeSource, location: string): DriverSource {
  const { pdName, readOnly = false, fsType = '', partition = 0 } = source;
  return {
    volumeHandle: `projects/${UNSPECIFIED}/${location}/disks/${pdName}`,
    readOnly,
    fsType,
    volumeAttributes: { partition: partition === 0 ? '' : String(partition) },
  };
}

/** A disk in several zones belongs to their region. */
function locationOf(volume: PersistentVolume): string {
  const zones = zonesOf(volume);
  return zones.length > 1 ? `regions/${regionOf(zones)}` : `zones/${zones[0] ?? UNSPECIFIED}`;
}

function regionOf(zones: readonly string[]): string {
  const regions = new Set(zones.map(regionOfZone));
  const [region] = regions;
  if (region !== undefined && regions.size === 1) return region;
  throw new Error(
    `failed to get region from zones: multiple or no regions gotten from zones, got: ${[...regions].join(' ')}`,
  );
}

function regionOfZone(zone: string): string {
  const parts = zone.split('-');
  if (parts.length === 3) return parts.slice(0, 2).join('-');
  const expected = 'zone in unexpected format, expected: {locale}-{region}-{zone}';
  throw new Error(`failed to get region from zones: ${expected}, got: ${zone}`);
}

/** The in-tree code attached each disk for one writer, whatever its access modes; the driver fails for others. */
function accessModes(modes: readonly PersistentVolumeAccessMode[]): readonly PersistentVolumeAccessMode[] {
  const isWritten = modes.includes('ReadWriteOnce') || modes.includes('ReadWriteMany');
  const isReadOnly = modes.includes('ReadOnlyMany') && !isWritten;
  return [isReadOnly ? 'ReadOnlyMany' : 'ReadWriteOnce'];
}
