import { type AgentModule, provide } from '@rxlet/agent-api';
import { kubeClients } from '@rxlet/agent-api/kube';
import { csiObjects } from '@rxlet/agent-api/plugins';
import { persistentVolumes } from '@rxlet/agent-api/volumes';
import { isKubeError } from '@rxlet/agent-api/kube';
import { resources } from '@rxlet/kube-api/resources';

/** Creates the agent module that reads the claims of pods and the persistent volumes behind them, and reports in the claims which volumes were expanded. */
export function clusterVolumes(): AgentModule {
  return {
    name: 'cluster-volumes',
    needs: [kubeClients],
    provides: [persistentVolumes, csiObjects],
    setup({ services }) {
      const client = services.get(kubeClients).main;
      const drivers = client.watch(resources.csiDrivers);
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
          provide(csiObjects, {
            driver: async (name, signal) =>
              drivers.isSynced
                ? drivers.find({ name })
                : existing(client.get(resources.csiDrivers, { name }, { signal })),
            secret: (namespace, name, signal) =>
              existing(client.get(resources.secrets, { namespace, name }, { signal })),
            attachment: (name, signal) => client.get(resources.volumeAttachments, { name }, { signal }),
          }),
        ],
        start: () => drivers.start(),
        [Symbol.asyncDispose]: () => drivers[Symbol.asyncDispose](),
      };
    },
  };
}

/** Resolves with `undefined` for an object that does not exist. */
async function existing<T>(read: Promise<T>): Promise<T | undefined> {
  try {
    return await read;
  } catch (error) {
    if (isKubeError(error, 'NotFound')) return undefined;
    throw error;
  }
}
