export { csi, type CsiOptions } from './csi-module.ts';
export {
  type CsiAccessMode,
  CsiCallError,
  type CsiDrivers,
  type CsiExpandRequest,
  type CsiMount,
  type CsiNode,
  type CsiNodeCapability,
  type CsiObjects,
  type CsiPublishedVolume,
  type CsiPublishRequest,
  type CsiStagedVolume,
  type CsiStageRequest,
  type CsiUsage,
  type CsiVolumeStats,
  type CsiVolumeStatsRequest,
  type RegisteredCsiDriver,
} from './csi-drivers.ts';
export { inTreeTranslation } from './in-tree/in-tree-translation.ts';
export { createDriverRegistry, type DriverRegistry, type DriverRegistryPorts } from './drivers/driver-registry.ts';
export type { CsiVolumesPorts } from './volumes/csi-context.ts';
export { csiVolumes } from './volumes/csi-volumes.ts';
