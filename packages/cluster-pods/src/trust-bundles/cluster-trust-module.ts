import { type AgentModule, provide } from '@rxlet/agent-api';
import { clusterTrustBundles, kubeClients } from '@rxlet/agent-api/kube';
import { createWatchedTrustBundles } from './watched-trust-bundles.ts';

/** Creates the agent module that reads trust bundles of the cluster for projected volumes (kubelet: feature gate `ClusterTrustBundleProjection`). */
export function clusterTrust(): AgentModule {
  return {
    name: 'cluster-trust',
    needs: [kubeClients],
    provides: [clusterTrustBundles],
    setup({ services, clock, random, logger }) {
      const bundles = createWatchedTrustBundles({ client: services.get(kubeClients).main, clock, random, logger });
      return {
        services: [provide(clusterTrustBundles, bundles)],
        [Symbol.asyncDispose]: () => bundles[Symbol.asyncDispose](),
      };
    },
  };
}
