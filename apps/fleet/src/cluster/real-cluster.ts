import { resolve } from 'node:path';
import { type Logger, systemClock } from '@rxlet/component-base';
import { createUndiciTransport, loadKubeconfig } from '@rxlet/kube-client';
import { createHostFiles } from '@rxlet/node-files';
import type { FleetCluster } from './fleet-cluster.ts';

/** Connects with the cluster of a kubeconfig. @throws KubeconfigError when it cannot be used */
export async function connectRealCluster(path: string, logger: Logger): Promise<FleetCluster> {
  const hostFiles = createHostFiles();
  const readEndpoint = () => loadKubeconfig(hostFiles, resolve(path));
  const transport = createUndiciTransport(
    { clock: systemClock, logger, hostFiles, readEndpoint },
    await readEndpoint(),
  );
  return { transport, outlivesFleet: true, [Symbol.asyncDispose]: () => transport[Symbol.asyncDispose]() };
}
