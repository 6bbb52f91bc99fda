import type { PersistentVolume, PersistentVolumeClaim } from '@rxlet/kube-api';
import { type ServiceKey, serviceKey } from './service-key.ts';

/** Persistent volumes of a cluster. Without a provider, pods with claims are rejected. */
export const persistentVolumes: ServiceKey<PersistentVolumes> = serviceKey('persistent volumes');

/** Claims of pods and the volumes that they are bound to. The calls read from the API server each time, and reject with its message. */
export interface PersistentVolumes {
  claim(namespace: string, name: string, signal?: AbortSignal): Promise<PersistentVolumeClaim>;
  volume(name: string, signal?: AbortSignal): Promise<PersistentVolume>;
  /** Changes the status of a claim by a strategic merge patch, and returns the claim. Default: none, so that no volume is expanded. */
  patchClaimStatus?(
    namespace: string,
    name: string,
    patch: object,
    signal?: AbortSignal,
  ): Promise<PersistentVolumeClaim>;
}
