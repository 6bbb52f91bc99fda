export {
  type DeleteOptions,
  type GetOptions,
  isKubeError,
  type JsonPatchOperation,
  type KubeClient,
  type KubeClients,
  kubeClients,
  KubeError,
  type KubeErrorReason,
  type KubeObject,
  type KubePatch,
  type ListOptions,
  type ListSelector,
  type ObjectChange,
  type ObjectList,
  type ObjectRef,
  type ObjectWatch,
  type RequestOptions,
  type SubresourceOptions,
  type WatchOptions,
  type WriteOptions,
} from './kube-client.ts';
export { createObjectCopy, type ObjectCopy } from './object-copy.ts';
export { type PodToken, type PodTokenRequest, podTokens, type PodTokens } from './pod-tokens.ts';
export { servingCertificate, type TlsKeyPair } from './serving-certificate.ts';
export {
  type ServiceAccountIdentity,
  type ServiceAccountTokenRequest,
  serviceAccountTokens,
  type ServiceAccountTokens,
} from './service-account-tokens.ts';
export { clusterServices, type ClusterServices } from './cluster-services.ts';
export { podObjects, type PodObjects } from './pod-objects.ts';
export { runtimeClasses, type RuntimeClasses } from './runtime-classes.ts';
export {
  type ClusterTrustBundles,
  clusterTrustBundles,
  type PodCertificates,
  podCertificates,
} from './pod-credentials.ts';
