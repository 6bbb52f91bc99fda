import { resolve } from 'node:path';
import type { KubeClientsOptions } from '@rxlet/kube-client';
import type { LoadedConfiguration } from '@rxlet/kubelet-config';

/** Settings of an agent that is a node of a cluster. */
export interface ClusterSettings {
  /** File of `--kubeconfig`. */
  readonly kubeconfigPath: string;
  /** File of `--bootstrap-kubeconfig`: credentials by which the node requests its client certificate. */
  readonly bootstrapKubeconfigPath: string | undefined;
  /** Folder of `--cert-dir`. */
  readonly certificateDirectory: string;
  /** Whether the client certificate is renewed (KubeletConfiguration `rotateCertificates`). */
  readonly rotatesCertificate: boolean;
  readonly nodeName: string;
  /** Limits of the requests to the API server. */
  readonly limits: Omit<KubeClientsOptions, 'userAgent'>;
}

/** Returns the settings of the cluster; `undefined` for a standalone agent, which has no `--kubeconfig`. */
export function clusterSettingsOf(
  { configuration, flags }: LoadedConfiguration,
  { nodeName, certificateDirectory }: Pick<ClusterSettings, 'nodeName' | 'certificateDirectory'>,
): ClusterSettings | undefined {
  const path = flags.get('kubeconfig') as string | undefined;
  const bootstrapPath = flags.get('bootstrap-kubeconfig') as string | undefined;
  if (path === undefined) return undefined;
  const { kubeAPIQPS, kubeAPIBurst, eventRecordQPS, eventBurst } = configuration;
  const { nodeLeaseDurationSeconds = 40, nodeStatusUpdateFrequency = 10_000 } = configuration;
  return {
    kubeconfigPath: resolve(path),
    // An empty value is none, as in the kubelet.
    bootstrapKubeconfigPath: bootstrapPath ? resolve(bootstrapPath) : undefined,
    certificateDirectory,
    rotatesCertificate: configuration.rotateCertificates ?? false,
    nodeName,
    limits: {
      ...(kubeAPIQPS !== undefined && { kubeAPIQPS }),
      ...(kubeAPIBurst !== undefined && { kubeAPIBurst }),
      ...(eventRecordQPS !== undefined && { eventRecordQPS }),
      ...(eventBurst !== undefined && { eventBurst }),
      heartbeatTimeoutMs: Math.min(nodeLeaseDurationSeconds * 1000, nodeStatusUpdateFrequency),
    },
  };
}
