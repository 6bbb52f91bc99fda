export { kubeClients } from './kube-clients.ts';
export { type PodToken, type PodTokenRequest, podTokens, type PodTokens } from './pod-tokens.ts';
export { servingCertificate } from './serving-certificate.ts';
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
