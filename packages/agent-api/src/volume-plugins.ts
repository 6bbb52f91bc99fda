import type { Pod } from '@rxlet/kube-api';
import type { BlockVolumePlugin } from './block-volume-plugin.ts';
import { collectionKey, type CollectionKey } from './collection-key.ts';
import type { VolumePlugin, VolumeSourceName } from './volume-plugin.ts';
import type { VolumeTranslation } from './volume-translation.ts';

/**
 * Kinds of volumes (kubelet: VolumePluginMgr), which the module that mounts volumes collects. In an agent without it, they are dropped, and pods with such
 * volumes are rejected.
 */
export const volumePlugins: CollectionKey<VolumePluginSet> = collectionKey('volume plugins', {
  isOptional: true,
  members: ['sources', 'translation', 'create'] satisfies (keyof VolumePluginSet)[],
  owns: ({ sources }) => sources.map((source) => `volume source "${source}"`),
});

/** Kinds of volumes that a module adds. */
export interface VolumePluginSet {
  /** Fields of volumes that select the plugins. Pods that use them become supported. */
  readonly sources: readonly VolumeSourceName[];
  /** Finds the volumes of the plugins behind other sources. Default: none. */
  readonly translation?: VolumeTranslation | undefined;
  /** Creates the plugins. Called once, before any volume is set up. */
  create(host: VolumeHost): readonly (VolumePlugin | BlockVolumePlugin)[];
}

/** Means of the agent for its volume plugins (kubelet: volume.VolumeHost). */
export interface VolumeHost {
  readonly paths: VolumePluginPaths;
  readonly mounts: VolumeMounts;
  readonly devices: VolumeDevices;
  /** Returns a path without links. */
  realPath(path: string): Promise<string>;
  /**
   * Gives a volume to the pod's group. Entries that cannot be changed are logged; events of the pod report a change that takes long. One that takes longer than the
   * deadline of its signal continues, and the next call for the path waits for it.
   */
  giveToGroup(path: string, group: VolumeGroup, change?: VolumeGroupChange): Promise<void>;
  /** Returns SELinux of the node; `undefined` where it is not enabled. */
  seLinux(): Promise<VolumeLabels | undefined>;
}

/** Directories of volumes below the agent's root directory. The functions throw a TypeError for a UID or name that is no element of a path. */
export interface VolumePluginPaths {
  /** `pods`: one directory for each pod, by UID. */
  readonly pods: string;
  /** `pods/<uid>/volumes/<plugin>` */
  pluginVolumes(podUid: string, plugin: string): string;
  /** `pods/<uid>/volumes/<plugin>/<volume>`: the place of a volume. Each directory there is torn down by the plugin of the name. */
  volume(podUid: string, plugin: string, volume: string): string;
  /** `pods/<uid>/volumeDevices/<plugin>` */
  pluginVolumeDevices(podUid: string, plugin: string): string;
  /** `pods/<uid>/volumeDevices/<plugin>/<volume>`: the link to the device of a block volume. */
  volumeDevice(podUid: string, plugin: string, volume: string): string;
}

/** Mounts below the agent's root directory, by the paths that the agent uses. */
export interface VolumeMounts {
  /** Mounts a file system on an existing directory or file, or binds one. */
  mount(request: VolumeMountRequest, signal?: AbortSignal): Promise<void>;
  /** Returns the topmost mount on a path. Reads the mount table, not the file system, which may belong to an unreachable server. */
  at(path: string): Promise<VolumeMountPoint | undefined>;
  /** Removes every mount on a path and below it, the last one first. `force` gives up a file system of an unreachable server. */
  unmountAll(path: string, options?: { readonly force?: boolean | undefined }, signal?: AbortSignal): Promise<void>;
  /** Unmounts as {@link VolumeMounts.unmountAll}, then removes the path with everything below it. */
  remove(path: string, signal?: AbortSignal): Promise<void>;
}

/** Request of {@link VolumeMounts.mount}. */
export interface VolumeMountRequest {
  /** Origin of the mount: a device, `tmpfs`, `server:/path`, or the path of a directory to bind, which containers must not be able to change. */
  readonly source: string;
  readonly target: string;
  /** Type of the file system; none for a bind mount. */
  readonly fsType?: string | undefined;
  /** Mount options, such as `bind` or `ro`. */
  readonly options: readonly string[];
}

/** A mount of the node. */
export interface VolumeMountPoint {
  readonly fsType: string;
  /** Device, server or name of the file system. */
  readonly source: string;
  /** Options of the mount, then those of the file system. */
  readonly options: readonly string[];
}

/** A block volume of a pod. */
export interface MappedDevice {
  readonly podUid: string;
  /** Name of the plugin, such as `kubernetes.io/csi`. */
  readonly plugin: string;
  /** Name of the persistent volume. */
  readonly name: string;
  /** Directory of the plugin with a bind mount of the device for each pod (kubelet: global map path). */
  readonly globalMapPath: string;
}

/** Records of block volumes in the directories of their pods. The agent maps a device that {@link BlockVolumePlugin.device} has set up. */
export interface VolumeDevices {
  /** Links the pod's path of the device to a target. The link is the record of the pod's use, so it comes before everything else and is removed last. */
  record(device: MappedDevice, target: string): Promise<void>;
  /** Undoes the mapping except for the link. Succeeds when there is nothing. */
  unmap(device: MappedDevice, signal?: AbortSignal): Promise<void>;
  /** Removes the link. */
  release(device: MappedDevice): Promise<void>;
  /** Reports whether a pod has a record of the volume. */
  isRecorded(device: MappedDevice): Promise<boolean>;
  /** Reports whether a pod other than that of the device has a record of the volume. */
  isUsedByOthers(device: MappedDevice): Promise<boolean>;
}

/** Group that gets the files of a volume. */
export interface VolumeGroup {
  /** `spec.securityContext.fsGroup` */
  readonly fsGroup: number;
  /** `OnRootMismatch` skips a volume whose root has group and mode already. Default `Always`. */
  readonly changePolicy?: 'Always' | 'OnRootMismatch' | (string & {}) | undefined;
  /** The volume can only be read, so that the group gets no write access. */
  readonly readOnly: boolean;
}

/** Options of {@link VolumeHost.giveToGroup}. */
export interface VolumeGroupChange {
  /** Gets an event when the change takes long. */
  readonly pod?: Pod | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** SELinux labels of the node. */
export interface VolumeLabels {
  /** Context of the files of containers, such as `system_u:object_r:container_file_t:s0`; empty when the policy has none. */
  readonly fileContext: string;
}
