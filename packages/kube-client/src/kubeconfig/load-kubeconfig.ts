import { errorMessage } from '@rxlet/component-base';
import type { HostFiles } from '@rxlet/node-files';
import type { KubeEndpoint } from './kube-endpoint.ts';
import { KubeconfigError } from './kubeconfig-error.ts';
import { parseKubeconfig } from './parse-kubeconfig.ts';

const MAX_BYTES = 4 * 1024 * 1024;

/** Reads the endpoint of a kubeconfig file. @throws KubeconfigError when it cannot be read or used */
export async function loadKubeconfig(hostFiles: HostFiles, path: string, context?: string): Promise<KubeEndpoint> {
  let file;
  try {
    file = await hostFiles.read(path, MAX_BYTES);
  } catch (error) {
    throw new KubeconfigError(`cannot read the kubeconfig ${path}: ${errorMessage(error)}`, { cause: error });
  }
  if (file === undefined) throw new KubeconfigError(`cannot read the kubeconfig ${path}: it does not exist`);
  return parseKubeconfig(Buffer.from(file.bytes).toString(), path, context);
}

const SERVICE_ACCOUNT = '/var/run/secrets/kubernetes.io/serviceaccount';

/** Returns the endpoint of a program in a pod: the service account's token and authority. @throws KubeconfigError outside of a pod */
export function inClusterEndpoint(env: Readonly<Record<string, string | undefined>>): KubeEndpoint {
  const { KUBERNETES_SERVICE_HOST: host, KUBERNETES_SERVICE_PORT: port } = env;
  if (!host || !port) {
    throw new KubeconfigError(
      'cannot use the cluster of this pod: KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT must be set',
    );
  }
  return {
    server: `https://${host.includes(':') ? `[${host}]` : host}:${port}`,
    ca: { file: `${SERVICE_ACCOUNT}/ca.crt` },
    tokenFile: `${SERVICE_ACCOUNT}/token`,
  };
}
