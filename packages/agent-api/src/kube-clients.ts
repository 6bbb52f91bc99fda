import type { KubeClients } from '@rxlet/kube-api/client';
import { type ServiceKey, serviceKey } from './service-key.ts';

/** Clients of the API server. Without a provider, the agent is standalone. */
export const kubeClients: ServiceKey<KubeClients> = serviceKey('Kubernetes clients');
