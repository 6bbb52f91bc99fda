import type { Service } from '@rxlet/kube-api';
import { type ServiceKey, serviceKey } from './service-key.ts';

/** Services of the cluster, for the service links in the environment of containers. Without a provider there are none. */
export const clusterServices: ServiceKey<ClusterServices> = serviceKey('cluster services');

/** Services of a cluster (kubelet: serviceLister and its HasSynced). */
export interface ClusterServices {
  /** Whether the services have been listed once. */
  readonly isSynced: boolean;
  /** Returns the known services of all namespaces. */
  list(): readonly Service[];
}
