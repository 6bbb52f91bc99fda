import type { Pod, Volume } from '@rxlet/kube-api';

/** How a volume is measured: by its files, by its file system, or not at all. */
export type VolumeMeasure = 'files' | 'file-system' | 'none';

/** Returns how a volume is measured. The directory of a hostPath volume belongs to the node. */
export function measureOf(volume: Volume): VolumeMeasure {
  if (volume.emptyDir || volume.configMap || volume.secret || volume.projected || volume.downwardAPI) return 'files';
  return volume.hostPath || volume.image ? 'none' : 'file-system';
}

/** Reports whether a volume is on the node's disk and ends with its pod (kubelet: IsLocalEphemeralVolume). */
export function isLocalEphemeral({ emptyDir, configMap, gitRepo }: Volume): boolean {
  return gitRepo !== undefined || configMap !== undefined || (emptyDir !== undefined && !emptyDir.medium);
}

/** Returns the claim that a volume belongs to; `undefined` for other volumes. */
export function claimOf(pod: Pod, volume: Volume): { name: string; namespace: string } | undefined {
  const { name: podName = '', namespace = '' } = pod.metadata ?? {};
  if (volume.persistentVolumeClaim) return { name: volume.persistentVolumeClaim.claimName, namespace };
  return volume.ephemeral && { name: `${podName}-${volume.name}`, namespace };
}
