import type {
  Binding,
  CertificateSigningRequest,
  ConfigMap,
  CSIDriver,
  CSINode,
  Event,
  Lease,
  Namespace,
  Node,
  PersistentVolume,
  PersistentVolumeClaim,
  Pod,
  ResourceSlice,
  RuntimeClass,
  Secret,
  Service,
  ServiceAccount,
  Status,
  SubjectAccessReview,
  AuthenticationV1TokenRequest,
  TokenReview,
  ResourceV1ResourceClaim,
  VolumeAttachment,
} from './index.ts';
import type { ClusterTrustBundle, PodCertificateRequest } from './certificates-v1beta1.ts';

export type { ClusterTrustBundle, PodCertificateRequest };

declare const objectType: unique symbol;

/** A resource of the API server: where its objects are, and their type. */
export interface KubeResource<out T> {
  /** API group, such as `coordination.k8s.io`; empty for the core group. */
  readonly group: string;
  readonly version: string;
  /** Name in paths, such as `pods`. */
  readonly plural: string;
  readonly kind: string;
  readonly isNamespaced: boolean;
  readonly [objectType]?: T;
}

/** A subresource that takes an object by POST and answers with one. */
export interface KubeSubresource<in Body, out Result> {
  readonly resource: KubeResource<unknown>;
  /** Last element of the path, such as `token`. */
  readonly name: string;
  readonly [objectType]?: (body: Body) => Result;
}

/** Types of {@link resources}. */
export interface KubeResources {
  readonly configMaps: KubeResource<ConfigMap>;
  readonly events: KubeResource<Event>;
  readonly namespaces: KubeResource<Namespace>;
  readonly nodes: KubeResource<Node>;
  readonly persistentVolumeClaims: KubeResource<PersistentVolumeClaim>;
  readonly persistentVolumes: KubeResource<PersistentVolume>;
  readonly pods: KubeResource<Pod>;
  readonly secrets: KubeResource<Secret>;
  readonly serviceAccounts: KubeResource<ServiceAccount>;
  readonly services: KubeResource<Service>;
  readonly certificateSigningRequests: KubeResource<CertificateSigningRequest>;
  readonly clusterTrustBundles: KubeResource<ClusterTrustBundle>;
  readonly podCertificateRequests: KubeResource<PodCertificateRequest>;
  readonly csiDrivers: KubeResource<CSIDriver>;
  readonly csiNodes: KubeResource<CSINode>;
  readonly leases: KubeResource<Lease>;
  readonly resourceClaims: KubeResource<ResourceV1ResourceClaim>;
  readonly resourceSlices: KubeResource<ResourceSlice>;
  readonly runtimeClasses: KubeResource<RuntimeClass>;
  readonly subjectAccessReviews: KubeResource<SubjectAccessReview>;
  readonly tokenReviews: KubeResource<TokenReview>;
  readonly volumeAttachments: KubeResource<VolumeAttachment>;
}

/** The resources that a node agent reads or writes, by their plural names in camel case. */
export const resources: KubeResources = {
  configMaps: inNamespace<ConfigMap>('', 'configmaps', 'ConfigMap'),
  events: inNamespace<Event>('', 'events', 'Event'),
  namespaces: inCluster<Namespace>('', 'namespaces', 'Namespace'),
  nodes: inCluster<Node>('', 'nodes', 'Node'),
  persistentVolumeClaims: inNamespace<PersistentVolumeClaim>('', 'persistentvolumeclaims', 'PersistentVolumeClaim'),
  persistentVolumes: inCluster<PersistentVolume>('', 'persistentvolumes', 'PersistentVolume'),
  pods: inNamespace<Pod>('', 'pods', 'Pod'),
  secrets: inNamespace<Secret>('', 'secrets', 'Secret'),
  serviceAccounts: inNamespace<ServiceAccount>('', 'serviceaccounts', 'ServiceAccount'),
  services: inNamespace<Service>('', 'services', 'Service'),
  certificateSigningRequests: inCluster<CertificateSigningRequest>(
    'certificates.k8s.io',
    'certificatesigningrequests',
    'CertificateSigningRequest',
  ),
  clusterTrustBundles: beta(
    inCluster<ClusterTrustBundle>('certificates.k8s.io', 'clustertrustbundles', 'ClusterTrustBundle'),
  ),
  podCertificateRequests: beta(
    inNamespace<PodCertificateRequest>('certificates.k8s.io', 'podcertificaterequests', 'PodCertificateRequest'),
  ),
  csiDrivers: inCluster<CSIDriver>('storage.k8s.io', 'csidrivers', 'CSIDriver'),
  csiNodes: inCluster<CSINode>('storage.k8s.io', 'csinodes', 'CSINode'),
  leases: inNamespace<Lease>('coordination.k8s.io', 'leases', 'Lease'),
  resourceClaims: inNamespace<ResourceV1ResourceClaim>('resource.k8s.io', 'resourceclaims', 'ResourceClaim'),
  resourceSlices: inCluster<ResourceSlice>('resource.k8s.io', 'resourceslices', 'ResourceSlice'),
  runtimeClasses: inCluster<RuntimeClass>('node.k8s.io', 'runtimeclasses', 'RuntimeClass'),
  subjectAccessReviews: inCluster<SubjectAccessReview>(
    'authorization.k8s.io',
    'subjectaccessreviews',
    'SubjectAccessReview',
  ),
  tokenReviews: inCluster<TokenReview>('authentication.k8s.io', 'tokenreviews', 'TokenReview'),
  volumeAttachments: inCluster<VolumeAttachment>('storage.k8s.io', 'volumeattachments', 'VolumeAttachment'),
};

/** Types of {@link subresources}. */
export interface KubeSubresources {
  readonly podBinding: KubeSubresource<Binding, Status>;
  readonly podEviction: KubeSubresource<Eviction, Status>;
  readonly serviceAccountToken: KubeSubresource<AuthenticationV1TokenRequest, AuthenticationV1TokenRequest>;
}

/** Subresources that create something other than a part of their object. */
export const subresources: KubeSubresources = {
  podBinding: subresource<Binding, Status>(resources.pods, 'binding'),
  podEviction: subresource<Eviction, Status>(resources.pods, 'eviction'),
  serviceAccountToken: subresource<AuthenticationV1TokenRequest, AuthenticationV1TokenRequest>(
    resources.serviceAccounts,
    'token',
  ),
};

/** Body of a request to evict a pod, of `policy/v1`. */
export interface Eviction {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly metadata?: { readonly name?: string; readonly namespace?: string };
  readonly deleteOptions?: {
    readonly gracePeriodSeconds?: number;
    readonly preconditions?: { readonly uid?: string; readonly resourceVersion?: string };
  };
}

/** Returns the `apiVersion` of the resource's objects: `v1`, `coordination.k8s.io/v1`. */
export function apiVersionOf({ group, version }: KubeResource<unknown>): string {
  return group === '' ? version : `${group}/${version}`;
}

function inNamespace<T>(group: string, plural: string, kind: string): KubeResource<T> {
  return { group, version: 'v1', plural, kind, isNamespaced: true };
}

function inCluster<T>(group: string, plural: string, kind: string): KubeResource<T> {
  return { group, version: 'v1', plural, kind, isNamespaced: false };
}

function beta<T>(resource: KubeResource<T>): KubeResource<T> {
  return { ...resource, version: 'v1beta1' };
}

function subresource<Body, Result>(resource: KubeResource<unknown>, name: string): KubeSubresource<Body, Result> {
  return { resource, name };
}
