import type { ClusterTrustBundles, PodCertificates, PodObjects, PodTokens } from '@rxlet/agent-api/kube';
import type { Quantity } from '@rxlet/kube-api';

/** Origins of the files of volumes. Without one of them, volumes that need it cannot be set up. */
export interface PayloadSources {
  /** ConfigMaps and Secrets. */
  readonly objects?: Pick<PodObjects, 'configMap' | 'secret'> | undefined;
  /** Tokens of service accounts. */
  readonly tokens?: PodTokens | undefined;
  readonly trustBundles?: ClusterTrustBundles | undefined;
  readonly podCertificates?: PodCertificates | undefined;
  /** Returns the node's allocatable resources, for limits that a container does not set. */
  allocatable(): Readonly<Record<string, Quantity>>;
}
