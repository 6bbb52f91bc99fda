import { createHash } from 'node:crypto';
import { pathElement } from '@rxlet/node-files';

export const CSI_PLUGIN = 'kubernetes.io/csi';

/** Returns the handle of a volume that lives as long as its pod. */
export function inlineVolumeHandle(podUid: string, volumeName: string): string {
  return `csi-${sha256(`${podUid}${volumeName}`)}`;
}

/** Returns the name of the VolumeAttachment of a volume. */
export function attachmentName(handle: string, driver: string, nodeName: string): string {
  return `csi-${sha256(`${handle}${driver}${nodeName}`)}`;
}

/** Returns the name of an attachable volume in the status of the node. */
export function uniqueVolumeName(driver: string, handle: string): string {
  return `${CSI_PLUGIN}/${driver}^${handle}`;
}

/** Returns the directory for what all pods of the node share of a persistent volume. */
export function stagingDirectory(rootDirectory: string, driver: string, handle: string): string {
  return `${rootDirectory}/plugins/${CSI_PLUGIN}/${pathElement(driver)}/${sha256(handle)}`;
}

/** Directories of a block volume that the pods of the node share, as a kubelet lays them out. */
export interface BlockVolumePaths {
  /** Everything below it belongs to the volume. */
  readonly directory: string;
  /** Directory of the volume's record. */
  readonly data: string;
  /** Directory with a bind mount of the device for each pod (kubelet: global map path). */
  readonly devices: string;
  /** Path that the driver stages the volume at. */
  readonly staging: string;
  /** Directory with the path that the driver publishes the volume at for each pod. */
  readonly publish: string;
}

/** Returns the {@link BlockVolumePaths} of a volume. @throws Error for names that the layout itself uses */
export function blockVolumePaths(rootDirectory: string, volumeName: string): BlockVolumePaths {
  const all = `${rootDirectory}/plugins/${CSI_PLUGIN}/volumeDevices`;
  if (volumeName === 'staging' || volumeName === 'publish')
    throw new Error(`a block volume of a CSI driver cannot have the name "${volumeName}"`);
  const directory = `${all}/${pathElement(volumeName)}`;
  return {
    directory,
    data: `${directory}/data`,
    devices: `${directory}/dev`,
    staging: `${all}/staging/${volumeName}`,
    publish: `${all}/publish/${volumeName}`,
  };
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
