export {
  type MountedVolume,
  podVolumes,
  type PodVolumes,
  podVolumeUsage,
  type PodVolumeUsage,
  type SubPathRequest,
  type VolumeLimits,
  type VolumeUsage,
} from './pod-volumes.ts';
export { persistentVolumes, type PersistentVolumes } from './persistent-volumes.ts';
export { hostPathMaker, type HostPathMaker } from './host-path-maker.ts';
export type { BlockVolumePlugin, PodDevice } from './block-volume-plugin.ts';
export type { TranslatedVolume, VolumeTranslation } from './volume-translation.ts';
export { type ExpansionFailure, VolumeExpansionError } from './volume-expansion-error.ts';
export type {
  ClaimName,
  Expandable,
  MountableVolume,
  PersistentPart,
  PodVolume,
  RecordedVolume,
  UsageCall,
  VolumeAttributes,
  VolumeKind,
  VolumeMode,
  VolumePlugin,
  VolumeSourceName,
} from './volume-plugin.ts';
export {
  type MappedDevice,
  type VolumeDevices,
  type VolumeGroup,
  type VolumeGroupChange,
  type VolumeHost,
  type VolumeLabels,
  type VolumeMountPoint,
  type VolumeMountRequest,
  type VolumeMounts,
  type VolumePluginPaths,
  volumePlugins,
  type VolumePluginSet,
} from './volume-plugins.ts';
