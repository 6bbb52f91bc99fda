import type { MountableVolume, PersistentPart, PersistentVolumes, VolumeTranslation } from '@rxlet/agent-api/volumes';
import { parseInt64 } from '@rxlet/component-base/go';
import type { PersistentVolume, Pod, Volume } from '@rxlet/kube-api';
import { podContainers } from '@rxlet/pod-model';
import { claimedVolume } from './claimed-volume.ts';

/** Annotation of a persistent volume with mount options, separated by commas. */
const MOUNT_OPTIONS = 'volume.beta.kubernetes.io/mount-options';
/** Annotation of a persistent volume with the group that may use its files. */
const GROUP = 'pv.beta.kubernetes.io/gid';

/** Ports of {@link claimVolume}. */
export interface ClaimVolumePorts {
  readonly persistentVolumes: PersistentVolumes | undefined;
  readonly translations: readonly VolumeTranslation[];
}

/** Returns the persistent volume of a pod's claim as its plugin sees it (kubelet: createVolumeSpec). Rejects with the kubelet's message. */
export async function claimVolume(
  pod: Pod,
  volume: Volume,
  { persistentVolumes, translations }: ClaimVolumePorts,
  signal: AbortSignal,
): Promise<MountableVolume> {
  const found = await claimedVolume(pod, volume, persistentVolumes, signal);
  const translated = firstOf(translations, (one) => one.persistent(found.volume));
  const persistent = translated ?? found.volume;
  checkMode(persistent, volume, pod);
  const readOnly = volume.persistentVolumeClaim?.readOnly ?? false;
  const isTranslated = translated !== undefined && { isTranslated: true };
  return mountable(persistent, { podVolumeName: volume.name, claim: found.claim, readOnly, ...isTranslated });
}

/** Returns a volume with a source of its own as its plugin sees it. @throws Error with the kubelet's message */
export function sourceVolume(pod: Pod, volume: Volume, translations: readonly VolumeTranslation[]): MountableVolume {
  const translated = firstOf(translations, (one) => one.inline(volume, pod.metadata?.namespace ?? ''));
  if (translated === undefined) return volume;
  const { volume: persistent, readOnly } = translated;
  return mountable(persistent, { podVolumeName: volume.name, readOnly, isTranslated: true });
}

function firstOf<T, R>(list: readonly T[], find: (one: T) => R | undefined): R | undefined {
  for (const one of list) {
    const found = find(one);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Block volumes are devices, other volumes are mounted. */
function checkMode({ spec }: PersistentVolume, { name }: Volume, pod: Pod): void {
  const mode = spec?.volumeMode ?? 'Filesystem';
  const containers = podContainers(pod).map(({ container }) => container);
  const isMounted = containers.some(({ volumeMounts }) => volumeMounts?.some((mount) => mount.name === name));
  const isDevice = containers.some(({ volumeDevices }) => volumeDevices?.some((device) => device.name === name));
  if (isMounted && mode !== 'Filesystem')
    throw new Error(`volume ${name} has volumeMode ${mode}, but is specified in volumeMounts`);
  if (isDevice && mode !== 'Block')
    throw new Error(`volume ${name} has volumeMode ${mode}, but is specified in volumeDevices`);
}

function mountable(
  { metadata, spec = {} }: PersistentVolume,
  use: Pick<PersistentPart, 'podVolumeName' | 'claim' | 'readOnly' | 'isTranslated'>,
): MountableVolume {
  const { hostPath, nfs, local, accessModes, nodeAffinity, volumeMode } = spec;
  const annotated = metadata?.annotations?.[MOUNT_OPTIONS]?.split(',').filter((option) => option !== '');
  // As in the kubelet, CSI drivers get those of the spec alone.
  const mountOptions = (spec.csi === undefined ? annotated : undefined) ?? spec.mountOptions ?? [];
  const capacity = spec.capacity?.['storage'];
  // As in the kubelet, another text has no effect.
  const group = parseInt64(metadata?.annotations?.[GROUP] ?? '');
  return {
    name: metadata?.name ?? '',
    ...(hostPath !== undefined && { hostPath }),
    ...(nfs !== undefined && { nfs }),
    ...(local !== undefined && { local }),
    persistent: {
      ...use,
      spec,
      mountOptions,
      ...(capacity !== undefined && { capacity }),
      ...(volumeMode === 'Block' && { mode: volumeMode }),
      ...(accessModes !== undefined && { accessModes }),
      ...(group !== undefined && { group }),
      ...(nodeAffinity?.required !== undefined && { nodeAffinity: nodeAffinity.required }),
    },
  };
}
