import { X509Certificate } from 'node:crypto';
import { dirname } from 'node:path';
import { type Clock, errorMessage, type Logger } from '@rxlet/component-base';
import type { HostFiles, NodeFiles } from '@rxlet/node-files';
import { stringify } from 'yaml';
import type { CredentialSource, KubeEndpoint } from './kube-endpoint.ts';
import { KubeconfigError } from './kubeconfig-error.ts';
import { loadKubeconfig } from './load-kubeconfig.ts';

/** Ports of {@link loadNodeKubeconfig}. */
export interface NodeKubeconfigPorts {
  readonly hostFiles: HostFiles;
  /** Must include the folder of the kubeconfig. */
  readonly files: NodeFiles;
  readonly clock: Pick<Clock, 'now'>;
  readonly logger: Logger;
}

/** Options of {@link loadNodeKubeconfig}. */
export interface NodeKubeconfigOptions {
  /** File of `--kubeconfig`. */
  readonly path: string;
  /** File of `--bootstrap-kubeconfig`. Default: none, the kubeconfig must be there. */
  readonly bootstrapPath?: string | undefined;
  /** File that will hold the client certificate and its key. */
  readonly certificatePath: string;
}

/** The API server of a node. */
export interface NodeKubeconfig {
  readonly endpoint: KubeEndpoint;
  /** Whether the node must request its client certificate by the bootstrap kubeconfig. */
  readonly needsBootstrap: boolean;
}

const MAX_BYTES = 1024 * 1024;

/**
 * Reads the kubeconfig of a node (kubelet: bootstrap.LoadClientConfig). Where its client certificate is absent, expired or unreadable and there is a bootstrap kubeconfig, it
 * is replaced by one for the API server of that, which refers to the certificate that the node will get.
 *
 * @throws KubeconfigError when it cannot be read, used or written
 */
export async function loadNodeKubeconfig(
  { hostFiles, files, clock, logger }: NodeKubeconfigPorts,
  { path, bootstrapPath, certificatePath }: NodeKubeconfigOptions,
): Promise<NodeKubeconfig> {
  if (bootstrapPath === undefined) return { endpoint: await loadKubeconfig(hostFiles, path), needsBootstrap: false };
  const existing = await usableEndpoint(hostFiles, path, clock.now(), logger);
  if (existing !== undefined) return { endpoint: existing, needsBootstrap: false };
  const { server, ca, isInsecure, tlsServerName, proxyUrl } = await loadKubeconfig(hostFiles, bootstrapPath);
  const certificate = { file: certificatePath };
  const clientCertificate = { certificate, key: certificate };
  const endpoint: KubeEndpoint = { server, ca, isInsecure, tlsServerName, proxyUrl, clientCertificate };
  try {
    await files.makeDirectory(dirname(path), 0o755);
    await files.replaceFile(path, formatKubeconfig(endpoint, certificatePath), 0o600);
  } catch (error) {
    throw new KubeconfigError(`cannot write the kubeconfig ${path}: ${errorMessage(error)}`, { cause: error });
  }
  logger.info('wrote a kubeconfig that refers to the certificate to be requested', { path, certificatePath });
  return { endpoint, needsBootstrap: true };
}

async function usableEndpoint(
  hostFiles: HostFiles,
  path: string,
  nowMs: number,
  logger: Logger,
): Promise<KubeEndpoint | undefined> {
  if ((await hostFiles.stat(path)) === undefined) return undefined;
  try {
    const endpoint = await loadKubeconfig(hostFiles, path);
    const pem = await contentOf(hostFiles, endpoint.clientCertificate?.certificate);
    const blocks = pem.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g);
    if (blocks === null) throw new Error('it has no client certificate');
    const expired = blocks
      .map((block) => new X509Certificate(block))
      .find((found) => found.validToDate.getTime() < nowMs);
    if (expired !== undefined)
      throw new Error(`its client certificate expired at ${expired.validToDate.toISOString()}`);
    return endpoint;
  } catch (error) {
    logger.warn('cannot use the kubeconfig; the bootstrap kubeconfig is used', { path, error: errorMessage(error) });
    return undefined;
  }
}

async function contentOf(hostFiles: HostFiles, source: CredentialSource | undefined): Promise<string> {
  if (source === undefined) return '';
  if ('pem' in source) return source.pem;
  const file = await hostFiles.read(source.file, MAX_BYTES);
  if (file === undefined) throw new Error(`${source.file} does not exist`);
  return Buffer.from(file.bytes).toString();
}

/** Returns a kubeconfig with the names that the kubelet gives to its parts. */
function formatKubeconfig(
  { server, ca, isInsecure, tlsServerName, proxyUrl }: KubeEndpoint,
  certificatePath: string,
): string {
  const authority =
    ca === undefined
      ? {}
      : 'file' in ca
        ? { 'certificate-authority': ca.file }
        : { 'certificate-authority-data': Buffer.from(ca.pem).toString('base64') };
  const options = {
    ...(isInsecure === true && { 'insecure-skip-tls-verify': true }),
    ...(tlsServerName !== undefined && { 'tls-server-name': tlsServerName }),
    ...(proxyUrl !== undefined && { 'proxy-url': proxyUrl }),
  };
  const user = { 'client-certificate': certificatePath, 'client-key': certificatePath };
  return stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'default-cluster', cluster: { ...authority, ...options, server } }],
    contexts: [
      { name: 'default-context', context: { cluster: 'default-cluster', namespace: 'default', user: 'default-auth' } },
    ],
    'current-context': 'default-context',
    preferences: {},
    users: [{ name: 'default-auth', user }],
  });
}
