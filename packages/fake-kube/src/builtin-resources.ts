import type { CertificateSigningRequest, Event, Node, Pod, ResourceSlice, Secret, Service } from '@rxlet/kube-api';
import { type PodCertificateRequest, resources } from '@rxlet/kube-api/resources';
import type { StoredObject } from './api-object.ts';
import type { ResourceType } from './resource-type.ts';

/** Returns the selectable fields of a resource; `text` of an absent value is empty. */
function fieldsOf<T>(read: (object: T) => Readonly<Record<string, unknown>>): ResourceType['selectableFields'] {
  return (object: StoredObject) =>
    Object.fromEntries(Object.entries(read(object as unknown as T)).map(([name, value]) => [name, text(value)]));
}

function text(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? String(value) : '';
}

/** The resources of a node agent's world, with what `kubectl` needs to know of them. */
export const builtinResources: readonly ResourceType[] = [
  { ...resources.configMaps, shortNames: ['cm'] },
  {
    ...resources.events,
    shortNames: ['ev'],
    selectableFields: fieldsOf<Event>(({ involvedObject, reason, reportingComponent, source, type }) => ({
      'involvedObject.kind': involvedObject.kind,
      'involvedObject.namespace': involvedObject.namespace,
      'involvedObject.name': involvedObject.name,
      'involvedObject.uid': involvedObject.uid,
      'involvedObject.apiVersion': involvedObject.apiVersion,
      'involvedObject.resourceVersion': involvedObject.resourceVersion,
      'involvedObject.fieldPath': involvedObject.fieldPath,
      reason,
      reportingComponent,
      source: source?.component ?? reportingComponent,
      type,
    })),
  },
  { ...resources.namespaces, shortNames: ['ns'], subresources: ['status', 'finalize'] },
  {
    ...resources.nodes,
    shortNames: ['no'],
    subresources: ['status'],
    keepsStatusOnCreate: true,
    selectableFields: fieldsOf<Node>(({ spec }) => ({ 'spec.unschedulable': spec?.unschedulable ?? false })),
  },
  { ...resources.persistentVolumeClaims, shortNames: ['pvc'], subresources: ['status'] },
  { ...resources.persistentVolumes, shortNames: ['pv'], subresources: ['status'] },
  {
    ...resources.pods,
    shortNames: ['po'],
    categories: ['all'],
    subresources: [
      'status',
      'binding',
      'eviction',
      'ephemeralcontainers',
      'resize',
      'log',
      'exec',
      'attach',
      'portforward',
    ],
    hasGeneration: true,
    selectableFields: fieldsOf<Pod>(({ spec, status }) => ({
      'spec.nodeName': spec?.nodeName,
      'spec.restartPolicy': spec?.restartPolicy,
      'spec.schedulerName': spec?.schedulerName,
      'spec.serviceAccountName': spec?.serviceAccountName,
      'spec.hostNetwork': spec?.hostNetwork ?? false,
      'status.phase': status?.phase,
      'status.podIP': status?.podIP,
      'status.nominatedNodeName': status?.nominatedNodeName,
    })),
  },
  { ...resources.secrets, selectableFields: fieldsOf<Secret>(({ type }) => ({ type })) },
  { ...resources.serviceAccounts, shortNames: ['sa'], subresources: ['token'] },
  {
    ...resources.services,
    shortNames: ['svc'],
    categories: ['all'],
    subresources: ['status'],
    selectableFields: fieldsOf<Service>(({ spec }) => ({ 'spec.clusterIP': spec?.clusterIP, 'spec.type': spec?.type })),
  },
  {
    ...resources.certificateSigningRequests,
    shortNames: ['csr'],
    hasPathNames: true,
    subresources: ['status', 'approval'],
    selectableFields: fieldsOf<CertificateSigningRequest>(({ spec }) => ({ 'spec.signerName': spec.signerName })),
  },
  resources.clusterTrustBundles,
  {
    ...resources.podCertificateRequests,
    subresources: ['status'],
    selectableFields: fieldsOf<PodCertificateRequest>(({ spec }) => ({
      'spec.signerName': spec?.signerName,
      'spec.podName': spec?.podName,
      'spec.nodeName': spec?.nodeName,
    })),
  },
  resources.csiDrivers,
  resources.csiNodes,
  resources.leases,
  { ...resources.resourceClaims, subresources: ['status'] },
  {
    ...resources.resourceSlices,
    selectableFields: fieldsOf<ResourceSlice>(({ spec }) => ({
      'spec.driver': spec.driver,
      'spec.nodeName': spec.nodeName,
    })),
  },
  resources.runtimeClasses,
  { ...resources.subjectAccessReviews, isVirtual: true },
  { ...resources.tokenReviews, isVirtual: true },
  { ...resources.volumeAttachments, subresources: ['status'] },
];
