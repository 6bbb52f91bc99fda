import { type ServiceKey, serviceKey } from './service-key.ts';

/** Mounted volumes of pods. Without a provider, containers with volume mounts other than image volumes are rejected. */
export const podVolumes: ServiceKey<PodVolumes> = serviceKey('pod volumes');

/** Volumes of pods, as container configurations need them (kubelet: VolumeManager.GetMountedVolumesForPod and subpath.Interface). */
export interface PodVolumes {
  /** Returns the pod's mounted volumes by their name in its spec. Complete once the preparation step of the volume module has succeeded for the pod. */
  mountedVolumes(podUid: string): ReadonlyMap<string, MountedVolume>;
  /**
   * Creates the directory `subPath` below a mounted volume, with all its missing parents. No symlink in the path may lead out of the volume: such a path
   * rejects.
   *
   * @param mode permission bits of created directories
   */
  makeSubPath(volumePath: string, subPath: string, mode: number, signal?: AbortSignal): Promise<void>;
  /**
   * Makes a sub path safe to mount into a container: bind-mounts what an open handle refers to below the pod's directory, so that a later change of links in
   * the volume has no effect. Returns the path of that mount.
   */
  prepareSubPath(request: SubPathRequest, signal?: AbortSignal): Promise<string>;
}

/** Space that the volumes of pods use on this node. Without a provider it is unknown. */
export const podVolumeUsage: ServiceKey<PodVolumeUsage> = serviceKey('pod volume usage');

/** Measures volumes, for statistics and eviction. */
export interface PodVolumeUsage {
  /**
   * Returns the usage of the pod's volumes whose content is on this node because of the pod, and of those whose driver measures them, by their name. One that
   * cannot be measured is left out.
   *
   * @param onMeasured called after each measurement, also one that failed, with its source as the kubelet names it: `du` for files, or the name of the driver
   */
  usage(
    podUid: string,
    signal?: AbortSignal,
    onMeasured?: (source: string, durationMs: number) => void,
  ): Promise<ReadonlyMap<string, VolumeUsage>>;
}

/** Space that a volume of a pod uses. */
export interface VolumeUsage {
  readonly usedBytes: number;
  /** Files, directories and links. */
  readonly inodes: number;
  /** Limits as the driver of the volume reports them. Default: those of the file system. */
  readonly limits?: VolumeLimits | undefined;
}

/** Size of a volume, and what is left of it. */
export interface VolumeLimits {
  readonly capacityBytes: number;
  readonly availableBytes: number;
  readonly inodes: number;
  readonly inodesFree: number;
}

/** Mounted volume of a pod. */
export interface MountedVolume {
  /** Path of the mounted volume on the host; empty for a block volume. */
  readonly hostPath: string;
  /** Path of the device on the host; only for a block volume. */
  readonly devicePath?: string | undefined;
  /** Containers may only mount the volume read-only. */
  readonly readOnly: boolean;
  /** The agent sets owner and permissions of the volume (kubelet: Attributes.Managed). */
  readonly managed: boolean;
  /** The volume's files may be relabelled for SELinux. */
  readonly seLinuxRelabel: boolean;
  /** The volume was mounted with its SELinux label already. */
  readonly seLinuxLabeled: boolean;
  /** Group that the processes of the pod's containers must have, beside those of the pod. Default: none. */
  readonly group?: bigint | undefined;
  /** Name of the volume's spec below the pod's volume directories: that of a persistent volume, otherwise that in the pod. */
  readonly innerVolumeSpecName: string;
}

/** Request of {@link PodVolumes.prepareSubPath}. */
export interface SubPathRequest {
  readonly podUid: string;
  readonly containerName: string;
  /** Index of the mount among the container's volume mounts. */
  readonly mountIndex: number;
  /** {@link MountedVolume.innerVolumeSpecName} of the volume. */
  readonly innerVolumeSpecName: string;
  /** {@link MountedVolume.hostPath} of the volume. */
  readonly volumePath: string;
  /** Path below the volume. */
  readonly subPath: string;
}
