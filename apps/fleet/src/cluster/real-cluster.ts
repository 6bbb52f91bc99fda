import { resolve } from 'node:path';
import { type Clock, type Logger, type Random, systemClock, systemRandom } from '@rxlet/component-base';
import { createCertificateAuthority } from '@rxlet/fake-kube';
import { isKubeError, type KubeClient } from '@rxlet/kube-api/client';
import { resources } from '@rxlet/kube-api/resources';
import { createKubeClient, createUndiciTransport, type KubeTransport, loadKubeconfig } from '@rxlet/kube-client';
import { createHostFiles } from '@rxlet/node-files';
import type { FleetCluster, NodeApiIdentity } from './fleet-cluster.ts';
import { issueNodeCertificate } from './node-certificate.ts';

/**
 * Connects with the cluster of a kubeconfig. Without `identity`, the API of the nodes gets one: a certificate for `address`, and the authorities that the cluster publishes.
 *
 * @throws KubeconfigError when it cannot be used
 */
export async function connectRealCluster(
  path: string,
  address: string,
  logger: Logger,
  identity?: NodeApiIdentity,
): Promise<FleetCluster> {
  const ports = { clock: systemClock, random: systemRandom, logger };
  const hostFiles = createHostFiles();
  const readEndpoint = () => loadKubeconfig(hostFiles, resolve(path));
  const transport = createUndiciTransport({ ...ports, hostFiles, readEndpoint }, await readEndpoint());
  try {
    return {
      transport,
      kubeconfig: resolve(path),
      identity: identity ?? (await createIdentity({ ...ports, transport }, address)),
      outlivesFleet: true,
      [Symbol.asyncDispose]: () => transport[Symbol.asyncDispose](),
    };
  } catch (error) {
    await transport[Symbol.asyncDispose]();
    throw error;
  }
}

async function createIdentity(
  ports: { readonly clock: Clock; readonly random: Random; readonly logger: Logger; readonly transport: KubeTransport },
  address: string,
): Promise<NodeApiIdentity> {
  const client = createKubeClient(ports, { userAgent: 'rxlet-fleet' });
  const authority = await createCertificateAuthority(ports);
  const certificate = await issueNodeCertificate(authority, address);
  const clientCaPem = await clientAuthoritiesOf(client);
  if (clientCaPem === undefined)
    ports.logger.warn(
      'the cluster does not publish the authorities of clients: the API of the nodes knows no certificates',
    );
  return { certificate, clientCaPem: clientCaPem ?? authority.certificatePem };
}

/** Returns the authorities that sign the certificates of clients of the API server, and its own as a client of nodes. */
async function clientAuthoritiesOf(client: KubeClient): Promise<string | undefined> {
  const ref = { namespace: 'kube-system', name: 'extension-apiserver-authentication' };
  try {
    return (await client.get(resources.configMaps, ref)).data?.['client-ca-file'];
  } catch (error) {
    if (isKubeError(error, 'NotFound')) return undefined;
    throw error;
  }
}
