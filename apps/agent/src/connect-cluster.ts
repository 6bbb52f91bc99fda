import { dirname } from 'node:path';
import type { KubeClients } from '@rxlet/kube-api/client';
import type { AgentModule } from '@rxlet/agent-api';
import {
  type CertificateManager,
  clientCertificatePath,
  clientCertificateProblems,
  createClientCertificate,
} from '@rxlet/certificates';
import { createLifetime, type Logger, systemClock, systemRandom } from '@rxlet/component-base';
import type { Metrics } from '@rxlet/component-base/metrics';
import {
  createKubeClient,
  createKubeClients,
  createUndiciTransport,
  KubeconfigError,
  type KubeEndpoint,
  type KubeTransport,
  loadKubeconfig,
  loadNodeKubeconfig,
  userAgent,
} from '@rxlet/kube-client';
import { createHostFiles, createNodeFiles } from '@rxlet/node-files';
import type { ClusterSettings } from './config/cluster-settings.ts';
import { ConfigError } from './config/config-error.ts';

/** Connection to the API server of a cluster. Disposal closes it. */
export interface ClusterConnection extends AsyncDisposable {
  readonly clients: KubeClients;
  /** Modules that report the state of the connection. */
  readonly modules: readonly AgentModule[];
}

/** Ports of {@link connectCluster}. */
export interface ConnectClusterPorts {
  readonly logger: Logger;
  readonly metrics: Metrics;
  /** Adds traces to the requests. Default: there are none. */
  readonly trace?: ((send: KubeTransport['send']) => KubeTransport['send']) | undefined;
}

/** Version of Kubernetes that the agent reports to the API server. */
const KUBELET_VERSION = 'v1.36.2';
const [clock, random] = [systemClock, systemRandom];

/**
 * Reads the kubeconfig, and requests and renews the client certificate where that is wanted. It does not wait for the API server: one that is away keeps no pod from
 * running.
 *
 * @throws ConfigError for a kubeconfig that cannot be used
 */
export async function connectCluster(
  settings: ClusterSettings,
  { logger, metrics, trace = (send) => send }: ConnectClusterPorts,
): Promise<ClusterConnection> {
  const { kubeconfigPath, bootstrapKubeconfigPath, certificateDirectory, nodeName, rotatesCertificate } = settings;
  const hostFiles = createHostFiles();
  const files = createNodeFiles({ roots: [certificateDirectory, dirname(kubeconfigPath)] });
  const lifetime = createLifetime();
  const own = <T extends AsyncDisposable>(part: T): T => {
    lifetime.defer(async () => part[Symbol.asyncDispose]());
    return part;
  };
  // Owners of fields are named after the program: other parts of a cluster expect the kubelet's.
  const agent = userAgent({
    program: 'kubelet',
    version: KUBELET_VERSION,
    platform: process.platform,
    architecture: process.arch,
  });

  try {
    const { endpoint, needsBootstrap } = await loadNodeKubeconfig(
      { hostFiles, files, clock, logger },
      {
        path: kubeconfigPath,
        bootstrapPath: bootstrapKubeconfigPath,
        certificatePath: clientCertificatePath(certificateDirectory),
      },
    );
    /** Connects by credentials that the node was given: those of the kubeconfig, as it is now. */
    const connectInitially = async () => {
      const initial = await loadKubeconfig(hostFiles, bootstrapKubeconfigPath ?? kubeconfigPath);
      // Without a logger: the manager reports its failures.
      const transport = createUndiciTransport({ clock, hostFiles }, initial);
      const client = createKubeClient({ transport, clock, random }, { userAgent: agent });
      return { client, [Symbol.asyncDispose]: () => transport[Symbol.asyncDispose]() };
    };
    const certificate: CertificateManager | undefined =
      needsBootstrap || rotatesCertificate
        ? createClientCertificate(
            {
              files,
              hostFiles,
              clock,
              random,
              logger,
              metrics,
              connect: async (hasCertificate) =>
                hasCertificate
                  ? { client: clients.main, [Symbol.asyncDispose]: async () => undefined }
                  : connectInitially(),
            },
            {
              nodeName,
              directory: certificateDirectory,
              rotates: rotatesCertificate,
              ...(!needsBootstrap && initialOf(endpoint)),
            },
          )
        : undefined;
    const transport = own(
      createUndiciTransport(
        {
          clock,
          logger,
          hostFiles,
          clientCertificate: certificate?.certificate,
          readEndpoint: () => loadKubeconfig(hostFiles, kubeconfigPath),
        },
        endpoint,
      ),
    );
    const clients = createKubeClients(
      { transport: { ...hostOf(transport), send: trace(transport.send) }, clock, random, logger, metrics },
      { ...settings.limits, userAgent: agent },
    );
    if (certificate !== undefined) await own(certificate).start();
    const modules = certificate === undefined ? [] : [clientCertificateProblems(certificate)];
    return { clients, modules, [Symbol.asyncDispose]: () => lifetime[Symbol.asyncDispose]() };
  } catch (error) {
    await lifetime[Symbol.asyncDispose]();
    if (!(error instanceof KubeconfigError)) throw error;
    throw new ConfigError(error.message, { cause: error });
  }
}

function hostOf({ host }: KubeTransport): Pick<KubeTransport, 'host'> {
  return host === undefined ? {} : { host };
}

/** Returns the certificate that a kubeconfig brings along, which is renewed from then on. */
function initialOf({ clientCertificate }: KubeEndpoint) {
  if (clientCertificate === undefined) return {};
  const { certificate, key } = clientCertificate;
  if ('file' in certificate && 'file' in key)
    return { initialFiles: { certFile: certificate.file, keyFile: key.file } };
  if ('pem' in certificate && 'pem' in key)
    return { initialPair: { certificatePem: certificate.pem, keyPem: key.pem } };
  return {};
}
