import type { MountedVolume } from '@rxlet/agent-api/volumes';
import type { AnyVolumePlugin } from './desired-volumes.ts';

/** A volume that is set up, or may be because its last operation failed (kubelet: uncertain). */
export interface ActualVolume {
  /** Name in the pod's spec. */
  readonly name: string;
  readonly plugin: AnyVolumePlugin;
  readonly mounted: MountedVolume;
  readonly isCertain: boolean;
  /** The volume is a persistent one. Other volumes belong to their pod, whatever their name. */
  readonly isPersistent: boolean;
  /** The volume has another source in the API. */
  readonly isTranslated: boolean;
  /** The volume is set up again with each sync of the pod. */
  readonly refreshes: boolean;
}

/** Volumes of the pods as the agent set them up (kubelet: ActualStateOfWorld). The disk has what an earlier agent set up. */
export interface ActualState {
  /** Returns the volumes of a pod by name. */
  ofPod(podUid: string): ReadonlyMap<string, ActualVolume>;
  set(podUid: string, volume: ActualVolume): void;
  delete(podUid: string, volumeName: string): void;
  /** UIDs of pods with volumes. */
  pods(): readonly string[];
}

/** Creates an empty {@link ActualState}. */
export function createActualState(): ActualState {
  const pods = new Map<string, Map<string, ActualVolume>>();
  return {
    ofPod: (podUid) => pods.get(podUid) ?? new Map(),
    set(podUid, volume) {
      const volumes = pods.get(podUid) ?? new Map<string, ActualVolume>();
      pods.set(podUid, volumes.set(volume.name, volume));
    },
    delete(podUid, volumeName) {
      const volumes = pods.get(podUid);
      volumes?.delete(volumeName);
      if (volumes?.size === 0) pods.delete(podUid);
    },
    pods: () => [...pods.keys()],
  };
}
