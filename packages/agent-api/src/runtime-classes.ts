import type { RuntimeClass } from '@rxlet/kube-api';
import { type ServiceKey, serviceKey } from './service-key.ts';

/** RuntimeClasses of the cluster. Without a provider, a pod that names one is rejected. */
export const runtimeClasses: ServiceKey<RuntimeClasses> = serviceKey('runtime classes');

/** RuntimeClasses of a cluster (kubelet: runtimeclass.Manager). */
export interface RuntimeClasses {
  /** Returns the RuntimeClass of that name, `undefined` when it does not exist. */
  find(name: string): RuntimeClass | undefined;
}
