import type { AgentModule } from '@rxlet/agent-api';
import { cgroups } from '@rxlet/container-manager';
import { noopLogger, systemClock, systemRandom } from '@rxlet/component-base';
import { createKubeClients, createUndiciTransport, loadKubeconfig } from '@rxlet/kube-client';
import { node } from '@rxlet/kubelet';
import { createHostFiles } from '@rxlet/node-files';
import { nodeStatus } from '@rxlet/node-status';

/** The API server of a measured agent. Disposal closes its connections. */
export interface ClusterConnection extends AsyncDisposable {
  /** Returns the modules of a node that admits this number of pods. */
  modules(maxPods: number): readonly AgentModule[];
}

/** Modules with ports of the machine. */
const WITHOUT: ReadonlySet<string> = new Set(['kubelet-api', 'serving-certificate']);

/** Connects with the API server of a kubeconfig. Requests have no limit, which would be most of the time of a start of thousands of pods. */
export async function connectCluster(kubeconfig: string): Promise<ClusterConnection> {
  const hostFiles = createHostFiles();
  const transport = createUndiciTransport(
    { clock: systemClock, hostFiles },
    await loadKubeconfig(hostFiles, kubeconfig),
  );
  const clients = createKubeClients(
    { transport, clock: systemClock, random: systemRandom, logger: noopLogger },
    { userAgent: 'bench', kubeAPIQPS: -1 },
  );
  return {
    modules: (maxPods) =>
      // Cgroups of the machine belong to its own agent, and two agents would remove each other's.
      node(clients, [nodeStatus({ settings: { maxPods } }), cgroups({ cgroupsPerQOS: false })]).filter(
        ({ name }) => !WITHOUT.has(name),
      ),
    [Symbol.asyncDispose]: () => transport[Symbol.asyncDispose](),
  };
}
