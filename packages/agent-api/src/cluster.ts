import type { RuntimeClass, Service } from '@rxlet/kube-api';
import type { KubeClients } from '@rxlet/kube-api/client';
import { type ServiceKey, serviceKey } from './service-key.ts';

/** Clients of the API server. Without a provider, the agent is standalone. */
export const kubeClients: ServiceKey<KubeClients> = serviceKey('Kubernetes clients');

/** Services of the cluster, for the service links in the environment of containers. Without a provider there are none. */
export const clusterServices: ServiceKey<ClusterServices> = serviceKey('cluster services');

/** Services of a cluster (kubelet: serviceLister and its HasSynced). */
export interface ClusterServices {
  /** Whether the services have been listed once. */
  readonly isSynced: boolean;
  /** Returns the known services of all namespaces. */
  list(): readonly Service[];
}

/** RuntimeClasses of the cluster. Without a provider, a pod that names one is rejected. */
export const runtimeClasses: ServiceKey<RuntimeClasses> = serviceKey('runtime classes');

/** RuntimeClasses of a cluster (kubelet: runtimeclass.Manager). */
export interface RuntimeClasses {
  /** Returns the RuntimeClass of that name, `undefined` when it does not exist. */
  find(name: string): RuntimeClass | undefined;
}
