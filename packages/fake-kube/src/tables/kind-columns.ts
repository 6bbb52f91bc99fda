import type {
  CertificateSigningRequest,
  ConfigMap,
  CSIDriver,
  CSINode,
  Event,
  LabelSelector,
  Lease,
  Namespace,
  Node,
  PersistentVolume,
  PersistentVolumeClaim,
  Pod,
  RuntimeClass,
  Secret,
  Service,
  ServiceAccount,
  VolumeAttachment,
} from '@rxlet/kube-api';
import { formatSince, podReadiness, podRestarts, podStatusWord } from '@rxlet/pod-model/summary';
import type { DaemonSet, Deployment, Job, ReplicaSet } from '../controllers/workloads.ts';
import { qualifiedName, type ResourceType } from '../resource-type.ts';
import { ageColumn, booleanText, type Column, column, labelsText, nameColumn, wide } from './columns.ts';

const pods: readonly Column[] = [
  nameColumn,
  column<Pod>('Ready', podReadiness),
  column<Pod>('Status', podStatusWord),
  column<Pod>('Restarts', podRestarts),
  ageColumn,
  wide<Pod>('IP', ({ status }) => status?.podIPs?.[0]?.ip ?? status?.podIP),
  wide<Pod>('Node', ({ spec }) => spec?.nodeName),
  wide<Pod>('Nominated Node', ({ status }) => status?.nominatedNodeName),
  wide<Pod>('Readiness Gates', ({ spec, status }) => {
    const gates = spec?.readinessGates ?? [];
    const isTrue = (type: string): boolean =>
      status?.conditions?.some((condition) => condition.type === type && condition.status === 'True') === true;
    const fulfilled = gates.filter(({ conditionType }) => isTrue(conditionType));
    return gates.length === 0 ? '' : `${String(fulfilled.length)}/${String(gates.length)}`;
  }),
];

const ROLE_LABEL = 'node-role.kubernetes.io/';
const addressOf = ({ status }: Node, type: string): string | undefined =>
  status?.addresses?.find((address) => address.type === type)?.address;

const nodes: readonly Column[] = [
  nameColumn,
  column<Node>('Status', ({ spec, status }) => {
    const ready = status?.conditions?.find(({ type }) => type === 'Ready');
    const word = ready === undefined ? 'Unknown' : ready.status === 'True' ? 'Ready' : 'NotReady';
    return spec?.unschedulable === true ? `${word},SchedulingDisabled` : word;
  }),
  column<Node>('Roles', ({ metadata }) => {
    const roles = Object.keys(metadata?.labels ?? {}).filter((key) => key.startsWith(ROLE_LABEL));
    return roles
      .map((key) => key.slice(ROLE_LABEL.length))
      .sort()
      .join(',');
  }),
  ageColumn,
  column<Node>('Version', ({ status }) => status?.nodeInfo?.kubeletVersion),
  wide<Node>('Internal-IP', (node) => addressOf(node, 'InternalIP')),
  wide<Node>('External-IP', (node) => addressOf(node, 'ExternalIP')),
  wide<Node>('OS-Image', ({ status }) => status?.nodeInfo?.osImage || '<unknown>'),
  wide<Node>('Kernel-Version', ({ status }) => status?.nodeInfo?.kernelVersion || '<unknown>'),
  wide<Node>('Container-Runtime', ({ status }) => status?.nodeInfo?.containerRuntimeVersion || '<unknown>'),
];

const eventTime = ({ series, lastTimestamp, firstTimestamp, eventTime: time }: Event): string | undefined =>
  series?.lastObservedTime ?? lastTimestamp ?? firstTimestamp ?? time ?? undefined;

const events: readonly Column[] = [
  column<Event>('Last Seen', (event, nowMs) => formatSince(eventTime(event), nowMs)),
  column<Event>('Type', ({ type }) => type),
  column<Event>('Reason', ({ reason }) => reason),
  column<Event>(
    'Object',
    ({ involvedObject: { kind, name } }) => `${(kind ?? '').toLowerCase()}${name ? `/${name}` : ''}`,
  ),
  wide<Event>('Subobject', ({ involvedObject }) => involvedObject.fieldPath),
  wide<Event>('Source', ({ source, reportingComponent }) =>
    [source?.component ?? reportingComponent, source?.host].filter(Boolean).join(', '),
  ),
  column<Event>('Message', ({ message }) => message?.trim()),
  wide<Event>('First Seen', (event, nowMs) => formatSince(event.firstTimestamp ?? event.eventTime ?? undefined, nowMs)),
  wide<Event>('Count', ({ series, count }) => String(series?.count ?? count ?? 1)),
  { ...nameColumn, priority: 1 },
];

const services: readonly Column[] = [
  nameColumn,
  column<Service>('Type', ({ spec }) => spec?.type ?? 'ClusterIP'),
  column<Service>('Cluster-IP', ({ spec }) => spec?.clusterIP),
  column<Service>('External-IP', ({ spec, status }) =>
    [...(spec?.externalIPs ?? []), ...(status?.loadBalancer?.ingress ?? []).map(({ ip, hostname }) => ip ?? hostname)]
      .filter(Boolean)
      .join(','),
  ),
  column<Service>('Port(s)', ({ spec }) =>
    (spec?.ports ?? [])
      .map(({ port, nodePort, protocol = 'TCP' }) =>
        nodePort ? `${String(port)}:${String(nodePort)}/${protocol}` : `${String(port)}/${protocol}`,
      )
      .join(','),
  ),
  ageColumn,
  wide<Service>('Selector', ({ spec }) => labelsText(spec?.selector)),
];

const ACCESS_MODES: Readonly<Record<string, string>> = {
  ReadWriteOnce: 'RWO',
  ReadOnlyMany: 'ROX',
  ReadWriteMany: 'RWX',
  ReadWriteOncePod: 'RWOP',
};
const accessModes = (modes: readonly string[] | undefined): string =>
  (modes ?? []).map((mode) => ACCESS_MODES[mode] ?? mode).join(',');
const phaseOf = (object: PersistentVolume | PersistentVolumeClaim): string | undefined =>
  object.metadata?.deletionTimestamp === undefined ? object.status?.phase : 'Terminating';

const claims: readonly Column[] = [
  nameColumn,
  column<PersistentVolumeClaim>('Status', phaseOf),
  column<PersistentVolumeClaim>('Volume', ({ spec }) => spec?.volumeName),
  column<PersistentVolumeClaim>('Capacity', ({ status }) => status?.capacity?.['storage']),
  column<PersistentVolumeClaim>('Access Modes', ({ status }) => accessModes(status?.accessModes)),
  column<PersistentVolumeClaim>('StorageClass', ({ spec }) => spec?.storageClassName),
  ageColumn,
  wide<PersistentVolumeClaim>('VolumeMode', ({ spec }) => spec?.volumeMode ?? 'Filesystem'),
];

const volumes: readonly Column[] = [
  nameColumn,
  column<PersistentVolume>('Capacity', ({ spec }) => spec?.capacity?.['storage']),
  column<PersistentVolume>('Access Modes', ({ spec }) => accessModes(spec?.accessModes)),
  column<PersistentVolume>('Reclaim Policy', ({ spec }) => spec?.persistentVolumeReclaimPolicy ?? 'Retain'),
  column<PersistentVolume>('Status', phaseOf),
  column<PersistentVolume>('Claim', ({ spec }) =>
    spec?.claimRef === undefined ? '' : `${spec.claimRef.namespace ?? ''}/${spec.claimRef.name ?? ''}`,
  ),
  column<PersistentVolume>('StorageClass', ({ spec }) => spec?.storageClassName),
  column<PersistentVolume>('Reason', ({ status }) => status?.reason),
  ageColumn,
  wide<PersistentVolume>('VolumeMode', ({ spec }) => spec?.volumeMode ?? 'Filesystem'),
];

const certificateRequests: readonly Column[] = [
  nameColumn,
  ageColumn,
  column<CertificateSigningRequest>('SignerName', ({ spec }) => spec.signerName),
  column<CertificateSigningRequest>('Requestor', ({ spec }) => spec.username),
  column<CertificateSigningRequest>('RequestedDuration', ({ spec }) =>
    spec.expirationSeconds === undefined ? '' : `${String(spec.expirationSeconds)}s`,
  ),
  column<CertificateSigningRequest>('Condition', ({ status }) => {
    const types = (status?.conditions ?? []).map(({ type }) => type);
    const decided = types.filter((type) => type === 'Approved' || type === 'Denied');
    const words = [...(decided.length === 0 ? ['Pending'] : decided), ...types.filter((type) => type === 'Failed')];
    return [...words, ...(status?.certificate ? ['Issued'] : [])].join(',');
  }),
];

const selectorText = (selector: LabelSelector | undefined): string => labelsText(selector?.matchLabels);
const count = (value: unknown): number => (typeof value === 'number' ? value : 0);
const containerNames = ({ spec }: Deployment | ReplicaSet | DaemonSet | Job): string =>
  (spec.template.spec?.containers ?? []).map(({ name }) => name).join(',');
const containerImages = ({ spec }: Deployment | ReplicaSet | DaemonSet | Job): string =>
  (spec.template.spec?.containers ?? []).map(({ image }) => image ?? '').join(',');
type Counts = Readonly<Record<string, unknown>> | undefined;

const deployments: readonly Column[] = [
  nameColumn,
  column<Deployment>(
    'Ready',
    ({ spec, status }) => `${String(count(status?.['readyReplicas']))}/${String(spec.replicas ?? 1)}`,
  ),
  column<Deployment>('Up-to-date', ({ status }) => count(status?.['updatedReplicas']), 'integer'),
  column<Deployment>('Available', ({ status }) => count(status?.['availableReplicas']), 'integer'),
  ageColumn,
  wide<Deployment>('Containers', containerNames),
  wide<Deployment>('Images', containerImages),
  wide<Deployment>('Selector', ({ spec }) => selectorText(spec.selector)),
];
const replicaSets: readonly Column[] = [
  nameColumn,
  column<ReplicaSet>('Desired', ({ spec }) => spec.replicas ?? 1, 'integer'),
  column<ReplicaSet>('Current', ({ status }) => count(status?.replicas), 'integer'),
  column<ReplicaSet>('Ready', ({ status }) => count(status?.readyReplicas), 'integer'),
  ageColumn,
  wide<ReplicaSet>('Containers', containerNames),
  wide<ReplicaSet>('Images', containerImages),
  wide<ReplicaSet>('Selector', ({ spec }) => selectorText(spec.selector)),
];
const daemonSets: readonly Column[] = [
  nameColumn,
  ...(
    [
      ['Desired', 'desiredNumberScheduled'],
      ['Current', 'currentNumberScheduled'],
      ['Ready', 'numberReady'],
      ['Up-to-date', 'updatedNumberScheduled'],
      ['Available', 'numberAvailable'],
    ] as const
  ).map(([name, field]) => column<DaemonSet>(name, ({ status }) => count((status as Counts)?.[field]), 'integer')),
  column<DaemonSet>('Node Selector', ({ spec }) => labelsText(spec.template.spec?.nodeSelector)),
  ageColumn,
];
const jobs: readonly Column[] = [
  nameColumn,
  column<Job>(
    'Status',
    ({ status }) => status?.conditions?.find(({ status: value }) => value === 'True')?.type ?? 'Running',
  ),
  column<Job>(
    'Completions',
    ({ spec, status }) => `${String(status?.succeeded ?? 0)}/${String(spec.completions ?? 1)}`,
  ),
  ageColumn,
  wide<Job>('Containers', containerNames),
  wide<Job>('Images', containerImages),
];
const endpointSlices: readonly Column[] = [
  nameColumn,
  column<EndpointSlice>('AddressType', ({ addressType }) => addressType),
  column<EndpointSlice>('Ports', ({ ports = [] }) => ports.map(({ port }) => String(port)).join(',')),
  column<EndpointSlice>('Endpoints', ({ endpoints = [] }) =>
    [
      ...endpoints.slice(0, 3).map(({ addresses }) => addresses.join(',')),
      ...(endpoints.length > 3 ? [`+ ${String(endpoints.length - 3)} more...`] : []),
    ].join(','),
  ),
  ageColumn,
];
interface EndpointSlice {
  readonly addressType: string;
  readonly ports?: readonly { readonly port: number }[];
  readonly endpoints?: readonly { readonly addresses: readonly string[] }[];
}

const dataCount = ({ data, binaryData }: ConfigMap): number =>
  Object.keys(data ?? {}).length + Object.keys(binaryData ?? {}).length;

const KINDS: Readonly<Record<string, readonly Column[]>> = {
  pods,
  nodes,
  events,
  services,
  persistentvolumeclaims: claims,
  'deployments.apps': deployments,
  'replicasets.apps': replicaSets,
  'daemonsets.apps': daemonSets,
  'jobs.batch': jobs,
  'endpointslices.discovery.k8s.io': endpointSlices,
  persistentvolumes: volumes,
  'certificatesigningrequests.certificates.k8s.io': certificateRequests,
  namespaces: [nameColumn, column<Namespace>('Status', ({ status }) => status?.phase), ageColumn],
  configmaps: [nameColumn, column<ConfigMap>('Data', dataCount, 'integer'), ageColumn],
  secrets: [
    nameColumn,
    column<Secret>('Type', ({ type }) => type),
    column<Secret>('Data', ({ data }) => Object.keys(data ?? {}).length, 'integer'),
    ageColumn,
  ],
  serviceaccounts: [
    nameColumn,
    column<ServiceAccount>('Secrets', ({ secrets }) => secrets?.length ?? 0, 'integer'),
    ageColumn,
  ],
  'leases.coordination.k8s.io': [nameColumn, column<Lease>('Holder', ({ spec }) => spec?.holderIdentity), ageColumn],
  'runtimeclasses.node.k8s.io': [nameColumn, column<RuntimeClass>('Handler', ({ handler }) => handler), ageColumn],
  'csinodes.storage.k8s.io': [
    nameColumn,
    column<CSINode>('Drivers', ({ spec }) => spec.drivers.length, 'integer'),
    ageColumn,
  ],
  'csidrivers.storage.k8s.io': [
    nameColumn,
    column<CSIDriver>('AttachRequired', ({ spec }) => booleanText(spec.attachRequired ?? true)),
    column<CSIDriver>('PodInfoOnMount', ({ spec }) => booleanText(spec.podInfoOnMount)),
    column<CSIDriver>('StorageCapacity', ({ spec }) => booleanText(spec.storageCapacity)),
    column<CSIDriver>('Modes', ({ spec }) => (spec.volumeLifecycleModes ?? ['Persistent']).join(',')),
    ageColumn,
  ],
  'volumeattachments.storage.k8s.io': [
    nameColumn,
    column<VolumeAttachment>('Attacher', ({ spec }) => spec.attacher),
    column<VolumeAttachment>('PV', ({ spec }) => spec.source.persistentVolumeName),
    column<VolumeAttachment>('Node', ({ spec }) => spec.nodeName),
    column<VolumeAttachment>('Attached', ({ status }) => booleanText(status?.attached)),
    ageColumn,
  ],
};
const DEFAULT: readonly Column[] = [nameColumn, ageColumn];

/** Returns the columns of a resource, with the names and the order of Kubernetes. */
export function columnsOf(type: ResourceType): readonly Column[] {
  return KINDS[qualifiedName(type)] ?? DEFAULT;
}
