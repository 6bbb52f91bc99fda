export { type Payload, PayloadError, type PayloadFile } from './payload/payload.ts';
export type { PayloadSources } from './payload/payload-sources.ts';
export { collectPayload } from './payload/collect-payload.ts';
export { PayloadPathError } from './atomic-writer/payload-paths.ts';
export { removeStaleVersions, writePayload, type WritePayloadPorts } from './atomic-writer/write-payload.ts';
export { type OwnershipProgress, setVolumeGroup, volumeRoot, type VolumeRoot } from './ownership/volume-ownership.ts';
export { MountError, type Mounter, type MountRequest, type UnmountOptions } from './mount/mounter.ts';
export type { FileSystem, FileSystems } from './block/file-systems.ts';
export type { LoopDevices } from './block/loop-devices.ts';
export { type MountPoint, type MountTable, parseMountInfo } from './mount/mount-table.ts';
export { createMountPrograms, type MountProgramsOptions } from './mount/mount-programs.ts';
export { createHostPathMaker } from './plugins/host-path-maker.ts';
export { SubPathError } from './sub-path/open-within.ts';
export {
  createVolumeManager,
  type KnownPods,
  type VolumeManager,
  type VolumeManagerOptions,
  type VolumeManagerPorts,
} from './volume-manager.ts';
export { volumes, type VolumesOptions } from './volumes-module.ts';
