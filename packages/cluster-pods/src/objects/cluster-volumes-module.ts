import { type AgentModule, provide } from '@rxlet/agent-api';
import { kubeClients } from '@rxlet/agent-api/kube';
import { persistentVolumes } from '@rxlet/agent-api/volumes';
import { resources } from '@rxlet/kube-api/resources';

/** Creates the agent module that reads the claims of pods and the persistent volumes behind them, and reports in the claims which volumes were expanded. */
export function clusterVolumes(): AgentModule {
  return {
    name: 'cluster-volumes',
    needs: [kubeClients],
    provides: [persistentVolumes],
    setup({ services }) {
      const client = services.get(kubeClients).main;
      return {
        services: [
          provide(persistentVolumes, {
            claim: (namespace, name, signal) =>
              client.get(resources.persistentVolumeClaims, { namespace, name }, { signal }),
            volume: (name, signal) => client.get(resources.persistentVolumes, { name }, { signal }),
            patchClaimStatus: (namespace, name, body, signal) =>
              client.patch(
                resources.persistentVolumeClaims,
                { namespace, name },
                { type: 'strategic', body },
                { subresource: 'status', signal },
              ),
          }),
        ],
      };
    },
  };
}
