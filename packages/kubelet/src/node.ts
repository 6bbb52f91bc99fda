import type { AgentModule } from '@rxlet/agent-api';
import type { KubeClients } from '@rxlet/kube-api/client';
import {
  clusterCertificates,
  clusterEvents,
  clusterObjects,
  clusterPods,
  clusterTokens,
  clusterTrust,
  clusterVolumes,
} from '@rxlet/cluster-pods';
import { nodeStatus, type NodeStatusOptions } from '@rxlet/node-status';
import { offlineCache as offlineCacheModule, type OfflineCacheOptions } from '@rxlet/offline-cache';
import { apiStatuses } from '@rxlet/status-manager';
import { apiServer } from '@rxlet/agent';
import { standalone, type StandaloneOptions } from './standalone.ts';

/** Options of {@link node}; each is passed to the module of that name. */
export interface ClusterOptions extends StandaloneOptions {
  /** Clients of the API server. They belong to the caller, who disposes of their connections after the agent. */
  readonly clients: KubeClients;
  readonly nodeStatus?: NodeStatusOptions | undefined;
  /** Sources of projected volumes that the cluster must have switched on as well. Default: none. */
  readonly projections?: ClusterProjections | undefined;
  /** Keeps the last known pods and their objects for a start without the API server. Default: the node waits for the API server. */
  readonly offlineCache?: Omit<OfflineCacheOptions, 'clients'> | undefined;
}

/** Sources of projected volumes that are off by default. */
export interface ClusterProjections {
  /** `clusterTrustBundle` (feature gate `ClusterTrustBundleProjection`). */
  readonly trustBundles?: boolean | undefined;
  /** `podCertificate` (feature gate `PodCertificateRequest`). */
  readonly podCertificates?: boolean | undefined;
}

/** Modules of a standalone agent that a node of a cluster does without: the API server keeps the statuses of pods. */
const STANDALONE_ONLY: readonly string[] = ['status-checkpoint'];

/** Returns the modules of an agent that is a node of a cluster: those of {@link standalone}, and what connects them with the API server. */
export function node({
  clients,
  nodeStatus: status,
  offlineCache,
  projections: { trustBundles = false, podCertificates = false } = {},
  ...options
}: ClusterOptions): readonly AgentModule[] {
  return [
    offlineCache === undefined ? apiServer({ clients }) : offlineCacheModule({ clients, ...offlineCache }),
    nodeStatus(status),
    clusterObjects(),
    clusterTokens(),
    clusterVolumes(),
    ...(trustBundles ? [clusterTrust()] : []),
    ...(podCertificates ? [clusterCertificates()] : []),
    clusterPods(),
    ...standalone(options).filter(({ name }) => !STANDALONE_ONLY.includes(name)),
    clusterEvents(),
    apiStatuses(),
  ];
}
