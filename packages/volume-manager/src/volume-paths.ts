import type { VolumePluginPaths } from '@rxlet/agent-api/volumes';
import { pathElement } from '@rxlet/node-files';

/** Directories of the volumes of pods, as a kubelet lays them out below its root directory. */
export interface VolumePaths extends VolumePluginPaths {
  /** `pods/<uid>` */
  pod(podUid: string): string;
  /** `pods/<uid>/volumes` */
  volumes(podUid: string): string;
  /** `pods/<uid>/volumeDevices` */
  volumeDevices(podUid: string): string;
  /** `pods/<uid>/plugins`: state of plugins about the pod. */
  plugins(podUid: string): string;
  /** `pods/<uid>/plugins/<plugin>/<volume>` */
  pluginData(podUid: string, plugin: string, volume: string): string;
  /** `pods/<uid>/volume-subpaths` */
  subPaths(podUid: string): string;
}

/** Creates {@link VolumePaths}. Its functions throw a TypeError for a UID or name that is no element of a path, which would lead elsewhere. */
export function volumePaths(rootDirectory: string): VolumePaths {
  const pods = `${rootDirectory}/pods`;
  const paths: VolumePaths = {
    pods,
    pod: (podUid) => `${pods}/${pathElement(podUid)}`,
    volumes: (podUid) => `${paths.pod(podUid)}/volumes`,
    pluginVolumes: (podUid, plugin) => `${paths.volumes(podUid)}/${escapePluginName(plugin)}`,
    volume: (podUid, plugin, volume) => `${paths.pluginVolumes(podUid, plugin)}/${pathElement(volume)}`,
    volumeDevices: (podUid) => `${paths.pod(podUid)}/volumeDevices`,
    pluginVolumeDevices: (podUid, plugin) => `${paths.volumeDevices(podUid)}/${escapePluginName(plugin)}`,
    volumeDevice: (podUid, plugin, volume) => `${paths.pluginVolumeDevices(podUid, plugin)}/${pathElement(volume)}`,
    plugins: (podUid) => `${paths.pod(podUid)}/plugins`,
    pluginData: (podUid, plugin, volume) =>
      `${paths.plugins(podUid)}/${escapePluginName(plugin)}/${pathElement(volume)}`,
    subPaths: (podUid) => `${paths.pod(podUid)}/volume-subpaths`,
  };
  return paths;
}

/** Returns the directory name of a plugin: `kubernetes.io/secret` → `kubernetes.io~secret`. */
export function escapePluginName(plugin: string): string {
  return plugin.replaceAll('/', '~');
}
