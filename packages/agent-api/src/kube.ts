export { clusterServices, type ClusterServices, kubeClients, runtimeClasses, type RuntimeClasses } from './cluster.ts';
export { type PodToken, type PodTokenRequest, podTokens, type PodTokens } from './pod-tokens.ts';
export { servingCertificate } from './serving-certificate.ts';
export {
  type ServiceAccountIdentity,
  type ServiceAccountTokenRequest,
  serviceAccountTokens,
  type ServiceAccountTokens,
} from './service-account-tokens.ts';
export { podObjects, type PodObjects } from './pod-objects.ts';
export {
  type ClusterTrustBundles,
  clusterTrustBundles,
  type PodCertificates,
  podCertificates,
} from './pod-credentials.ts';
