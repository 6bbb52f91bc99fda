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
