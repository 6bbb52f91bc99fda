import { type AgentModule, contribute, podSteps, provide } from '@rxlet/agent-api';
import { housekeepingSteps } from '@rxlet/agent-api/housekeeping';
import {
  kubeClients,
  podTokens,
  type PodTokens,
  serviceAccountTokens,
  type ServiceAccountTokens,
} from '@rxlet/agent-api/kube';
import { resources } from '@rxlet/kube-api/resources';
import { createTokenManager } from './token-manager.ts';

/** Creates the agent module that requests tokens of service accounts: for the volumes of pods, and for credential providers that pull images. */
export function clusterTokens(): AgentModule {
  return {
    name: 'cluster-tokens',
    needs: [kubeClients],
    provides: [podTokens, serviceAccountTokens],
    setup({ services, clock, random, logger }) {
      const client = services.get(kubeClients).main;
      const manager = createTokenManager({ client, clock, random, logger });
      const forPods: PodTokens = {
        podToken: async ({ namespace, serviceAccountName, audiences, expirationSeconds, boundObject }, signal) =>
          manager.issue(
            { namespace, name: serviceAccountName },
            {
              ...(audiences.length > 0 && { audiences }),
              ...(expirationSeconds !== undefined && { expirationSeconds }),
              boundObjectRef: boundObject,
            },
            signal,
          ),
      };
      const forPulls: ServiceAccountTokens = {
        async serviceAccount(namespace, name, signal) {
          const { metadata } = await client.get(resources.serviceAccounts, { namespace, name }, { signal });
          return { uid: metadata?.uid ?? '', annotations: metadata?.annotations ?? {} };
        },
        token: async ({ namespace, serviceAccountName, serviceAccountUid, audience, podName, podUid }, signal) =>
          manager.token(
            { namespace, name: serviceAccountName, uid: serviceAccountUid },
            {
              audiences: [audience],
              boundObjectRef: { apiVersion: 'v1', kind: 'Pod', name: podName, uid: podUid },
            },
            signal,
          ),
      };
      return {
        services: [provide(podTokens, forPods), provide(serviceAccountTokens, forPulls)],
        contributions: [
          contribute(podSteps, { name: 'tokens', tearDown: ({ uid }) => manager.release(uid) }),
          contribute(housekeepingSteps, { name: 'tokens', run: () => manager.dropExpired() }),
        ],
      };
    },
  };
}
