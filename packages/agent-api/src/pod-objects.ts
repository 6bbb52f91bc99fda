import type { ConfigMap, Pod, Secret } from '@rxlet/kube-api';
import type { Observable } from 'rxjs';
import { type ServiceKey, serviceKey } from './service-key.ts';

/**
 * Reads the ConfigMaps and Secrets of pods, pull secrets among them. Without a provider, pods that refer to such objects fail as on a standalone kubelet, and pull
 * secrets are missing.
 */
export const podObjects: ServiceKey<PodObjects> = serviceKey('pod objects');

/** ConfigMaps and Secrets that pods refer to, from an API server or from the manifest folder. */
export interface PodObjects {
  /** Returns the pod's ConfigMap of that name, `undefined` when it does not exist. Any other failure rejects. */
  configMap(pod: Pod, name: string, signal?: AbortSignal): Promise<ConfigMap | undefined>;
  /** Returns the pod's Secret of that name, `undefined` when it does not exist. Any other failure rejects. */
  secret(pod: Pod, name: string, signal?: AbortSignal): Promise<Secret | undefined>;
  /** UIDs of pods that refer to an object that was created, changed or deleted. */
  readonly changes$: Observable<string>;
}
