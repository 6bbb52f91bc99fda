// Generated from Kubernetes 1.36.2 by tools/generate/kube-api; do not edit.

import type { ObjectTable } from '../field-table.ts';
import type { TypeName } from './type-name.ts';

/** The values of the enums, which several fields share. */
const enums = {
  KeyUsage: [
    'any',
    'cert sign',
    'client auth',
    'code signing',
    'content commitment',
    'crl sign',
    'data encipherment',
    'decipher only',
    'digital signature',
    'email protection',
    'encipher only',
    'ipsec end system',
    'ipsec tunnel',
    'ipsec user',
    'key agreement',
    'key encipherment',
    'microsoft sgc',
    'netscape sgc',
    'ocsp signing',
    's/mime',
    'server auth',
    'signing',
    'timestamping',
  ],
  AppArmorProfileType: ['Localhost', 'RuntimeDefault', 'Unconfined'],
  AzureDataDiskCachingMode: ['None', 'ReadOnly', 'ReadWrite'],
  AzureDataDiskKind: ['Dedicated', 'Managed', 'Shared'],
  ClaimResourceStatus: [
    'ControllerResizeInProgress',
    'ControllerResizeInfeasible',
    'NodeResizeInProgress',
    'NodeResizeInfeasible',
    'NodeResizePending',
  ],
  DNSPolicy: ['ClusterFirst', 'ClusterFirstWithHostNet', 'Default', 'None'],
  HostPathType: ['', 'BlockDevice', 'CharDevice', 'Directory', 'DirectoryOrCreate', 'File', 'FileOrCreate', 'Socket'],
  IPFamily: ['', 'IPv4', 'IPv6'],
  IPFamilyPolicy: ['PreferDualStack', 'RequireDualStack', 'SingleStack'],
  MountPropagationMode: ['Bidirectional', 'HostToContainer', 'None'],
  NamespacePhase: ['Active', 'Terminating'],
  NodeInclusionPolicy: ['Honor', 'Ignore'],
  NodePhase: ['Pending', 'Running', 'Terminated'],
  NodeSelectorOperator: ['DoesNotExist', 'Exists', 'Gt', 'In', 'Lt', 'NotIn'],
  PersistentVolumeAccessMode: ['ReadOnlyMany', 'ReadWriteMany', 'ReadWriteOnce', 'ReadWriteOncePod'],
  PersistentVolumeClaimModifyVolumeStatus: ['InProgress', 'Infeasible', 'Pending'],
  PersistentVolumeClaimPhase: ['Bound', 'Lost', 'Pending'],
  PersistentVolumeMode: ['Block', 'Filesystem'],
  PersistentVolumePhase: ['Available', 'Bound', 'Failed', 'Pending', 'Released'],
  PersistentVolumeReclaimPolicy: ['Delete', 'Recycle', 'Retain'],
  PodFSGroupChangePolicy: ['Always', 'OnRootMismatch'],
  PodPhase: ['Failed', 'Pending', 'Running', 'Succeeded', 'Unknown'],
  PodQOSClass: ['BestEffort', 'Burstable', 'Guaranteed'],
  PreemptionPolicy: ['Never', 'PreemptLowerPriority'],
  ProcMountType: ['Default', 'Unmasked'],
  Protocol: ['SCTP', 'TCP', 'UDP'],
  PullPolicy: ['Always', 'IfNotPresent', 'Never'],
  RestartPolicy: ['Always', 'Never', 'OnFailure'],
  SeccompProfileType: ['Localhost', 'RuntimeDefault', 'Unconfined'],
  ServiceAffinity: ['ClientIP', 'None'],
  ServiceExternalTrafficPolicy: ['Cluster', 'Local'],
  ServiceInternalTrafficPolicy: ['Cluster', 'Local'],
  ServiceType: ['ClusterIP', 'ExternalName', 'LoadBalancer', 'NodePort'],
  Signal: [
    'SIGABRT',
    'SIGALRM',
    'SIGBUS',
    'SIGCHLD',
    'SIGCLD',
    'SIGCONT',
    'SIGFPE',
    'SIGHUP',
    'SIGILL',
    'SIGINT',
    'SIGIO',
    'SIGIOT',
    'SIGKILL',
    'SIGPIPE',
    'SIGPOLL',
    'SIGPROF',
    'SIGPWR',
    'SIGQUIT',
    'SIGRTMAX',
    'SIGRTMAX-1',
    'SIGRTMAX-10',
    'SIGRTMAX-11',
    'SIGRTMAX-12',
    'SIGRTMAX-13',
    'SIGRTMAX-14',
    'SIGRTMAX-2',
    'SIGRTMAX-3',
    'SIGRTMAX-4',
    'SIGRTMAX-5',
    'SIGRTMAX-6',
    'SIGRTMAX-7',
    'SIGRTMAX-8',
    'SIGRTMAX-9',
    'SIGRTMIN',
    'SIGRTMIN+1',
    'SIGRTMIN+10',
    'SIGRTMIN+11',
    'SIGRTMIN+12',
    'SIGRTMIN+13',
    'SIGRTMIN+14',
    'SIGRTMIN+15',
    'SIGRTMIN+2',
    'SIGRTMIN+3',
    'SIGRTMIN+4',
    'SIGRTMIN+5',
    'SIGRTMIN+6',
    'SIGRTMIN+7',
    'SIGRTMIN+8',
    'SIGRTMIN+9',
    'SIGSEGV',
    'SIGSTKFLT',
    'SIGSTOP',
    'SIGSYS',
    'SIGTERM',
    'SIGTRAP',
    'SIGTSTP',
    'SIGTTIN',
    'SIGTTOU',
    'SIGURG',
    'SIGUSR1',
    'SIGUSR2',
    'SIGVTALRM',
    'SIGWINCH',
    'SIGXCPU',
    'SIGXFSZ',
  ],
  SupplementalGroupsPolicy: ['Merge', 'Strict'],
  TaintEffect: ['NoExecute', 'NoSchedule', 'PreferNoSchedule'],
  TerminationMessagePolicy: ['FallbackToLogsOnError', 'File'],
  TolerationOperator: ['Equal', 'Exists', 'Gt', 'Lt'],
  URIScheme: ['HTTP', 'HTTPS'],
  UnsatisfiableConstraintAction: ['DoNotSchedule', 'ScheduleAnyway'],
  AllocationConfigSource: ['FromClaim', 'FromClass'],
  DeviceAllocationMode: ['All', 'ExactCount'],
  DeviceTaintEffect: ['NoExecute', 'NoSchedule', 'None'],
  DeviceTolerationOperator: ['Equal', 'Exists'],
} as const;

/** The table of each object type, by schema name. */
export const tables: Readonly<Record<TypeName, ObjectTable>> = {
  'io.k8s.api.authentication.v1.BoundObjectReference': {
    fields: {
      apiVersion: { type: 'string' },
      kind: { type: 'string' },
      name: { type: 'string' },
      uid: { type: 'string' },
    },
  },
  'io.k8s.api.authentication.v1.TokenRequest': {
    kinds: [{ apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest' }],
    fields: {
      apiVersion: { type: 'string' },
      kind: { type: 'string' },
      metadata: { type: 'object-ref', ref: 'io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta' },
      spec: { type: 'object-ref', ref: 'io.k8s.api.authentication.v1.TokenRequestSpec' },
      status: { type: 'object-ref', ref: 'io.k8s.api.authentication.v1.TokenRequestStatus' },
    },
  },
  'io.k8s.api.authentication.v1.TokenRequestSpec': {
    fields: {
      audiences: { type: 'array', items: { type: 'string' } },
      boundObjectRef: { type: 'object-ref', ref: 'io.k8s.api.authentication.v1.BoundObjectReference' },
      expirationSeconds: { type: 'integer', format: 'int64' },
    },
  },
  'io.k8s.api.authentication.v1.TokenRequestStatus': {
    fields: {
      expirationTimestamp: { type: 'date-time' },
      token: { type: 'string', default: '' },
    },
  },
  'io.k8s.api.authentication.v1.TokenReview': {
    kinds: [{ apiVersion: 'authentication.k8s.io/v1', kind: 'TokenReview' }],
    fields: {
      apiVersion: { type: 'string' },
      kind: { type: 'string' },
      metadata: { type: 'object-ref', ref: 'io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta' },
      spec: { type: 'object-ref', ref: 'io.k8s.api.authentication.v1.TokenReviewSpec', required: true },
      status: { type: 'object-ref', ref: 'io.k8s.api.authentication.v1.TokenReviewStatus' },
    },
  },
  'io.k8s.api.authentication.v1.TokenReviewSpec': {
    fields: {
      audiences: { type: 'array', items: { type: 'string' } },
      token: { type: 'string', required: true },
    },
  },
  'io.k8s.api.authentication.v1.TokenReviewStatus': {
    fields: {
      audiences: { type: 'array', items: { type: 'string' } },
      authenticated: { type: 'boolean' },
      error: { type: 'string' },
      user: { type: 'object-ref', ref: 'io.k8s.api.authentication.v1.UserInfo' },
    },
  },
  'io.k8s.api.authentication.v1.UserInfo': {
    fields: {
      extra: { type: 'map', items: { type: 'array', items: { type: 'string' } } },
      groups: { type: 'array', items: { type: 'string' } },
      uid: { type: 'string' },
      username: { type: 'string' },
    },
  },
  'io.k8s.api.authorization.v1.FieldSelectorAttributes': {
    fields: {
      rawSelector: { type: 'string' },
      requirements: { type: 'array', items: { type: 'object-ref', ref: 'io.k8s.apimachinery.pkg.apis.meta.v1.FieldSelectorRequirement' } },
    },
  },
  'io.k8s.api.authorization.v1.LabelSelectorAttributes': {
    fields: {
      rawSelector: { type: 'string' },
      requirements: { type: 'array', items: { type: 'object-ref', ref: 'io.k8s.apimachinery.pkg.apis.meta.v1.LabelSelectorRequirement' } },
    },
  },
  'io.k8s.api.authorization.v1.NonResourceAttributes': {
    fields: {
      path: { type: 'string' },
      verb: { type: 'string' },
    },
  },
  'io.k8s.api.authorization.v1.ResourceAttributes': {
    fields: {
      fieldSelector: { type: 'object-ref', ref: 'io.k8s.api.authorization.v1.FieldSelectorAttributes' },
      group: { type: 'string' },
      labelSelector: { type: 'object-ref', ref: 'io.k8s.api.authorization.v1.LabelSelectorAttributes' },
      name: { type: 'string' },
      namespace: { type: 'string' },
      resource: { type: 'string' },
      subresource: { type: 'string' },
      verb: { type: 'string' },
      version: { type: 'string' },
    },
  },
  'io.k8s.api.authorization.v1.SubjectAccessReview': {
    kinds: [{ apiVersion: 'authorization.k8s.io/v1', kind: 'SubjectAccessReview' }],
    fields: {
      apiVersion: { type: 'string' },
      kind: { type: 'string' },
      metadata: { type: 'object-ref', ref: 'io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta' },
      spec: { type: 'object-ref', ref: 'io.k8s.api.authorization.v1.SubjectAccessReviewSpec', required: true },
      status: { type: 'object-ref', ref: 'io.k8s.api.authorization.v1.SubjectAccessReviewStatus' },
    },
  },
  'io.k8s.api.authorization.v1.SubjectAccessReviewSpec': {
    fields: {
      extra: { type: 'map', items: { type: 'array', items: { type: 'string' } } },
      groups: { type: 'array', items: { type: 'string' } },
      nonResourceAttributes: { type: 'object-ref', ref: 'io.k8s.api.authorization.v1.NonResourceAttributes' },
      resourceAttributes: { type: 'object-ref', ref: 'io.k8s.api.authorization.v1.ResourceAttributes' },
      uid: { type: 'string' },
      user: { type: 'string' },
    },
  },
  'io.k8s.api.authorization.v1.SubjectAccessReviewStatus': {
    fields: {
      allowed: { type: 'boolean', required: true, default: false },
      denied: { type: 'boolean' },
      evaluationError: { type: 'string' },
      reason: { type: 'string' },
    },
  },
  'io.k8s.api.certificates.v1.CertificateSigningRequest': {
    kinds: [{ apiVersion: 'certificates.k8s.io/v1', kind: 'CertificateSigningRequest' }],
    fields: {
      apiVersion: { type: 'string' },
      kind: { type: 'string' },
      metadata: { type: 'object-ref', ref: 'io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta' },
      spec: { type: 'object-ref', ref: 'io.k8s.api.certificates.v1.CertificateSigningRequestSpec', required: true },
      status: { type: 'object-ref', ref: 'io.k8s.api.certificates.v1.CertificateSigningRequestStatus' },
    },
  },
  'io.k8s.api.certificates.v1.CertificateSigningRequestCondition': {
    fields: {
      lastTransitionTime: { type: 'date-time' },
      lastUpdateTime: { type: 'date-time' },
      message: { type: 'string' },
      reason: { type: 'string' },
      status: { type: 'string', required: true, default: '' },
      type: { type: 'string', required: true, default: '' },
    },
  },
  'io.k8s.api.certificates.v1.CertificateSigningRequestSpec': {
    fields: {
      expirationSeconds: { type: 'integer', format: 'int32' },
      extra: { type: 'map', items: { type: 'array', items: { type: 'string' } } },
      groups: { type: 'array', items: { type: 'string' } },
      request: { type: 'string', format: 'byte', required: true },
      signerName: { type: 'string', required: true, default: '' },
      uid: { type: 'string' },
      usages: { type: 'array', items: { type: 'string', enum: enums.KeyUsage } },
      username: { type: 'string' },
    },
  },
  'io.k8s.api.certificates.v1.CertificateSigningRequestStatus': {
    fields: {
      certificate: { type: 'string', format: 'byte' },
      conditions: { type: 'array', items: { type: 'object-ref', ref: 'io.k8s.api.certificates.v1.CertificateSigningRequestCondition' }, listType: 'map', listMapKeys: ['type'] },
    },
  },
  'io.k8s.api.coordination.v1.Lease': {
    kinds: [{ apiVersion: 'coordination.k8s.io/v1', kind: 'Lease' }],
    fields: {
      apiVersion: { type: 'string' },
      kind: { type: 'string' },
      metadata: { type: 'object-ref', ref: 'io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta' },
      spec: { type: 'object-ref', ref: 'io.k8s.api.coordination.v1.LeaseSpec' },
    },
  },
  'io.k8s.api.coordination.v1.LeaseList': {
    kinds: [{ apiVersion: 'coordination.k8s.io/v1', kind: 'LeaseList' }],
    fields: {
      apiVersion: { type: 'string' },
      items: { type: 'array', items: { type: 'object-ref', ref: 'io.k8s.api.coordination.v1.Lease' }, required: true },
      kind: { type: 'string' },
      metadata: { type: 'object-ref', ref: 'io.k8s.apimachinery.pkg.apis.meta.v1.ListMeta' },
    },
  },
  'io.k8s.api.coordination.v1.LeaseSpec': {
    fields: {
      acquireTime: { type: 'date-time', format: 'micro-time' },
      holderIdentity: { type: 'string' },
      leaseDurationSeconds: { type: 'integer', format: 'int32' },
      leaseTransitions: { type: 'integer', format: 'int32' },
      preferredHolder: { type: 'string' },
      renewTime: { type: 'date-time', format: 'micro-time' },
      strategy: { type: 'string' },
    },
  },
  'io.k8s.api.core.v1.AWSElasticBlockStoreVolumeSource': {
    fields: {
      fsType: { type: 'string' },
      partition: { type: 'integer', format: 'int32' },
      readOnly: { type: 'boolean' },
      volumeID: { type: 'string', required: true, default: '' },
    },
  },
  'io.k8s.api.core.v1.Affinity': {
    fields: {
      nodeAffinity: { type: 'object-ref', ref: 'io.k8s.api.core.v1.NodeAffinity' },
      podAffinity: { type: 'object-ref', ref: 'io.k8s.api.core.v1.PodAffinity' },
      podAntiAffinity: { type: 'object-ref', ref: 'io.k8s.api.core.v1.PodAntiAffinity' },
    },
  },
  'io.k8s.api.core.v1.AppArmorProfile': {
    fields: {
      localhostProfile: { type: 'string' },
      type: { type: 'string', enum: enums.AppArmorProfileType, required: true, default: '' },
    },
  },
  'io.k8s.api.core.v1.AttachedVolume': {
    fields: {
      devicePath: { type: 'string', required: true, default: '' },
      name: { type: 'string', required: true, default: '' },
    },
  },
  'io.k8s.api.core.v1.AzureDiskVolumeSource': {
    fields: {
      cachingMode: { type: 'string', enum: enums.AzureDataDiskCachingMode, default: 'ReadWrite' },
      diskName: { type: 'string', required: true, default: '' },
      diskURI: { type: 'string', required: true, default: '' },
      fsType: { type: 'string', default: 'ext4' },
      kind: { type: 'string', enum: enums.AzureDataDiskKind, default: 'Shared' },
      readOnly: { type: 'boolean', default: false },
    },
  },
  'io.k8s.api.core.v1.AzureFilePersistentVolumeSource': {
    fields: {
      readOnly: { type: 'boolean' },
      secretName: { type: 'string', required: true, default: '' },
      secretNamespace: { type: 'string' },
      shareName: { type: 'string', required: true, default: '' },
    },
  },
  'io.k8s.api.core.v1.AzureFileVolumeSource': {
    fields: {
      readOnly: { type: 'boolean' },
      secretName: { type: 'string', required: true, default: '' },
      shareName: { type: 'string', required: true, default: '' },
    },
  },
  'io.k8s.api.core.v1.Binding': {
    kinds: [{ apiVersion: 'v1', kind: 'Binding' }],
    fields: {
      apiVersion: { type: 'string' },
      kind: { type: 'string' },
      metadata: { type: 'object-ref', ref: 'io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta' },
      target: { type: 'object-ref', ref: 'io.k8s.api.core.v1.ObjectReference', required: true },
    },
  },
  'io.k8s.api.core.v1.CSIPersistentVolumeSource': {
    fields: {
      controllerExpandSecretRef: { type: 'object-ref', ref: 'io.k8s.api.core.v1.SecretReference' },
      controllerPublishSecretRef: { type: 'object-ref', ref: 'io.k8s.api.core.v1.SecretReference' },
      driver: { type: 'string', required: true, default: '' },
      fsType: { type: 'string' },
      nodeExpandSecretRef: { type: 'object-ref', ref: 'io.k8s.api.core.v1.SecretReference' },
      nodePublishSecretRef: { type: 'object-ref', ref: 'io.k8s.api.core.v1.SecretReference' },
      nodeStageSecretRef: { type: 'object-ref', ref: 'io.k8s.api.core.v1.SecretReference' },
      readOnly: { type: 'boolean' },
      volumeAttributes: { type: 'map', items: { type: 'string' } },
      volumeHandle: { type: 'string', required: true, default: '' },
    },
  },
  'io.k8s.api.core.v1.CSIVolumeSource': {
    fields: {
      driver: { type: 'string', required: true, default: '' },
      fsType: { type: 'string' },
      nodePublishSecretRef: { type: 'object-ref', ref: 'io.k8s.api.core.v1.LocalObjectReference' },
      readOnly: { type: 'boolean' },
      volumeAttributes: { type: 'map', items: { type: 'string' } },
    },
  },
  'io.k8s.api.core.v1.Capabilities': {
    fields: {
      add: { type: 'array', items: { type: 'string' } },
      drop: { type: 'array', items: { type: 'string' } },
    },
  },
  'io.k8s.api.core.v1.CephFSPersistentVolumeSource': {
    fields: {
      monitors: { type: 'array', items: { type: 'string' }, required: true },
      path: { type: 'string' },
      readOnly: { type: 'boolean' },
      secretFile: { type: 'string' },
      secretRef: { type: 'object-ref', ref: 'io.k8s.api.core.v1.SecretReference' },
      user: { type: 'string' },
    },
  },
  'io.k8s.api.core.v1.CephFSVolumeSource': {
    fields: {
      monitors: { type: 'array', items: { type: 'string' }, required: true },
      path: { type: 'string' },
      readOnly: { type: 'boolean' },
      secretFile: { type: 'string' },
      secretRef: { type: 'object-ref', ref: 'io.k8s.api.core.v1.LocalObjectReference' },
      user: { type: 'string' },
    },
  },
  'io.k8s.api.core.v1.CinderPersistentVolumeSource': {
    fields: {
      fsType: { type: 'string' },
      readOnly: { type: 'boolean' },
      secretRef: { type: 'object-ref', ref: 'io.k8s.api.core.v1.SecretReference' },
      volumeID: { type: 'string', required: true, default: '' },
    },
  },
  'io.k8s.api.core.v1.CinderVolumeSource': {
    fields: {
      fsType: { type: 'string' },
      readOnly: { type: 'boolean' },
      secretRef: { type: 'object-ref', ref: 'io.k8s.api.core.v1.LocalObjectReference' },
      volumeID: { type: 'string', required: true, default: '' },
    },
  },
  'io.k8s.api.core.v1.ClientIPConfig': {
    fields: {
      timeoutSeconds: { type: 'integer', format: 'int32' },
    },
  },
  'io.k8s.api.core.v1.ClusterTrustBundleProjection': {
    fields: {
      labelSelector: { type: 'object-ref', ref: 'io.k8s.apimachinery.pkg.apis.meta.v1.LabelSelector' },
      name: { type: 'string' },
      optional: { type: 'boolean' },
      path: { type: 'string', required: true, default: '' },
      signerName: { type: 'string' },
    },
  },
  'io.k8s.api.core.v1.ConfigMap': {
    kinds: [{ apiVersion: 'v1', kind: 'ConfigMap' }],
    fields: {
      apiVersion: { type: 'string' },
      binaryData: { type: 'map', items: { type: 'string', format: 'byte' } },
      data: { type: 'map', items: { type: 'string' } },
      immutable: { type: 'boolean' },
      kind: { type: 'string' },
      metadata: { type: 'object-ref', ref: 'io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta' },
    },
  },
  'io.k8s.api.core.v1.ConfigMapEnvSource': {
    fields: {
      name: { type: 'string', default: '' },
      optional: { type: 'boolean' },
    },
  },
  'io.k8s.api.core.v1.ConfigMapKeySelector': {
    fields: {
      key: { type: 'string', required: true, default: '' },
      name: { type: 'string', default: '' },
      optional: { type: 'boolean' },
    },
  },
  'io.k8s.api.core.v1.ConfigMapNodeConfigSource': {
    fields: {
      kubeletConfigKey: { type: 'string', required: true, default: '' },
      name: { type: 'string', required: true, default: '' },
      namespace: { type: 'string', required: true, default: '' },
      resourceVersion: { type: 'string' },
      uid: { type: 'string' },
    },
  },
  'io.k8s.api.core.v1.ConfigMapProjection': {
    fields: {
      items: { type: 'array', items: { type: 'object-ref', ref: 'io.k8s.api.core.v1.KeyToPath' } },
      name: { type: 'string', default: '' },
      optional: { type: 'boolean' },
    },
  },
  'io.k8s.api.core.v1.ConfigMapVolumeSource': {
    fields: {
      defaultMode: { type: 'integer', format: 'int32' },
      items: { type: 'array', items: { type: 'object-ref', ref: 'io.k8s.api.core.v1.KeyToPath' } },
      name: { type: 'string', default: '' },
      optional: { type: 'boolean' },
    },
  },
  'io.k8s.api.core.v1.Container': {
    fields: {
      args: { type: 'array', items: { type: 'string' } },
      command: { type: 'array', items: { type: 'string' } },
      env: { type: 'array', items: { type: 'object-ref', ref: 'io.k8s.api.core.v1.EnvVar' }, listType: 'map', listMapKeys: ['name'], patchStrategies: ['merge'], patchMergeKey: 'name' },
      envFrom: { type: 'array', items: { type: 'object-ref', ref: 'io.k8s.api.core.v1.EnvFromSource' } },
      image: { type: 'string' },
      imagePullPolicy: { type: 'string', enum: enums.PullPolicy },
      lifecycle: { type: 'object-ref', ref: 'io.k8s.api.core.v1.Lifecycle' },
      livenessProbe: { type: 'object-ref', ref: 'io.k8s.api.core.v1.Probe' },
      name: { type: 'string', required: true, default: '' },
      ports: { type: 'array', items: { type: 'object-ref', ref: 'io.k8s.api.core.v1.ContainerPort' }, listType: 'map', listMapKeys: ['containerPort', 'protocol'], patchStrategies: ['merge'], patchMergeKey: 'containerPort' },
      readinessProbe: { type: 'object-ref', ref: 'io.k8s.api.core.v1.Probe' },
      resizePolicy: { type: 'array', items: { type: 'object-ref', ref: 'io.k8s.api.core.v1.ContainerResizePolicy' } },
      resources: { type: 'object-ref', ref: 'io.k8s.api.core.v1.ResourceRequirements' },
      restartPolicy: { type: 'string' },
      restartPolicyRules: { type: 'array', items: { type: 'object-ref', ref: 'io.k8s.api.core.v1.ContainerRestartRule' } },
      securityContext: { type: 'object-ref', ref: 'io.k8s.api.core.v1.SecurityContext' },
      startupProbe: { type: 'object-ref', ref: 'io.k8s.api.core.v1.Probe' },
      stdin: { type: 'boolean' },
      stdinOnce: { type: 'boolean' },
      terminationMessagePath: { type: 'string' },
      terminationMessagePolicy: { type: 'string', enum: enums.TerminationMessagePolicy },
      tty: { type: 'boolean' },
      volumeDevices: { type: 'array', items: { type: 'object-ref', ref: 'io.k8s.api.core.v1.VolumeDevice' }, listType: 'map', listMapKeys: ['devicePath'], patchStrategies: ['merge'], patchMergeKey: 'devicePath' },
      volumeMounts: { type: 'array', items: { type: 'object-ref', ref: 'io.k8s.api.core.v1.VolumeMount' }, listType: 'map', listMapKeys: ['mountPath'], patchStrategies: ['merge'], patchMergeKey: 'mountPath' },
      workingDir: { type: 'string' },
    },
  },
  'io.k8s.api.core.v1.ContainerExtendedResourceRequest': {
    fields: {
      containerName: { type: 'string', required: true, default: '' },
      requestName: { type: 'string', required: true, default: '' },
      resourceName: { type: 'string', required: true, default: '' },
    },
  },
  'io.k8s.api.core.v1.ContainerImage': {
    fields: {
      names: { type: 'array', items: { type: 'string' } },
      sizeBytes: { type: 'integer', format: 'int64' },
    },
  },
  'io.k8s.api.core.v1.ContainerPort': {
    fields: {
      containerPort: { type: 'integer', format: 'int32', required: true, default: 0 },
      hostIP: { type: 'string' },
      hostPort: { type: 'integer', format: 'int32' },
      name: { type: 'string' },
      protocol: { type: 'string', enum: enums.Protocol, default: 'TCP' },
    },
  },
  'io.k8s.api.core.v1.ContainerResizePolicy': {
    fields: {
      resourceName: { type: 'string', required: true, default: '' },
      restartPolicy: { type: 'string', required: true, default: '' },
    },
  },
  'io.k8s.api.core.v1.ContainerRestartRule': {
    fields: {
      action: { type: 'string', required: true },
      exitCodes: { type: 'object-ref', ref: 'io.k8s.api.core.v1.ContainerRestartRuleOnExitCodes' },
    },
  },
  'io.k8s.api.core.v1.ContainerRestartRuleOnExitCodes': {
    fields: {
      operator: { type: 'string', required: true },
      values: { type: 'array', items: { type: 'integer', format: 'int32' }, listType: 'set' },
    },
  },
  'io.k8s.api.core.v1.ContainerState': {
    fields: {
      running: { type: 'object-ref', ref: 'io.k8s.api.core.v1.ContainerStateRunning' },
      terminated: { type: 'object-ref', ref: 'io.k8s.api.core.v1.ContainerStateTerminated' },
      waiting: { type: 'object-ref', ref: 'io.k8s.api.core.v1.ContainerStateWaiting' },
    },
  },
  'io.k8s.api.core.v1.ContainerStateRunning': {
    fields: {
      startedAt: { type: 'date-time' },
    },
  },
  'io.k8s.api.core.v1.ContainerStateTerminated': {
    fields: {
      containerID: { type: 'string' },
      exitCode: { type: 'integer', format: 'int32', required: true, default: 0 },
      finishedAt: { type: 'date-time' },
      message: { type: 'string' },
      reason: { type: 'string' },
      signal: { type: 'integer', format: 'int32' },
      startedAt: { type: 'date-time' },
    },
  },
  'io.k8s.api.core.v1.ContainerStateWaiting': {
    fields: {
      message: { type: 'string' },
      reason: { type: 'string' },
    },
  },
  'io.k8s.api.core.v1.ContainerStatus': {
    fields: {
      allocatedResources: { type: 'map', items: { type: 'quantity' } },
      allocatedResourcesStatus: { type: 'array', items: { type: 'object-ref', ref: 'io.k8s.api.core.v1.ResourceStatus' }, listType: 'map', listMapKeys: ['name'], patchStrategies: ['merge'], patchMergeKey: 'name' },
      containerID: { type: 'string' },
      image: { type: 'string', required: true, default: '' },
      imageID: { type: 'string', required: true, default: '' },
      lastState: { type: 'object-ref', ref: 'io.k8s.api.core.v1.ContainerState' },
      name: { type: 'string', required: true, default: '' },
      ready: { type: 'boolean', required: true, default: false },
      resources: { type: 'object-ref', ref: 'io.k8s.api.core.v1.ResourceRequirements' },
      restartCount: { type: 'integer', format: 'int32', required: true, default: 0 },
      started: { type: 'boolean' },
      state: { type: 'object-ref', ref: 'io.k8s.api.core.v1.ContainerState' },
      stopSignal: { type: 'string', enum: enums.Signal },
      user: { type: 'object-ref', ref: 'io.k8s.api.core.v1.ContainerUser' },
      volumeMounts: { type: 'array', items: { type: 'object-ref', ref: 'io.k8s.api.core.v1.VolumeMountStatus' }, listType: 'map', listMapKeys: ['mountPath'], patchStrategies: ['merge'], patchMergeKey: 'mountPath' },
    },
  },
  'io.k8s.api.core.v1.ContainerUser': {
    fields: {
      linux: { type: 'object-ref', ref: 'io.k8s.api.core.v1.LinuxContainerUser' },
    },
  },
  'io.k8s.api.core.v1.DaemonEndpoint': {
    fields: {
      Port: { type: 'integer', format: 'int32', required: true, default: 0 },
    },
  },
  'io.k8s.api.core.v1.DownwardAPIProjection': {
    fields: {
      items: { type: 'array', items: { type: 'object-ref', ref: 'io.k8s.api.core.v1.DownwardAPIVolumeFile' } },
    },
  },
  'io.k8s.api.core.v1.DownwardAPIVolumeFile': {
    fields: {
      fieldRef: { type: 'object-ref', ref: 'io.k8s.api.core.v1.ObjectFieldSelector' },
      mode: { type: 'integer', format: 'int32' },
      path: { type: 'string', required: true, default: '' },
      resourceFieldRef: { type: 'object-ref', ref: 'io.k8s.api.core.v1.ResourceFieldSelector' },
    },
  },
  'io.k8s.api.core.v1.DownwardAPIVolumeSource': {
    fields: {
      defaultMode: { type: 'integer', format: 'int32' },
      items: { type: 'array', items: { type: 'object-ref', ref: 'io.k8s.api.core.v1.DownwardAPIVolumeFile' } },
    },
  },
  'io.k8s.api.core.v1.EmptyDirVolumeSource': {
    fields: {
      medium: { type: 'string' },
      sizeLimit: { type: 'quantity' },
    },
  },
  'io.k8s.api.core.v1.EnvFromSource': {
    fields: {
      configMapRef: { type: 'object-ref', ref: 'io.k8s.api.core.v1.ConfigMapEnvSource' },
      prefix: { type: 'string' },
      secretRef: { type: 'object-ref', ref: 'io.k8s.api.core.v1.SecretEnvSource' },
    },
  },
  'io.k8s.api.core.v1.EnvVar': {
    fields: {
      name: { type: 'string', required: true, default: '' },
      value: { type: 'string' },
      valueFrom: { type: 'object-ref', ref: 'io.k8s.api.core.v1.EnvVarSource' },
    },
  },
  'io.k8s.api.core.v1.EnvVarSource': {
    fields: {
      configMapKeyRef: { type: 'object-ref', ref: 'io.k8s.api.core.v1.ConfigMapKeySelector' },
      fieldRef: { type: 'object-ref', ref: 'io.k8s.api.core.v1.ObjectFieldSelector' },
      fileKeyRef: { type: 'object-ref', ref: 'io.k8s.api.core.v1.FileKeySelector' },
      resourceFieldRef: { type: 'object-ref', ref: 'io.k8s.api.core.v1.ResourceFieldSelector' },
      secretKeyRef: { type: 'object-ref', ref: 'io.k8s.api.core.v1.SecretKeySelector' },
    },
  },
  'io.k8s.api.core.v1.EphemeralContainer': {
    fields: {
      args: { type: 'array', items: { type: 'string' } },
      command: { type: 'array', items: { type: 'string' } },
      env: { type: 'array', items: { type: 'object-ref', ref: 'io.k8s.api.core.v1.EnvVar' }, listType: 'map', listMapKeys: ['name'], patchStrategies: ['merge'], patchMergeKey: 'name' },
      envFrom: { type: 'array', items: { type: 'object-ref', ref: 'io.k8s.api.core.v1.EnvFromSource' } },
      image: { type: 'string' },
      imagePullPolicy: { type: 'string', enum: enums.PullPolicy },
      lifecycle: { type: 'object-ref', ref: 'io.k8s.api.core.v1.Lifecycle' },
      livenessProbe: { type: 'object-ref', ref: 'io.k8s.api.core.v1.Probe' },
      name: { type: 'string', required: true, default: '' },
      ports: { type: 'array', items: { type: 'object-ref', ref: 'io.k8s.api.core.v1.ContainerPort' }, listType: 'map', listMapKeys: ['containerPort', 'protocol'], patchStrategies: ['merge'], patchMergeKey: 'containerPort' },
      readinessProbe: { type: 'object-ref', ref: 'io.k8s.api.core.v1.Probe' },
      resizePolicy: { type: 'array', items: { type: 'object-ref', ref: 'io.k8s.api.core.v1.ContainerResizePolicy' } },
      resources: { type: 'object-ref', ref: 'io.k8s.api.core.v1.ResourceRequirements' },
      restartPolicy: { type: 'string' },
      restartPolicyRules: { type: 'array', items: { type: 'object-ref', ref: 'io.k8s.api.core.v1.ContainerRestartRule' } },
      securityContext: { type: 'object-ref', ref: 'io.k8s.api.core.v1.SecurityContext' },
      startupProbe: { type: 'object-ref', ref: 'io.k8s.api.core.v1.Probe' },
      stdin: { type: 'boolean' },
      stdinOnce: { type: 'boolean' },
      targetContainerName: { type: 'string' },
      terminationMessagePath: { type: 'string' },
      terminationMessagePolicy: { type: 'string', enum: enums.TerminationMessagePolicy },
      tty: { type: 'boolean' },
      volumeDevices: { type: 'array', items: { type: 'object-ref', ref: 'io.k8s.api.core.v1.VolumeDevice' }, listType: 'map', listMapKeys: ['devicePath'], patchStrategies: ['merge'], patchMergeKey: 'devicePath' },
      volumeMounts: { type: 'array', items: { type: 'object-ref', ref: 'io.k8s.api.core.v1.VolumeMount' }, listType: 'map', listMapKeys: ['mountPath'], patchStrategies: ['merge'], patchMergeKey: 'mountPath' },
      workingDir: { type: 'string' },
    },
  },
  'io.k8s.api.core.v1.EphemeralVolumeSource': {
    fields: {
      volumeClaimTemplate: { type: 'object-ref', ref: 'io.k8s.api.core.v1.PersistentVolumeClaimTemplate' },
    },
  },
  'io.k8s.api.core.v1.Event': {
    kinds: [{ apiVersion: 'v1', kind: 'Event' }],
    fields: {
      action: { type: 'string' },
      apiVersion: { type: 'string' },
      count: { type: 'integer', format: 'int32' },
      eventTime: { type: 'date-time', format: 'micro-time' },
      firstTimestamp: { type: 'date-time' },
      involvedObject: { type: 'object-ref', ref: 'io.k8s.api.core.v1.ObjectReference', required: true },
      kind: { type: 'string' },
      lastTimestamp: { type: 'date-time' },
      message: { type: 'string' },
      metadata: { type: 'object-ref', ref: 'io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta', required: true },
      reason: { type: 'string' },
      related: { type: 'object-ref', ref: 'io.k8s.api.core.v1.ObjectReference' },
      reportingComponent: { type: 'string', default: '' },
      reportingInstance: { type: 'string', default: '' },
      series: { type: 'object-ref', ref: 'io.k8s.api.core.v1.EventSeries' },
      source: { type: 'object-ref', ref: 'io.k8s.api.core.v1.EventSource' },
      type: { type: 'string' },
    },
  },
  'io.k8s.api.core.v1.EventSeries': {
    fields: {
      count: { type: 'integer', format: 'int32' },
      lastObservedTime: { type: 'date-time', format: 'micro-time' },
    },
  },
  'io.k8s.api.core.v1.EventSource': {
    fields: {
      component: { type: 'string' },
      host: { type: 'string' },
    },
  },
  'io.k8s.api.core.v1.ExecAction': {
    fields: {
      command: { type: 'array', items: { type: 'string' } },
    },
  },
  'io.k8s.api.core.v1.FCVolumeSource': {
    fields: {
      fsType: { type: 'string' },
      lun: { type: 'integer', format: 'int32' },
      readOnly: { type: 'boolean' },
      targetWWNs: { type: 'array', items: { type: 'string' } },
      wwids: { type: 'array', items: { type: 'string' } },
    },
  },
  'io.k8s.api.core.v1.FileKeySelector': {
    fields: {
      key: { type: 'string', required: true, default: '' },
      optional: { type: 'boolean', default: false },
      path: { type: 'string', required: true, default: '' },
      volumeName: { type: 'string', required: true, default: '' },
    },
  },
  'io.k8s.api.core.v1.FlexPersistentVolumeSource': {
    fields: {
      driver: { type: 'string', required: true, default: '' },
      fsType: { type: 'string' },
      options: { type: 'map', items: { type: 'string' } },
      readOnly: { type: 'boolean' },
      secretRef: { type: 'object-ref', ref: 'io.k8s.api.core.v1.SecretReference' },
    },
  },
  'io.k8s.api.core.v1.FlexVolumeSource': {
    fields: {
      driver: { type: 'string', required: true, default: '' },
      fsType: { type: 'string' },
      options: { type: 'map', items: { type: 'string' } },
      readOnly: { type: 'boolean' },
      secretRef: { type: 'object-ref', ref: 'io.k8s.api.core.v1.LocalObjectReference' },
    },
  },
  'io.k8s.api.core.v1.FlockerVolumeSource': {
    fields: {
      datasetName: { type: 'string' },
      datasetUUID: { type: 'string' },
    },
  },
  'io.k8s.api.core.v1.GCEPersistentDiskVolumeSource': {
    fields: {
      fsType: { type: 'string' },
      partition: { type: 'integer', format: 'int32' },
      pdName: { type: 'string', required: true, default: '' },
      readOnly: { type: 'boolean' },
    },
  },
  'io.k8s.api.core.v1.GRPCAction': {
    fields: {
      port: { type: 'integer', format: 'int32', required: true, default: 0 },
      service: { type: 'string', default: '' },
    },
  },
  'io.k8s.api.core.v1.GitRepoVolumeSource': {
    fields: {
      directory: { type: 'string' },
      repository: { type: 'string', required: true, default: '' },
      revision: { type: 'string' },
    },
  },
  'io.k8s.api.core.v1.GlusterfsPersistentVolumeSource': {
    fields: {
      endpoints: { type: 'string', required: true, default: '' },
      endpointsNamespace: { type: 'string' },
      path: { type: 'string', required: true, default: '' },
      readOnly: { type: 'boolean' },
    },
  },
  'io.k8s.api.core.v1.GlusterfsVolumeSource': {
    fields: {
      endpoints: { type: 'string', required: true, default: '' },
      path: { type: 'string', required: true, default: '' },
      readOnly: { type: 'boolean' },
    },
  },
  'io.k8s.api.core.v1.HTTPGetAction': {
    fields: {
      host: { type: 'string' },
      httpHeaders: { type: 'array', items: { type: 'object-ref', ref: 'io.k8s.api.core.v1.HTTPHeader' } },
      path: { type: 'string' },
      port: { type: 'int-or-string', required: true },
      scheme: { type: 'string', enum: enums.URIScheme },
    },
  },
  'io.k8s.api.core.v1.HTTPHeader': {
    fields: {
      name: { type: 'string', required: true, default: '' },
      value: { type: 'string', required: true, default: '' },
    },
  },
  'io.k8s.api.core.v1.HostAlias': {
    fields: {
      hostnames: { type: 'array', items: { type: 'string' } },
      ip: { type: 'string', required: true, default: '' },
    },
  },
  'io.k8s.api.core.v1.HostIP': {
    fields: {
      ip: { type: 'string', required: true, default: '' },
    },
  },
  'io.k8s.api.core.v1.HostPathVolumeSource': {
    fields: {
      path: { type: 'string', required: true, default: '' },
      type: { type: 'string', enum: enums.HostPathType },
    },
  },
  'io.k8s.api.core.v1.ISCSIPersistentVolumeSource': {
    fields: {
      chapAuthDiscovery: { type: 'boolean' },
      chapAuthSession: { type: 'boolean' },
      fsType: { type: 'string' },
      initiatorName: { type: 'string' },
      iqn: { type: 'string', required: true, default: '' },
      iscsiInterface: { type: 'string', default: 'default' },
      lun: { type: 'integer', format: 'int32', required: true, default: 0 },
      portals: { type: 'array', items: { type: 'string' } },
      readOnly: { type: 'boolean' },
      secretRef: { type: 'object-ref', ref: 'io.k8s.api.core.v1.SecretReference' },
      targetPortal: { type: 'string', required: true, default: '' },
    },
  },
  'io.k8s.api.core.v1.ISCSIVolumeSource': {
    fields: {
      chapAuthDiscovery: { type: 'boolean' },
      chapAuthSession: { type: 'boolean' },
      fsType: { type: 'string' },
      initiatorName: { type: 'string' },
      iqn: { type: 'string', required: true, default: '' },
      iscsiInterface: { type: 'string', default: 'default' },
      lun: { type: 'integer', format: 'int32', required: true, default: 0 },
      portals: { type: 'array', items: { type: 'string' } },
      readOnly: { type: 'boolean' },
      secretRef: { type: 'object-ref', ref: 'io.k8s.api.core.v1.LocalObjectReference' },
      targetPortal: { type: 'string', required: true, default: '' },
    },
  },
  'io.k8s.api.core.v1.ImageVolumeSource': {
    fields: {
      pullPolicy: { type: 'string', enum: enums.PullPolicy },
      reference: { type: 'string' },
    },
  },
  'io.k8s.api.core.v1.ImageVolumeStatus': {
    fields: {
      imageRef: { type: 'string', required: true },
    },
  },
  'io.k8s.api.core.v1.KeyToPath': {
    fields: {
      key: { type: 'string', required: true, default: '' },
      mode: { type: 'integer', format: 'int32' },
      path: { type: 'string', required: true, default: '' },
    },
  },
  'io.k8s.api.core.v1.Lifecycle': {
    fields: {
      postStart: { type: 'object-ref', ref: 'io.k8s.api.core.v1.LifecycleHandler' },
      preStop: { type: 'object-ref', ref: 'io.k8s.api.core.v1.LifecycleHandler' },
      stopSignal: { type: 'string', enum: enums.Signal },
    },
  },
  'io.k8s.api.core.v1.LifecycleHandler': {
    fields: {
      exec: { type: 'object-ref', ref: 'io.k8s.api.core.v1.ExecAction' },
      httpGet: { type: 'object-ref', ref: 'io.k8s.api.core.v1.HTTPGetAction' },
      sleep: { type: 'object-ref', ref: 'io.k8s.api.core.v1.SleepAction' },
      tcpSocket: { type: 'object-ref', ref: 'io.k8s.api.core.v1.TCPSocketAction' },
    },
  },
  'io.k8s.api.core.v1.LinuxContainerUser': {
    fields: {
      gid: { type: 'integer', format: 'int64', required: true, default: 0 },
      supplementalGroups: { type: 'array', items: { type: 'integer', format: 'int64' } },
      uid: { type: 'integer', format: 'int64', required: true, default: 0 },
    },
  },
  'io.k8s.api.core.v1.LoadBalancerIngress': {
    fields: {
      hostname: { type: 'string' },
      ip: { type: 'string' },
      ipMode: { type: 'string' },
      ports: { type: 'array', items: { type: 'object-ref', ref: 'io.k8s.api.core.v1.PortStatus' } },
    },
  },
  'io.k8s.api.core.v1.LoadBalancerStatus': {
    fields: {
      ingress: { type: 'array', items: { type: 'object-ref', ref: 'io.k8s.api.core.v1.LoadBalancerIngress' } },
    },
  },
  'io.k8s.api.core.v1.LocalObjectReference': {
    fields: {
      name: { type: 'string', default: '' },
    },
  },
  'io.k8s.api.core.v1.LocalVolumeSource': {
    fields: {
      fsType: { type: 'string' },
      path: { type: 'string', required: true, default: '' },
    },
  },
  'io.k8s.api.core.v1.ModifyVolumeStatus': {
    fields: {
      status: { type: 'string', enum: enums.PersistentVolumeClaimModifyVolumeStatus, required: true, default: '' },
      targetVolumeAttributesClassName: { type: 'string' },
    },
  },
  'io.k8s.api.core.v1.NFSVolumeSource': {
    fields: {
      path: { type: 'string', required: true, default: '' },
      readOnly: { type: 'boolean' },
      server: { type: 'string', required: true, default: '' },
    },
  },
  'io.k8s.api.core.v1.Namespace': {
    kinds: [{ apiVersion: 'v1', kind: 'Namespace' }],
    fields: {
      apiVersion: { type: 'string' },
      kind: { type: 'string' },
      metadata: { type: 'object-ref', ref: 'io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta' },
      spec: { type: 'object-ref', ref: 'io.k8s.api.core.v1.NamespaceSpec' },
      status: { type: 'object-ref', ref: 'io.k8s.api.core.v1.NamespaceStatus' },
    },
  },
  'io.k8s.api.core.v1.NamespaceCondition': {
    fields: {
      lastTransitionTime: { type: 'date-time' },
      message: { type: 'string' },
      reason: { type: 'string' },
      status: { type: 'string', required: true, default: '' },
      type: { type: 'string', required: true, default: '' },
    },
  },
  'io.k8s.api.core.v1.NamespaceSpec': {
    fields: {
      finalizers: { type: 'array', items: { type: 'string' } },
    },
  },
  'io.k8s.api.core.v1.NamespaceStatus': {
    fields: {
      conditions: { type: 'array', items: { type: 'object-ref', ref: 'io.k8s.api.core.v1.NamespaceCondition' }, listType: 'map', listMapKeys: ['type'], patchStrategies: ['merge'], patchMergeKey: 'type' },
      phase: { type: 'string', enum: enums.NamespacePhase },
    },
  },
  'io.k8s.api.core.v1.Node': {
    kinds: [{ apiVersion: 'v1', kind: 'Node' }],
    fields: {
      apiVersion: { type: 'string' },
      kind: { type: 'string' },
      metadata: { type: 'object-ref', ref: 'io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta' },
      spec: { type: 'object-ref', ref: 'io.k8s.api.core.v1.NodeSpec' },
      status: { type: 'object-ref', ref: 'io.k8s.api.core.v1.NodeStatus' },
    },
  },
  'io.k8s.api.core.v1.NodeAddress': {
    fields: {
      address: { type: 'string', required: true, default: '' },
      type: { type: 'string', required: true, default: '' },
    },
  },
  'io.k8s.api.core.v1.NodeAffinity': {
    fields: {
      preferredDuringSchedulingIgnoredDuringExecution: { type: 'array', items: { type: 'object-ref', ref: 'io.k8s.api.core.v1.PreferredSchedulingTerm' } },
      requiredDuringSchedulingIgnoredDuringExecution: { type: 'object-ref', ref: 'io.k8s.api.core.v1.NodeSelector' },
    },
  },
  'io.k8s.api.core.v1.NodeAllocatableResourceClaimStatus': {
    fields: {
      containers: { type: 'array', items: { type: 'string' }, listType: 'set' },
      resourceClaimName: { type: 'string', required: true, default: '' },
      resources: { type: 'map', items: { type: 'quantity' }, required: true },
    },
  },
  'io.k8s.api.core.v1.NodeCondition': {
    fields: {
      lastHeartbeatTime: { type: 'date-time' },
      lastTransitionTime: { type: 'date-time' },
      message: { type: 'string' },
      reason: { type: 'string' },
      status: { type: 'string', required: true, default: '' },
      type: { type: 'string', required: true, default: '' },
    },
  },
  'io.k8s.api.core.v1.NodeConfigSource': {
    fields: {
      configMap: { type: 'object-ref', ref: 'io.k8s.api.core.v1.ConfigMapNodeConfigSource' },
    },
  },
  'io.k8s.api.core.v1.NodeConfigStatus': {
    fields: {
      active: { type: 'object-ref', ref: 'io.k8s.api.core.v1.NodeConfigSource' },
      assigned: { type: 'object-ref', ref: 'io.k8s.api.core.v1.NodeConfigSource' },
      error: { type: 'string' },
      lastKnownGood: { type: 'object-ref', ref: 'io.k8s.api.core.v1.NodeConfigSource' },
    },
  },
  'io.k8s.api.core.v1.NodeDaemonEndpoints': {
    fields: {
      kubeletEndpoint: { type: 'object-ref', ref: 'io.k8s.api.core.v1.DaemonEndpoint' },
    },
  },
  'io.k8s.api.core.v1.NodeFeatures': {
    fields: {
      supplementalGroupsPolicy: { type: 'boolean' },
    },
  },
  'io.k8s.api.core.v1.NodeList': {
    kinds: [{ apiVersion: 'v1', kind: 'NodeList' }],
    fields: {
      apiVersion: { type: 'string' },
      items: { type: 'array', items: { type: 'object-ref', ref: 'io.k8s.api.core.v1.Node' }, required: true },
      kind: { type: 'string' },
      metadata: { type: 'object-ref', ref: 'io.k8s.apimachinery.pkg.apis.meta.v1.ListMeta' },
    },
  },
  'io.k8s.api.core.v1.NodeRuntimeHandler': {
    fields: {
      features: { type: 'object-ref', ref: 'io.k8s.api.core.v1.NodeRuntimeHandlerFeatures' },
      name: { type: 'string', default: '' },
    },
  },
  'io.k8s.api.core.v1.NodeRuntimeHandlerFeatures': {
    fields: {
      recursiveReadOnlyMounts: { type: 'boolean' },
      userNamespaces: { type: 'boolean' },
    },
  },
  'io.k8s.api.core.v1.NodeSelector': {
    fields: {
      nodeSelectorTerms: { type: 'array', items: { type: 'object-ref', ref: 'io.k8s.api.core.v1.NodeSelectorTerm' }, required: true },
    },
  },
  'io.k8s.api.core.v1.NodeSelectorRequirement': {
    fields: {
      key: { type: 'string', required: true, default: '' },
      operator: { type: 'string', enum: enums.NodeSelectorOperator, required: true, default: '' },
      values: { type: 'array', items: { type: 'string' } },
    },
  },
  'io.k8s.api.core.v1.NodeSelectorTerm': {
    fields: {
      matchExpressions: { type: 'array', items: { type: 'object-ref', ref: 'io.k8s.api.core.v1.NodeSelectorRequirement' } },
      matchFields: { type: 'array', items: { type: 'object-ref', ref: 'io.k8s.api.core.v1.NodeSelectorRequirement' } },
    },
  },
  'io.k8s.api.core.v1.NodeSpec': {
    fields: {
      configSource: { type: 'object-ref', ref: 'io.k8s.api.core.v1.NodeConfigSource' },
      externalID: { type: 'string' },
      podCIDR: { type: 'string' },
      podCIDRs: { type: 'array', items: { type: 'string' }, listType: 'set', patchStrategies: ['merge'] },
      providerID: { type: 'string' },
      taints: { type: 'array', items: { type: 'object-ref', ref: 'io.k8s.api.core.v1.Taint' } },
      unschedulable: { type: 'boolean' },
    },
  },
  'io.k8s.api.core.v1.NodeStatus': {
    fields: {
      addresses: { type: 'array', items: { type: 'object-ref', ref: 'io.k8s.api.core.v1.NodeAddress' }, listType: 'map', listMapKeys: ['type'], patchStrategies: ['merge'], patchMergeKey: 'type' },
      allocatable: { type: 'map', items: { type: 'quantity' } },
      capacity: { type: 'map', items: { type: 'quantity' } },
      conditions: { type: 'array', items: { type: 'object-ref', ref: 'io.k8s.api.core.v1.NodeCondition' }, listType: 'map', listMapKeys: ['type'], patchStrategies: ['merge'], patchMergeKey: 'type' },
      config: { type: 'object-ref', ref: 'io.k8s.api.core.v1.NodeConfigStatus' },
      daemonEndpoints: { type: 'object-ref', ref: 'io.k8s.api.core.v1.NodeDaemonEndpoints' },
      declaredFeatures: { type: 'array', items: { type: 'string' } },
      features: { type: 'object-ref', ref: 'io.k8s.api.core.v1.NodeFeatures' },
      images: { type: 'array', items: { type: 'object-ref', ref: 'io.k8s.api.core.v1.ContainerImage' } },
      nodeInfo: { type: 'object-ref', ref: 'io.k8s.api.core.v1.NodeSystemInfo' },
      phase: { type: 'string', enum: enums.NodePhase },
      runtimeHandlers: { type: 'array', items: { type: 'object-ref', ref: 'io.k8s.api.core.v1.NodeRuntimeHandler' } },
      volumesAttached: { type: 'array', items: { type: 'object-ref', ref: 'io.k8s.api.core.v1.AttachedVolume' } },
      volumesInUse: { type: 'array', items: { type: 'string' } },
    },
  },
  'io.k8s.api.core.v1.NodeSwapStatus': {
    fields: {
      capacity: { type: 'integer', format: 'int64' },
    },
  },
  'io.k8s.api.core.v1.NodeSystemInfo': {
    fields: {
      architecture: { type: 'string', required: true, default: '' },
      bootID: { type: 'string', required: true, default: '' },
      containerRuntimeVersion: { type: 'string', required: true, default: '' },
      kernelVersion: { type: 'string', required: true, default: '' },
      kubeProxyVersion: { type: 'string', required: true, default: '' },
      kubeletVersion: { type: 'string', required: true, default: '' },
      machineID: { type: 'string', required: true, default: '' },
      operatingSystem: { type: 'string', required: true, default: '' },
      osImage: { type: 'string', required: true, default: '' },
      swap: { type: 'object-ref', ref: 'io.k8s.api.core.v1.NodeSwapStatus' },
      systemUUID: { type: 'string', required: true, default: '' },
    },
  },
  'io.k8s.api.core.v1.ObjectFieldSelector': {
    fields: {
      apiVersion: { type: 'string' },
      fieldPath: { type: 'string', required: true, default: '' },
    },
  },
  'io.k8s.api.core.v1.ObjectReference': {
    fields: {
      apiVersion: { type: 'string' },
      fieldPath: { type: 'string' },
      kind: { type: 'string' },
      name: { type: 'string' },
      namespace: { type: 'string' },
      resourceVersion: { type: 'string' },
      uid: { type: 'string' },
    },
  },
  'io.k8s.api.core.v1.PersistentVolume': {
    kinds: [{ apiVersion: 'v1', kind: 'PersistentVolume' }],
    fields: {
      apiVersion: { type: 'string' },
      kind: { type: 'string' },
      metadata: { type: 'object-ref', ref: 'io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta' },
      spec: { type: 'object-ref', ref: 'io.k8s.api.core.v1.PersistentVolumeSpec' },
      status: { type: 'object-ref', ref: 'io.k8s.api.core.v1.PersistentVolumeStatus' },
    },
  },
  'io.k8s.api.core.v1.PersistentVolumeClaim': {
    kinds: [{ apiVersion: 'v1', kind: 'PersistentVolumeClaim' }],
    fields: {
      apiVersion: { type: 'string' },
      kind: { type: 'string' },
      metadata: { type: 'object-ref', ref: 'io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta' },
      spec: { type: 'object-ref', ref: 'io.k8s.api.core.v1.PersistentVolumeClaimSpec' },
      status: { type: 'object-ref', ref: 'io.k8s.api.core.v1.PersistentVolumeClaimStatus' },
    },
  },
  'io.k8s.api.core.v1.PersistentVolumeClaimCondition': {
    fields: {
      lastProbeTime: { type: 'date-time' },
      lastTransitionTime: { type: 'date-time' },
      message: { type: 'string' },
      reason: { type: 'string' },
      status: { type: 'string', required: true, default: '' },
      type: { type: 'string', required: true, default: '' },
    },
  },
  'io.k8s.api.core.v1.PersistentVolumeClaimSpec': {
    fields: {
      accessModes: { type: 'array', items: { type: 'string', enum: enums.PersistentVolumeAccessMode } },
      dataSource: { type: 'object-ref', ref: 'io.k8s.api.core.v1.TypedLocalObjectReference' },
      dataSourceRef: { type: 'object-ref', ref: 'io.k8s.api.core.v1.TypedObjectReference' },
      resources: { type: 'object-ref', ref: 'io.k8s.api.core.v1.VolumeResourceRequirements' },
      selector: { type: 'object-ref', ref: 'io.k8s.apimachinery.pkg.apis.meta.v1.LabelSelector' },
      storageClassName: { type: 'string' },
      volumeAttributesClassName: { type: 'string' },
      volumeMode: { type: 'string', enum: enums.PersistentVolumeMode },
      volumeName: { type: 'string' },
    },
  },
  'io.k8s.api.core.v1.PersistentVolumeClaimStatus': {
    fields: {
      accessModes: { type: 'array', items: { type: 'string', enum: enums.PersistentVolumeAccessMode } },
      allocatedResourceStatuses: { type: 'map', items: { type: 'string', enum: enums.ClaimResourceStatus } },
      allocatedResources: { type: 'map', items: { type: 'quantity' } },
      capacity: { type: 'map', items: { type: 'quantity' } },
      conditions: { type: 'array', items: { type: 'object-ref', ref: 'io.k8s.api.core.v1.PersistentVolumeClaimCondition' }, listType: 'map', listMapKeys: ['type'], patchStrategies: ['merge'], patchMergeKey: 'type' },
      currentVolumeAttributesClassName: { type: 'string' },
      modifyVolumeStatus: { type: 'object-ref', ref: 'io.k8s.api.core.v1.ModifyVolumeStatus' },
      phase: { type: 'string', enum: enums.PersistentVolumeClaimPhase },
    },
  },
  'io.k8s.api.core.v1.PersistentVolumeClaimTemplate': {
    fields: {
      metadata: { type: 'object-ref', ref: 'io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta' },
      spec: { type: 'object-ref', ref: 'io.k8s.api.core.v1.PersistentVolumeClaimSpec', required: true },
    },
  },
  'io.k8s.api.core.v1.PersistentVolumeClaimVolumeSource': {
    fields: {
      claimName: { type: 'string', required: true, default: '' },
      readOnly: { type: 'boolean' },
    },
  },
  'io.k8s.api.core.v1.PersistentVolumeSpec': {
    fields: {
      accessModes: { type: 'array', items: { type: 'string', enum: enums.PersistentVolumeAccessMode } },
      awsElasticBlockStore: { type: 'object-ref', ref: 'io.k8s.api.core.v1.AWSElasticBlockStoreVolumeSource' },
      azureDisk: { type: 'object-ref', ref: 'io.k8s.api.core.v1.AzureDiskVolumeSource' },
      azureFile: { type: 'object-ref', ref: 'io.k8s.api.core.v1.AzureFilePersistentVolumeSource' },
      capacity: { type: 'map', items: { type: 'quantity' } },
      cephfs: { type: 'object-ref', ref: 'io.k8s.api.core.v1.CephFSPersistentVolumeSource' },
      cinder: { type: 'object-ref', ref: 'io.k8s.api.core.v1.CinderPersistentVolumeSource' },
      claimRef: { type: 'object-ref', ref: 'io.k8s.api.core.v1.ObjectReference' },
      csi: { type: 'object-ref', ref: 'io.k8s.api.core.v1.CSIPersistentVolumeSource' },
      fc: { type: 'object-ref', ref: 'io.k8s.api.core.v1.FCVolumeSource' },
      flexVolume: { type: 'object-ref', ref: 'io.k8s.api.core.v1.FlexPersistentVolumeSource' },
      flocker: { type: 'object-ref', ref: 'io.k8s.api.core.v1.FlockerVolumeSource' },
      gcePersistentDisk: { type: 'object-ref', ref: 'io.k8s.api.core.v1.GCEPersistentDiskVolumeSource' },
      glusterfs: { type: 'object-ref', ref: 'io.k8s.api.core.v1.GlusterfsPersistentVolumeSource' },
      hostPath: { type: 'object-ref', ref: 'io.k8s.api.core.v1.HostPathVolumeSource' },
      iscsi: { type: 'object-ref', ref: 'io.k8s.api.core.v1.ISCSIPersistentVolumeSource' },
      local: { type: 'object-ref', ref: 'io.k8s.api.core.v1.LocalVolumeSource' },
      mountOptions: { type: 'array', items: { type: 'string' } },
      nfs: { type: 'object-ref', ref: 'io.k8s.api.core.v1.NFSVolumeSource' },
      nodeAffinity: { type: 'object-ref', ref: 'io.k8s.api.core.v1.VolumeNodeAffinity' },
      persistentVolumeReclaimPolicy: { type: 'string', enum: enums.PersistentVolumeReclaimPolicy },
      photonPersistentDisk: { type: 'object-ref', ref: 'io.k8s.api.core.v1.PhotonPersistentDiskVolumeSource' },
      portworxVolume: { type: 'object-ref', ref: 'io.k8s.api.core.v1.PortworxVolumeSource' },
      quobyte: { type: 'object-ref', ref: 'io.k8s.api.core.v1.QuobyteVolumeSource' },
      rbd: { type: 'object-ref', ref: 'io.k8s.api.core.v1.RBDPersistentVolumeSource' },
      scaleIO: { type: 'object-ref', ref: 'io.k8s.api.core.v1.ScaleIOPersistentVolumeSource' },
      storageClassName: { type: 'string' },
      storageos: { type: 'object-ref', ref: 'io.k8s.api.core.v1.StorageOSPersistentVolumeSource' },
      volumeAttributesClassName: { type: 'string' },
      volumeMode: { type: 'string', enum: enums.PersistentVolumeMode },
      vsphereVolume: { type: 'object-ref', ref: 'io.k8s.api.core.v1.VsphereVirtualDiskVolumeSource' },
    },
  },
  'io.k8s.api.core.v1.PersistentVolumeStatus': {
    fields: {
      lastPhaseTransitionTime: { type: 'date-time' },
      message: { type: 'string' },
      phase: { type: 'string', enum: enums.PersistentVolumePhase },
      reason: { type: 'string' },
    },
  },
  'io.k8s.api.core.v1.PhotonPersistentDiskVolumeSource': {
    fields: {
      fsType: { type: 'string' },
      pdID: { type: 'string', required: true, default: '' },
    },
  },
  'io.k8s.api.core.v1.Pod': {
    kinds: [{ apiVersion: 'v1', kind: 'Pod' }],
    fields: {
      apiVersion: { type: 'string' },
      kind: { type: 'string' },
      metadata: { type: 'object-ref', ref: 'io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta' },
      spec: { type: 'object-ref', ref: 'io.k8s.api.core.v1.PodSpec' },
      status: { type: 'object-ref', ref: 'io.k8s.api.core.v1.PodStatus' },
    },
  },
  'io.k8s.api.core.v1.PodAffinity': {
    fields: {
      preferredDuringSchedulingIgnoredDuringExecution: { type: 'array', items: { type: 'object-ref', ref: 'io.k8s.api.core.v1.WeightedPodAffinityTerm' } },
      requiredDuringSchedulingIgnoredDuringExecution: { type: 'array', items: { type: 'object-ref', ref: 'io.k8s.api.core.v1.PodAffinityTerm' } },
    },
  },
  'io.k8s.api.core.v1.PodAffinityTerm': {
    fields: {
      labelSelector: { type: 'object-ref', ref: 'io.k8s.apimachinery.pkg.apis.meta.v1.LabelSelector' },
      matchLabelKeys: { type: 'array', items: { type: 'string' } },
      mismatchLabelKeys: { type: 'array', items: { type: 'string' } },
      namespaceSelector: { type: 'object-ref', ref: 'io.k8s.apimachinery.pkg.apis.meta.v1.LabelSelector' },
      namespaces: { type: 'array', items: { type: 'string' } },
      topologyKey: { type: 'string', required: true, default: '' },
    },
  },
  'io.k8s.api.core.v1.PodAntiAffinity': {
    fields: {
      preferredDuringSchedulingIgnoredDuringExecution: { type: 'array', items: { type: 'object-ref', ref: 'io.k8s.api.core.v1.WeightedPodAffinityTerm' } },
      requiredDuringSchedulingIgnoredDuringExecution: { type: 'array', items: { type: 'object-ref', ref: 'io.k8s.api.core.v1.PodAffinityTerm' } },
    },
  },
  'io.k8s.api.core.v1.PodCertificateProjection': {
    fields: {
      certificateChainPath: { type: 'string' },
      credentialBundlePath: { type: 'string' },
      keyPath: { type: 'string' },
      keyType: { type: 'string', required: true },
      maxExpirationSeconds: { type: 'integer', format: 'int32' },
      signerName: { type: 'string', required: true },
      userAnnotations: { type: 'map', items: { type: 'string' } },
    },
  },
  'io.k8s.api.core.v1.PodCondition': {
    fields: {
      lastProbeTime: { type: 'date-time' },
      lastTransitionTime: { type: 'date-time' },
      message: { type: 'string' },
      observedGeneration: { type: 'integer', format: 'int64' },
      reason: { type: 'string' },
      status: { type: 'string', required: true, default: '' },
      type: { type: 'string', required: true, default: '' },
    },
  },
  'io.k8s.api.core.v1.PodDNSConfig': {
    fields: {
      nameservers: { type: 'array', items: { type: 'string' } },
      options: { type: 'array', items: { type: 'object-ref', ref: 'io.k8s.api.core.v1.PodDNSConfigOption' } },
      searches: { type: 'array', items: { type: 'string' } },
    },
  },
  'io.k8s.api.core.v1.PodDNSConfigOption': {
    fields: {
      name: { type: 'string' },
      value: { type: 'string' },
    },
  },
  'io.k8s.api.core.v1.PodExtendedResourceClaimStatus': {
    fields: {
      requestMappings: { type: 'array', items: { type: 'object-ref', ref: 'io.k8s.api.core.v1.ContainerExtendedResourceRequest' }, required: true },
      resourceClaimName: { type: 'string', required: true, default: '' },
    },
  },
  'io.k8s.api.core.v1.PodIP': {
    fields: {
      ip: { type: 'string', required: true, default: '' },
    },
  },
  'io.k8s.api.core.v1.PodList': {
    kinds: [{ apiVersion: 'v1', kind: 'PodList' }],
    fields: {
      apiVersion: { type: 'string' },
      items: { type: 'array', items: { type: 'object-ref', ref: 'io.k8s.api.core.v1.Pod' }, required: true },
      kind: { type: 'string' },
      metadata: { type: 'object-ref', ref: 'io.k8s.apimachinery.pkg.apis.meta.v1.ListMeta' },
    },
  },
  'io.k8s.api.core.v1.PodOS': {
    fields: {
      name: { type: 'string', required: true, default: '' },
    },
  },
  'io.k8s.api.core.v1.PodReadinessGate': {
    fields: {
      conditionType: { type: 'string', required: true, default: '' },
    },
  },
  'io.k8s.api.core.v1.PodResourceClaim': {
    fields: {
      name: { type: 'string', required: true, default: '' },
      resourceClaimName: { type: 'string' },
      resourceClaimTemplateName: { type: 'string' },
    },
  },
  'io.k8s.api.core.v1.PodResourceClaimStatus': {
    fields: {
      name: { type: 'string', required: true, default: '' },
      resourceClaimName: { type: 'string' },
    },
  },
  'io.k8s.api.core.v1.PodSchedulingGate': {
    fields: {
      name: { type: 'string', required: true, default: '' },
    },
  },
  'io.k8s.api.core.v1.PodSchedulingGroup': {
    fields: {
      podGroupName: { type: 'string' },
    },
  },
  'io.k8s.api.core.v1.PodSecurityContext': {
    fields: {
      appArmorProfile: { type: 'object-ref', ref: 'io.k8s.api.core.v1.AppArmorProfile' },
      fsGroup: { type: 'integer', format: 'int64' },
      fsGroupChangePolicy: { type: 'string', enum: enums.PodFSGroupChangePolicy },
      runAsGroup: { type: 'integer', format: 'int64' },
      runAsNonRoot: { type: 'boolean' },
      runAsUser: { type: 'integer', format: 'int64' },
      seLinuxChangePolicy: { type: 'string' },
      seLinuxOptions: { type: 'object-ref', ref: 'io.k8s.api.core.v1.SELinuxOptions' },
      seccompProfile: { type: 'object-ref', ref: 'io.k8s.api.core.v1.SeccompProfile' },
      supplementalGroups: { type: 'array', items: { type: 'integer', format: 'int64' } },
      supplementalGroupsPolicy: { type: 'string', enum: enums.SupplementalGroupsPolicy },
      sysctls: { type: 'array', items: { type: 'object-ref', ref: 'io.k8s.api.core.v1.Sysctl' } },
      windowsOptions: { type: 'object-ref', ref: 'io.k8s.api.core.v1.WindowsSecurityContextOptions' },
    },
  },
  'io.k8s.api.core.v1.PodSpec': {
    fields: {
      activeDeadlineSeconds: { type: 'integer', format: 'int64' },
      affinity: { type: 'object-ref', ref: 'io.k8s.api.core.v1.Affinity' },
      automountServiceAccountToken: { type: 'boolean' },
      containers: { type: 'array', items: { type: 'object-ref', ref: 'io.k8s.api.core.v1.Container' }, required: true, listType: 'map', listMapKeys: ['name'], patchStrategies: ['merge'], patchMergeKey: 'name' },
      dnsConfig: { type: 'object-ref', ref: 'io.k8s.api.core.v1.PodDNSConfig' },
      dnsPolicy: { type: 'string', enum: enums.DNSPolicy },
      enableServiceLinks: { type: 'boolean' },
      ephemeralContainers: { type: 'array', items: { type: 'object-ref', ref: 'io.k8s.api.core.v1.EphemeralContainer' }, listType: 'map', listMapKeys: ['name'], patchStrategies: ['merge'], patchMergeKey: 'name' },
      hostAliases: { type: 'array', items: { type: 'object-ref', ref: 'io.k8s.api.core.v1.HostAlias' }, listType: 'map', listMapKeys: ['ip'], patchStrategies: ['merge'], patchMergeKey: 'ip' },
      hostIPC: { type: 'boolean' },
      hostNetwork: { type: 'boolean' },
      hostPID: { type: 'boolean' },
      hostUsers: { type: 'boolean' },
      hostname: { type: 'string' },
      hostnameOverride: { type: 'string' },
      imagePullSecrets: { type: 'array', items: { type: 'object-ref', ref: 'io.k8s.api.core.v1.LocalObjectReference' }, listType: 'map', listMapKeys: ['name'], patchStrategies: ['merge'], patchMergeKey: 'name' },
      initContainers: { type: 'array', items: { type: 'object-ref', ref: 'io.k8s.api.core.v1.Container' }, listType: 'map', listMapKeys: ['name'], patchStrategies: ['merge'], patchMergeKey: 'name' },
      nodeName: { type: 'string' },
      nodeSelector: { type: 'map', items: { type: 'string' } },
      os: { type: 'object-ref', ref: 'io.k8s.api.core.v1.PodOS' },
      overhead: { type: 'map', items: { type: 'quantity' } },
      preemptionPolicy: { type: 'string', enum: enums.PreemptionPolicy },
      priority: { type: 'integer', format: 'int32' },
      priorityClassName: { type: 'string' },
      readinessGates: { type: 'array', items: { type: 'object-ref', ref: 'io.k8s.api.core.v1.PodReadinessGate' } },
      resourceClaims: { type: 'array', items: { type: 'object-ref', ref: 'io.k8s.api.core.v1.PodResourceClaim' }, listType: 'map', listMapKeys: ['name'], patchStrategies: ['merge', 'retainKeys'], patchMergeKey: 'name' },
      resources: { type: 'object-ref', ref: 'io.k8s.api.core.v1.ResourceRequirements' },
      restartPolicy: { type: 'string', enum: enums.RestartPolicy },
      runtimeClassName: { type: 'string' },
      schedulerName: { type: 'string' },
      schedulingGates: { type: 'array', items: { type: 'object-ref', ref: 'io.k8s.api.core.v1.PodSchedulingGate' }, listType: 'map', listMapKeys: ['name'], patchStrategies: ['merge'], patchMergeKey: 'name' },
      schedulingGroup: { type: 'object-ref', ref: 'io.k8s.api.core.v1.PodSchedulingGroup' },
      securityContext: { type: 'object-ref', ref: 'io.k8s.api.core.v1.PodSecurityContext' },
      serviceAccount: { type: 'string' },
      serviceAccountName: { type: 'string' },
      setHostnameAsFQDN: { type: 'boolean' },
      shareProcessNamespace: { type: 'boolean' },
      subdomain: { type: 'string' },
      terminationGracePeriodSeconds: { type: 'integer', format: 'int64' },
      tolerations: { type: 'array', items: { type: 'object-ref', ref: 'io.k8s.api.core.v1.Toleration' } },
      topologySpreadConstraints: { type: 'array', items: { type: 'object-ref', ref: 'io.k8s.api.core.v1.TopologySpreadConstraint' }, listType: 'map', listMapKeys: ['topologyKey', 'whenUnsatisfiable'], patchStrategies: ['merge'], patchMergeKey: 'topologyKey' },
      volumes: { type: 'array', items: { type: 'object-ref', ref: 'io.k8s.api.core.v1.Volume' }, listType: 'map', listMapKeys: ['name'], patchStrategies: ['merge', 'retainKeys'], patchMergeKey: 'name' },
    },
  },
  'io.k8s.api.core.v1.PodStatus': {
    fields: {
      allocatedResources: { type: 'map', items: { type: 'quantity' } },
      conditions: { type: 'array', items: { type: 'object-ref', ref: 'io.k8s.api.core.v1.PodCondition' }, listType: 'map', listMapKeys: ['type'], patchStrategies: ['merge'], patchMergeKey: 'type' },
      containerStatuses: { type: 'array', items: { type: 'object-ref', ref: 'io.k8s.api.core.v1.ContainerStatus' } },
      ephemeralContainerStatuses: { type: 'array', items: { type: 'object-ref', ref: 'io.k8s.api.core.v1.ContainerStatus' } },
      extendedResourceClaimStatus: { type: 'object-ref', ref: 'io.k8s.api.core.v1.PodExtendedResourceClaimStatus' },
      hostIP: { type: 'string' },
      hostIPs: { type: 'array', items: { type: 'object-ref', ref: 'io.k8s.api.core.v1.HostIP' }, patchStrategies: ['merge'], patchMergeKey: 'ip' },
      initContainerStatuses: { type: 'array', items: { type: 'object-ref', ref: 'io.k8s.api.core.v1.ContainerStatus' } },
      message: { type: 'string' },
      nodeAllocatableResourceClaimStatuses: { type: 'array', items: { type: 'object-ref', ref: 'io.k8s.api.core.v1.NodeAllocatableResourceClaimStatus' } },
      nominatedNodeName: { type: 'string' },
      observedGeneration: { type: 'integer', format: 'int64' },
      phase: { type: 'string', enum: enums.PodPhase },
      podIP: { type: 'string' },
      podIPs: { type: 'array', items: { type: 'object-ref', ref: 'io.k8s.api.core.v1.PodIP' }, listType: 'map', listMapKeys: ['ip'], patchStrategies: ['merge'], patchMergeKey: 'ip' },
      qosClass: { type: 'string', enum: enums.PodQOSClass },
      reason: { type: 'string' },
      resize: { type: 'string' },
      resourceClaimStatuses: { type: 'array', items: { type: 'object-ref', ref: 'io.k8s.api.core.v1.PodResourceClaimStatus' }, listType: 'map', listMapKeys: ['name'], patchStrategies: ['merge', 'retainKeys'], patchMergeKey: 'name' },
      resources: { type: 'object-ref', ref: 'io.k8s.api.core.v1.ResourceRequirements' },
      startTime: { type: 'date-time' },
    },
  },
  'io.k8s.api.core.v1.PodTemplateSpec': {
    fields: {
      metadata: { type: 'object-ref', ref: 'io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta' },
      spec: { type: 'object-ref', ref: 'io.k8s.api.core.v1.PodSpec' },
    },
  },
  'io.k8s.api.core.v1.PortStatus': {
    fields: {
      error: { type: 'string' },
      port: { type: 'integer', format: 'int32', required: true, default: 0 },
      protocol: { type: 'string', enum: enums.Protocol, required: true, default: '' },
    },
  },
  'io.k8s.api.core.v1.PortworxVolumeSource': {
    fields: {
      fsType: { type: 'string' },
      readOnly: { type: 'boolean' },
      volumeID: { type: 'string', required: true, default: '' },
    },
  },
  'io.k8s.api.core.v1.PreferredSchedulingTerm': {
    fields: {
      preference: { type: 'object-ref', ref: 'io.k8s.api.core.v1.NodeSelectorTerm', required: true },
      weight: { type: 'integer', format: 'int32', required: true, default: 0 },
    },
  },
  'io.k8s.api.core.v1.Probe': {
    fields: {
      exec: { type: 'object-ref', ref: 'io.k8s.api.core.v1.ExecAction' },
      failureThreshold: { type: 'integer', format: 'int32' },
      grpc: { type: 'object-ref', ref: 'io.k8s.api.core.v1.GRPCAction' },
      httpGet: { type: 'object-ref', ref: 'io.k8s.api.core.v1.HTTPGetAction' },
      initialDelaySeconds: { type: 'integer', format: 'int32' },
      periodSeconds: { type: 'integer', format: 'int32' },
      successThreshold: { type: 'integer', format: 'int32' },
      tcpSocket: { type: 'object-ref', ref: 'io.k8s.api.core.v1.TCPSocketAction' },
      terminationGracePeriodSeconds: { type: 'integer', format: 'int64' },
      timeoutSeconds: { type: 'integer', format: 'int32' },
    },
  },
  'io.k8s.api.core.v1.ProjectedVolumeSource': {
    fields: {
      defaultMode: { type: 'integer', format: 'int32' },
      sources: { type: 'array', items: { type: 'object-ref', ref: 'io.k8s.api.core.v1.VolumeProjection' } },
    },
  },
  'io.k8s.api.core.v1.QuobyteVolumeSource': {
    fields: {
      group: { type: 'string' },
      readOnly: { type: 'boolean' },
      registry: { type: 'string', required: true, default: '' },
      tenant: { type: 'string' },
      user: { type: 'string' },
      volume: { type: 'string', required: true, default: '' },
    },
  },
  'io.k8s.api.core.v1.RBDPersistentVolumeSource': {
    fields: {
      fsType: { type: 'string' },
      image: { type: 'string', required: true, default: '' },
      keyring: { type: 'string', default: '/etc/ceph/keyring' },
      monitors: { type: 'array', items: { type: 'string' }, required: true },
      pool: { type: 'string', default: 'rbd' },
      readOnly: { type: 'boolean' },
      secretRef: { type: 'object-ref', ref: 'io.k8s.api.core.v1.SecretReference' },
      user: { type: 'string', default: 'admin' },
    },
  },
  'io.k8s.api.core.v1.RBDVolumeSource': {
    fields: {
      fsType: { type: 'string' },
      image: { type: 'string', required: true, default: '' },
      keyring: { type: 'string', default: '/etc/ceph/keyring' },
      monitors: { type: 'array', items: { type: 'string' }, required: true },
      pool: { type: 'string', default: 'rbd' },
      readOnly: { type: 'boolean' },
      secretRef: { type: 'object-ref', ref: 'io.k8s.api.core.v1.LocalObjectReference' },
      user: { type: 'string', default: 'admin' },
    },
  },
  'io.k8s.api.core.v1.ResourceClaim': {
    fields: {
      name: { type: 'string', required: true, default: '' },
      request: { type: 'string' },
    },
  },
  'io.k8s.api.core.v1.ResourceFieldSelector': {
    fields: {
      containerName: { type: 'string' },
      divisor: { type: 'quantity' },
      resource: { type: 'string', required: true, default: '' },
    },
  },
  'io.k8s.api.core.v1.ResourceHealth': {
    fields: {
      health: { type: 'string' },
      message: { type: 'string' },
      resourceID: { type: 'string', required: true, default: '' },
    },
  },
  'io.k8s.api.core.v1.ResourceRequirements': {
    fields: {
      claims: { type: 'array', items: { type: 'object-ref', ref: 'io.k8s.api.core.v1.ResourceClaim' }, listType: 'map', listMapKeys: ['name'] },
      limits: { type: 'map', items: { type: 'quantity' } },
      requests: { type: 'map', items: { type: 'quantity' } },
    },
  },
  'io.k8s.api.core.v1.ResourceStatus': {
    fields: {
      name: { type: 'string', required: true, default: '' },
      resources: { type: 'array', items: { type: 'object-ref', ref: 'io.k8s.api.core.v1.ResourceHealth' }, listType: 'map', listMapKeys: ['resourceID'] },
    },
  },
  'io.k8s.api.core.v1.SELinuxOptions': {
    fields: {
      level: { type: 'string' },
      role: { type: 'string' },
      type: { type: 'string' },
      user: { type: 'string' },
    },
  },
  'io.k8s.api.core.v1.ScaleIOPersistentVolumeSource': {
    fields: {
      fsType: { type: 'string', default: 'xfs' },
      gateway: { type: 'string', required: true, default: '' },
      protectionDomain: { type: 'string' },
      readOnly: { type: 'boolean' },
      secretRef: { type: 'object-ref', ref: 'io.k8s.api.core.v1.SecretReference', required: true },
      sslEnabled: { type: 'boolean' },
      storageMode: { type: 'string', default: 'ThinProvisioned' },
      storagePool: { type: 'string' },
      system: { type: 'string', required: true, default: '' },
      volumeName: { type: 'string' },
    },
  },
  'io.k8s.api.core.v1.ScaleIOVolumeSource': {
    fields: {
      fsType: { type: 'string', default: 'xfs' },
      gateway: { type: 'string', required: true, default: '' },
      protectionDomain: { type: 'string' },
      readOnly: { type: 'boolean' },
      secretRef: { type: 'object-ref', ref: 'io.k8s.api.core.v1.LocalObjectReference', required: true },
      sslEnabled: { type: 'boolean' },
      storageMode: { type: 'string', default: 'ThinProvisioned' },
      storagePool: { type: 'string' },
      system: { type: 'string', required: true, default: '' },
      volumeName: { type: 'string' },
    },
  },
  'io.k8s.api.core.v1.SeccompProfile': {
    fields: {
      localhostProfile: { type: 'string' },
      type: { type: 'string', enum: enums.SeccompProfileType, required: true, default: '' },
    },
  },
  'io.k8s.api.core.v1.Secret': {
    kinds: [{ apiVersion: 'v1', kind: 'Secret' }],
    fields: {
      apiVersion: { type: 'string' },
      data: { type: 'map', items: { type: 'string', format: 'byte' } },
      immutable: { type: 'boolean' },
      kind: { type: 'string' },
      metadata: { type: 'object-ref', ref: 'io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta' },
      stringData: { type: 'map', items: { type: 'string' } },
      type: { type: 'string' },
    },
  },
  'io.k8s.api.core.v1.SecretEnvSource': {
    fields: {
      name: { type: 'string', default: '' },
      optional: { type: 'boolean' },
    },
  },
  'io.k8s.api.core.v1.SecretKeySelector': {
    fields: {
      key: { type: 'string', required: true, default: '' },
      name: { type: 'string', default: '' },
      optional: { type: 'boolean' },
    },
  },
  'io.k8s.api.core.v1.SecretProjection': {
    fields: {
      items: { type: 'array', items: { type: 'object-ref', ref: 'io.k8s.api.core.v1.KeyToPath' } },
      name: { type: 'string', default: '' },
      optional: { type: 'boolean' },
    },
  },
  'io.k8s.api.core.v1.SecretReference': {
    fields: {
      name: { type: 'string' },
      namespace: { type: 'string' },
    },
  },
  'io.k8s.api.core.v1.SecretVolumeSource': {
    fields: {
      defaultMode: { type: 'integer', format: 'int32' },
      items: { type: 'array', items: { type: 'object-ref', ref: 'io.k8s.api.core.v1.KeyToPath' } },
      optional: { type: 'boolean' },
      secretName: { type: 'string' },
    },
  },
  'io.k8s.api.core.v1.SecurityContext': {
    fields: {
      allowPrivilegeEscalation: { type: 'boolean' },
      appArmorProfile: { type: 'object-ref', ref: 'io.k8s.api.core.v1.AppArmorProfile' },
      capabilities: { type: 'object-ref', ref: 'io.k8s.api.core.v1.Capabilities' },
      privileged: { type: 'boolean' },
      procMount: { type: 'string', enum: enums.ProcMountType },
      readOnlyRootFilesystem: { type: 'boolean' },
      runAsGroup: { type: 'integer', format: 'int64' },
      runAsNonRoot: { type: 'boolean' },
      runAsUser: { type: 'integer', format: 'int64' },
      seLinuxOptions: { type: 'object-ref', ref: 'io.k8s.api.core.v1.SELinuxOptions' },
      seccompProfile: { type: 'object-ref', ref: 'io.k8s.api.core.v1.SeccompProfile' },
      windowsOptions: { type: 'object-ref', ref: 'io.k8s.api.core.v1.WindowsSecurityContextOptions' },
    },
  },
  'io.k8s.api.core.v1.Service': {
    kinds: [{ apiVersion: 'v1', kind: 'Service' }],
    fields: {
      apiVersion: { type: 'string' },
      kind: { type: 'string' },
      metadata: { type: 'object-ref', ref: 'io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta' },
      spec: { type: 'object-ref', ref: 'io.k8s.api.core.v1.ServiceSpec' },
      status: { type: 'object-ref', ref: 'io.k8s.api.core.v1.ServiceStatus' },
    },
  },
  'io.k8s.api.core.v1.ServiceAccount': {
    kinds: [{ apiVersion: 'v1', kind: 'ServiceAccount' }],
    fields: {
      apiVersion: { type: 'string' },
      automountServiceAccountToken: { type: 'boolean' },
      imagePullSecrets: { type: 'array', items: { type: 'object-ref', ref: 'io.k8s.api.core.v1.LocalObjectReference' } },
      kind: { type: 'string' },
      metadata: { type: 'object-ref', ref: 'io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta' },
      secrets: { type: 'array', items: { type: 'object-ref', ref: 'io.k8s.api.core.v1.ObjectReference' }, listType: 'map', listMapKeys: ['name'], patchStrategies: ['merge'], patchMergeKey: 'name' },
    },
  },
  'io.k8s.api.core.v1.ServiceAccountTokenProjection': {
    fields: {
      audience: { type: 'string' },
      expirationSeconds: { type: 'integer', format: 'int64' },
      path: { type: 'string', required: true, default: '' },
    },
  },
  'io.k8s.api.core.v1.ServiceList': {
    kinds: [{ apiVersion: 'v1', kind: 'ServiceList' }],
    fields: {
      apiVersion: { type: 'string' },
      items: { type: 'array', items: { type: 'object-ref', ref: 'io.k8s.api.core.v1.Service' }, required: true },
      kind: { type: 'string' },
      metadata: { type: 'object-ref', ref: 'io.k8s.apimachinery.pkg.apis.meta.v1.ListMeta' },
    },
  },
  'io.k8s.api.core.v1.ServicePort': {
    fields: {
      appProtocol: { type: 'string' },
      name: { type: 'string' },
      nodePort: { type: 'integer', format: 'int32' },
      port: { type: 'integer', format: 'int32', required: true, default: 0 },
      protocol: { type: 'string', enum: enums.Protocol, default: 'TCP' },
      targetPort: { type: 'int-or-string' },
    },
  },
  'io.k8s.api.core.v1.ServiceSpec': {
    fields: {
      allocateLoadBalancerNodePorts: { type: 'boolean' },
      clusterIP: { type: 'string' },
      clusterIPs: { type: 'array', items: { type: 'string' } },
      externalIPs: { type: 'array', items: { type: 'string' } },
      externalName: { type: 'string' },
      externalTrafficPolicy: { type: 'string', enum: enums.ServiceExternalTrafficPolicy },
      healthCheckNodePort: { type: 'integer', format: 'int32' },
      internalTrafficPolicy: { type: 'string', enum: enums.ServiceInternalTrafficPolicy },
      ipFamilies: { type: 'array', items: { type: 'string', enum: enums.IPFamily } },
      ipFamilyPolicy: { type: 'string', enum: enums.IPFamilyPolicy },
      loadBalancerClass: { type: 'string' },
      loadBalancerIP: { type: 'string' },
      loadBalancerSourceRanges: { type: 'array', items: { type: 'string' } },
      ports: { type: 'array', items: { type: 'object-ref', ref: 'io.k8s.api.core.v1.ServicePort' }, listType: 'map', listMapKeys: ['port', 'protocol'], patchStrategies: ['merge'], patchMergeKey: 'port' },
      publishNotReadyAddresses: { type: 'boolean' },
      selector: { type: 'map', items: { type: 'string' } },
      sessionAffinity: { type: 'string', enum: enums.ServiceAffinity },
      sessionAffinityConfig: { type: 'object-ref', ref: 'io.k8s.api.core.v1.SessionAffinityConfig' },
      trafficDistribution: { type: 'string' },
      type: { type: 'string', enum: enums.ServiceType },
    },
  },
  'io.k8s.api.core.v1.ServiceStatus': {
    fields: {
      conditions: { type: 'array', items: { type: 'object-ref', ref: 'io.k8s.apimachinery.pkg.apis.meta.v1.Condition' }, listType: 'map', listMapKeys: ['type'], patchStrategies: ['merge'], patchMergeKey: 'type' },
      loadBalancer: { type: 'object-ref', ref: 'io.k8s.api.core.v1.LoadBalancerStatus' },
    },
  },
  'io.k8s.api.core.v1.SessionAffinityConfig': {
    fields: {
      clientIP: { type: 'object-ref', ref: 'io.k8s.api.core.v1.ClientIPConfig' },
    },
  },
  'io.k8s.api.core.v1.SleepAction': {
    fields: {
      seconds: { type: 'integer', format: 'int64', required: true, default: 0 },
    },
  },
  'io.k8s.api.core.v1.StorageOSPersistentVolumeSource': {
    fields: {
      fsType: { type: 'string' },
      readOnly: { type: 'boolean' },
      secretRef: { type: 'object-ref', ref: 'io.k8s.api.core.v1.ObjectReference' },
      volumeName: { type: 'string' },
      volumeNamespace: { type: 'string' },
    },
  },
  'io.k8s.api.core.v1.StorageOSVolumeSource': {
    fields: {
      fsType: { type: 'string' },
      readOnly: { type: 'boolean' },
      secretRef: { type: 'object-ref', ref: 'io.k8s.api.core.v1.LocalObjectReference' },
      volumeName: { type: 'string' },
      volumeNamespace: { type: 'string' },
    },
  },
  'io.k8s.api.core.v1.Sysctl': {
    fields: {
      name: { type: 'string', required: true, default: '' },
      value: { type: 'string', required: true, default: '' },
    },
  },
  'io.k8s.api.core.v1.TCPSocketAction': {
    fields: {
      host: { type: 'string' },
      port: { type: 'int-or-string', required: true },
    },
  },
  'io.k8s.api.core.v1.Taint': {
    fields: {
      effect: { type: 'string', enum: enums.TaintEffect, required: true, default: '' },
      key: { type: 'string', required: true, default: '' },
      timeAdded: { type: 'date-time' },
      value: { type: 'string' },
    },
  },
  'io.k8s.api.core.v1.Toleration': {
    fields: {
      effect: { type: 'string', enum: enums.TaintEffect },
      key: { type: 'string' },
      operator: { type: 'string', enum: enums.TolerationOperator },
      tolerationSeconds: { type: 'integer', format: 'int64' },
      value: { type: 'string' },
    },
  },
  'io.k8s.api.core.v1.TopologySpreadConstraint': {
    fields: {
      labelSelector: { type: 'object-ref', ref: 'io.k8s.apimachinery.pkg.apis.meta.v1.LabelSelector' },
      matchLabelKeys: { type: 'array', items: { type: 'string' } },
      maxSkew: { type: 'integer', format: 'int32', required: true, default: 0 },
      minDomains: { type: 'integer', format: 'int32' },
      nodeAffinityPolicy: { type: 'string', enum: enums.NodeInclusionPolicy },
      nodeTaintsPolicy: { type: 'string', enum: enums.NodeInclusionPolicy },
      topologyKey: { type: 'string', required: true, default: '' },
      whenUnsatisfiable: { type: 'string', enum: enums.UnsatisfiableConstraintAction, required: true, default: '' },
    },
  },
  'io.k8s.api.core.v1.TypedLocalObjectReference': {
    fields: {
      apiGroup: { type: 'string' },
      kind: { type: 'string', required: true, default: '' },
      name: { type: 'string', required: true, default: '' },
    },
  },
  'io.k8s.api.core.v1.TypedObjectReference': {
    fields: {
      apiGroup: { type: 'string' },
      kind: { type: 'string', required: true, default: '' },
      name: { type: 'string', required: true, default: '' },
      namespace: { type: 'string' },
    },
  },
  'io.k8s.api.core.v1.Volume': {
    fields: {
      awsElasticBlockStore: { type: 'object-ref', ref: 'io.k8s.api.core.v1.AWSElasticBlockStoreVolumeSource' },
      azureDisk: { type: 'object-ref', ref: 'io.k8s.api.core.v1.AzureDiskVolumeSource' },
      azureFile: { type: 'object-ref', ref: 'io.k8s.api.core.v1.AzureFileVolumeSource' },
      cephfs: { type: 'object-ref', ref: 'io.k8s.api.core.v1.CephFSVolumeSource' },
      cinder: { type: 'object-ref', ref: 'io.k8s.api.core.v1.CinderVolumeSource' },
      configMap: { type: 'object-ref', ref: 'io.k8s.api.core.v1.ConfigMapVolumeSource' },
      csi: { type: 'object-ref', ref: 'io.k8s.api.core.v1.CSIVolumeSource' },
      downwardAPI: { type: 'object-ref', ref: 'io.k8s.api.core.v1.DownwardAPIVolumeSource' },
      emptyDir: { type: 'object-ref', ref: 'io.k8s.api.core.v1.EmptyDirVolumeSource' },
      ephemeral: { type: 'object-ref', ref: 'io.k8s.api.core.v1.EphemeralVolumeSource' },
      fc: { type: 'object-ref', ref: 'io.k8s.api.core.v1.FCVolumeSource' },
      flexVolume: { type: 'object-ref', ref: 'io.k8s.api.core.v1.FlexVolumeSource' },
      flocker: { type: 'object-ref', ref: 'io.k8s.api.core.v1.FlockerVolumeSource' },
      gcePersistentDisk: { type: 'object-ref', ref: 'io.k8s.api.core.v1.GCEPersistentDiskVolumeSource' },
      gitRepo: { type: 'object-ref', ref: 'io.k8s.api.core.v1.GitRepoVolumeSource' },
      glusterfs: { type: 'object-ref', ref: 'io.k8s.api.core.v1.GlusterfsVolumeSource' },
      hostPath: { type: 'object-ref', ref: 'io.k8s.api.core.v1.HostPathVolumeSource' },
      image: { type: 'object-ref', ref: 'io.k8s.api.core.v1.ImageVolumeSource' },
      iscsi: { type: 'object-ref', ref: 'io.k8s.api.core.v1.ISCSIVolumeSource' },
      name: { type: 'string', required: true, default: '' },
      nfs: { type: 'object-ref', ref: 'io.k8s.api.core.v1.NFSVolumeSource' },
      persistentVolumeClaim: { type: 'object-ref', ref: 'io.k8s.api.core.v1.PersistentVolumeClaimVolumeSource' },
      photonPersistentDisk: { type: 'object-ref', ref: 'io.k8s.api.core.v1.PhotonPersistentDiskVolumeSource' },
      portworxVolume: { type: 'object-ref', ref: 'io.k8s.api.core.v1.PortworxVolumeSource' },
      projected: { type: 'object-ref', ref: 'io.k8s.api.core.v1.ProjectedVolumeSource' },
      quobyte: { type: 'object-ref', ref: 'io.k8s.api.core.v1.QuobyteVolumeSource' },
      rbd: { type: 'object-ref', ref: 'io.k8s.api.core.v1.RBDVolumeSource' },
      scaleIO: { type: 'object-ref', ref: 'io.k8s.api.core.v1.ScaleIOVolumeSource' },
      secret: { type: 'object-ref', ref: 'io.k8s.api.core.v1.SecretVolumeSource' },
      storageos: { type: 'object-ref', ref: 'io.k8s.api.core.v1.StorageOSVolumeSource' },
      vsphereVolume: { type: 'object-ref', ref: 'io.k8s.api.core.v1.VsphereVirtualDiskVolumeSource' },
    },
  },
  'io.k8s.api.core.v1.VolumeDevice': {
    fields: {
      devicePath: { type: 'string', required: true, default: '' },
      name: { type: 'string', required: true, default: '' },
    },
  },
  'io.k8s.api.core.v1.VolumeMount': {
    fields: {
      mountPath: { type: 'string', required: true, default: '' },
      mountPropagation: { type: 'string', enum: enums.MountPropagationMode },
      name: { type: 'string', required: true, default: '' },
      readOnly: { type: 'boolean' },
      recursiveReadOnly: { type: 'string' },
      subPath: { type: 'string' },
      subPathExpr: { type: 'string' },
    },
  },
  'io.k8s.api.core.v1.VolumeMountStatus': {
    fields: {
      mountPath: { type: 'string', required: true, default: '' },
      name: { type: 'string', required: true, default: '' },
      readOnly: { type: 'boolean' },
      recursiveReadOnly: { type: 'string' },
      volumeStatus: { type: 'object-ref', ref: 'io.k8s.api.core.v1.VolumeStatus' },
    },
  },
  'io.k8s.api.core.v1.VolumeNodeAffinity': {
    fields: {
      required: { type: 'object-ref', ref: 'io.k8s.api.core.v1.NodeSelector' },
    },
  },
  'io.k8s.api.core.v1.VolumeProjection': {
    fields: {
      clusterTrustBundle: { type: 'object-ref', ref: 'io.k8s.api.core.v1.ClusterTrustBundleProjection' },
      configMap: { type: 'object-ref', ref: 'io.k8s.api.core.v1.ConfigMapProjection' },
      downwardAPI: { type: 'object-ref', ref: 'io.k8s.api.core.v1.DownwardAPIProjection' },
      podCertificate: { type: 'object-ref', ref: 'io.k8s.api.core.v1.PodCertificateProjection' },
      secret: { type: 'object-ref', ref: 'io.k8s.api.core.v1.SecretProjection' },
      serviceAccountToken: { type: 'object-ref', ref: 'io.k8s.api.core.v1.ServiceAccountTokenProjection' },
    },
  },
  'io.k8s.api.core.v1.VolumeResourceRequirements': {
    fields: {
      limits: { type: 'map', items: { type: 'quantity' } },
      requests: { type: 'map', items: { type: 'quantity' } },
    },
  },
  'io.k8s.api.core.v1.VolumeStatus': {
    fields: {
      image: { type: 'object-ref', ref: 'io.k8s.api.core.v1.ImageVolumeStatus' },
    },
  },
  'io.k8s.api.core.v1.VsphereVirtualDiskVolumeSource': {
    fields: {
      fsType: { type: 'string' },
      storagePolicyID: { type: 'string' },
      storagePolicyName: { type: 'string' },
      volumePath: { type: 'string', required: true, default: '' },
    },
  },
  'io.k8s.api.core.v1.WeightedPodAffinityTerm': {
    fields: {
      podAffinityTerm: { type: 'object-ref', ref: 'io.k8s.api.core.v1.PodAffinityTerm', required: true },
      weight: { type: 'integer', format: 'int32', required: true, default: 0 },
    },
  },
  'io.k8s.api.core.v1.WindowsSecurityContextOptions': {
    fields: {
      gmsaCredentialSpec: { type: 'string' },
      gmsaCredentialSpecName: { type: 'string' },
      hostProcess: { type: 'boolean' },
      runAsUserName: { type: 'string' },
    },
  },
  'io.k8s.api.node.v1.Overhead': {
    fields: {
      podFixed: { type: 'map', items: { type: 'quantity' } },
    },
  },
  'io.k8s.api.node.v1.RuntimeClass': {
    kinds: [{ apiVersion: 'node.k8s.io/v1', kind: 'RuntimeClass' }],
    fields: {
      apiVersion: { type: 'string' },
      handler: { type: 'string', required: true, default: '' },
      kind: { type: 'string' },
      metadata: { type: 'object-ref', ref: 'io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta' },
      overhead: { type: 'object-ref', ref: 'io.k8s.api.node.v1.Overhead' },
      scheduling: { type: 'object-ref', ref: 'io.k8s.api.node.v1.Scheduling' },
    },
  },
  'io.k8s.api.node.v1.RuntimeClassList': {
    kinds: [{ apiVersion: 'node.k8s.io/v1', kind: 'RuntimeClassList' }],
    fields: {
      apiVersion: { type: 'string' },
      items: { type: 'array', items: { type: 'object-ref', ref: 'io.k8s.api.node.v1.RuntimeClass' }, required: true },
      kind: { type: 'string' },
      metadata: { type: 'object-ref', ref: 'io.k8s.apimachinery.pkg.apis.meta.v1.ListMeta' },
    },
  },
  'io.k8s.api.node.v1.Scheduling': {
    fields: {
      nodeSelector: { type: 'map', items: { type: 'string' } },
      tolerations: { type: 'array', items: { type: 'object-ref', ref: 'io.k8s.api.core.v1.Toleration' } },
    },
  },
  'io.k8s.api.resource.v1.AllocatedDeviceStatus': {
    fields: {
      conditions: { type: 'array', items: { type: 'object-ref', ref: 'io.k8s.apimachinery.pkg.apis.meta.v1.Condition' }, listType: 'map', listMapKeys: ['type'] },
      data: { type: 'any' },
      device: { type: 'string', required: true, default: '' },
      driver: { type: 'string', required: true, default: '' },
      networkData: { type: 'object-ref', ref: 'io.k8s.api.resource.v1.NetworkDeviceData' },
      pool: { type: 'string', required: true, default: '' },
      shareID: { type: 'string' },
    },
  },
  'io.k8s.api.resource.v1.AllocationResult': {
    fields: {
      allocationTimestamp: { type: 'date-time' },
      devices: { type: 'object-ref', ref: 'io.k8s.api.resource.v1.DeviceAllocationResult' },
      nodeSelector: { type: 'object-ref', ref: 'io.k8s.api.core.v1.NodeSelector' },
    },
  },
  'io.k8s.api.resource.v1.CELDeviceSelector': {
    fields: {
      expression: { type: 'string', required: true, default: '' },
    },
  },
  'io.k8s.api.resource.v1.CapacityRequestPolicy': {
    fields: {
      default: { type: 'quantity' },
      validRange: { type: 'object-ref', ref: 'io.k8s.api.resource.v1.CapacityRequestPolicyRange' },
      validValues: { type: 'array', items: { type: 'quantity' } },
    },
  },
  'io.k8s.api.resource.v1.CapacityRequestPolicyRange': {
    fields: {
      max: { type: 'quantity' },
      min: { type: 'quantity', required: true },
      step: { type: 'quantity' },
    },
  },
  'io.k8s.api.resource.v1.CapacityRequirements': {
    fields: {
      requests: { type: 'map', items: { type: 'quantity' } },
    },
  },
  'io.k8s.api.resource.v1.Counter': {
    fields: {
      value: { type: 'quantity', required: true },
    },
  },
  'io.k8s.api.resource.v1.CounterSet': {
    fields: {
      counters: { type: 'map', items: { type: 'object-ref', ref: 'io.k8s.api.resource.v1.Counter' }, required: true },
      name: { type: 'string', required: true, default: '' },
    },
  },
  'io.k8s.api.resource.v1.Device': {
    fields: {
      allNodes: { type: 'boolean' },
      allowMultipleAllocations: { type: 'boolean' },
      attributes: { type: 'map', items: { type: 'object-ref', ref: 'io.k8s.api.resource.v1.DeviceAttribute' } },
      bindingConditions: { type: 'array', items: { type: 'string' } },
      bindingFailureConditions: { type: 'array', items: { type: 'string' } },
      bindsToNode: { type: 'boolean' },
      capacity: { type: 'map', items: { type: 'object-ref', ref: 'io.k8s.api.resource.v1.DeviceCapacity' } },
      consumesCounters: { type: 'array', items: { type: 'object-ref', ref: 'io.k8s.api.resource.v1.DeviceCounterConsumption' } },
      name: { type: 'string', required: true, default: '' },
      nodeAllocatableResourceMappings: { type: 'map', items: { type: 'object-ref', ref: 'io.k8s.api.resource.v1.NodeAllocatableResourceMapping' } },
      nodeName: { type: 'string' },
      nodeSelector: { type: 'object-ref', ref: 'io.k8s.api.core.v1.NodeSelector' },
      taints: { type: 'array', items: { type: 'object-ref', ref: 'io.k8s.api.resource.v1.DeviceTaint' } },
    },
  },
  'io.k8s.api.resource.v1.DeviceAllocationConfiguration': {
    fields: {
      opaque: { type: 'object-ref', ref: 'io.k8s.api.resource.v1.OpaqueDeviceConfiguration' },
      requests: { type: 'array', items: { type: 'string' } },
      source: { type: 'string', enum: enums.AllocationConfigSource, required: true, default: '' },
    },
  },
  'io.k8s.api.resource.v1.DeviceAllocationResult': {
    fields: {
      config: { type: 'array', items: { type: 'object-ref', ref: 'io.k8s.api.resource.v1.DeviceAllocationConfiguration' } },
      results: { type: 'array', items: { type: 'object-ref', ref: 'io.k8s.api.resource.v1.DeviceRequestAllocationResult' } },
    },
  },
  'io.k8s.api.resource.v1.DeviceAttribute': {
    fields: {
      bool: { type: 'boolean' },
      bools: { type: 'array', items: { type: 'boolean' } },
      int: { type: 'integer', format: 'int64' },
      ints: { type: 'array', items: { type: 'integer', format: 'int64' } },
      string: { type: 'string' },
      strings: { type: 'array', items: { type: 'string' } },
      version: { type: 'string' },
      versions: { type: 'array', items: { type: 'string' } },
    },
  },
  'io.k8s.api.resource.v1.DeviceCapacity': {
    fields: {
      requestPolicy: { type: 'object-ref', ref: 'io.k8s.api.resource.v1.CapacityRequestPolicy' },
      value: { type: 'quantity', required: true },
    },
  },
  'io.k8s.api.resource.v1.DeviceClaim': {
    fields: {
      config: { type: 'array', items: { type: 'object-ref', ref: 'io.k8s.api.resource.v1.DeviceClaimConfiguration' } },
      constraints: { type: 'array', items: { type: 'object-ref', ref: 'io.k8s.api.resource.v1.DeviceConstraint' } },
      requests: { type: 'array', items: { type: 'object-ref', ref: 'io.k8s.api.resource.v1.DeviceRequest' } },
    },
  },
  'io.k8s.api.resource.v1.DeviceClaimConfiguration': {
    fields: {
      opaque: { type: 'object-ref', ref: 'io.k8s.api.resource.v1.OpaqueDeviceConfiguration' },
      requests: { type: 'array', items: { type: 'string' } },
    },
  },
  'io.k8s.api.resource.v1.DeviceConstraint': {
    fields: {
      distinctAttribute: { type: 'string' },
      matchAttribute: { type: 'string' },
      requests: { type: 'array', items: { type: 'string' } },
    },
  },
  'io.k8s.api.resource.v1.DeviceCounterConsumption': {
    fields: {
      counterSet: { type: 'string', required: true, default: '' },
      counters: { type: 'map', items: { type: 'object-ref', ref: 'io.k8s.api.resource.v1.Counter' }, required: true },
    },
  },
  'io.k8s.api.resource.v1.DeviceRequest': {
    fields: {
      exactly: { type: 'object-ref', ref: 'io.k8s.api.resource.v1.ExactDeviceRequest' },
      firstAvailable: { type: 'array', items: { type: 'object-ref', ref: 'io.k8s.api.resource.v1.DeviceSubRequest' } },
      name: { type: 'string', required: true, default: '' },
    },
  },
  'io.k8s.api.resource.v1.DeviceRequestAllocationResult': {
    fields: {
      adminAccess: { type: 'boolean' },
      bindingConditions: { type: 'array', items: { type: 'string' } },
      bindingFailureConditions: { type: 'array', items: { type: 'string' } },
      consumedCapacity: { type: 'map', items: { type: 'quantity' } },
      device: { type: 'string', required: true, default: '' },
      driver: { type: 'string', required: true, default: '' },
      pool: { type: 'string', required: true, default: '' },
      request: { type: 'string', required: true, default: '' },
      shareID: { type: 'string' },
      tolerations: { type: 'array', items: { type: 'object-ref', ref: 'io.k8s.api.resource.v1.DeviceToleration' } },
    },
  },
  'io.k8s.api.resource.v1.DeviceSelector': {
    fields: {
      cel: { type: 'object-ref', ref: 'io.k8s.api.resource.v1.CELDeviceSelector' },
    },
  },
  'io.k8s.api.resource.v1.DeviceSubRequest': {
    fields: {
      allocationMode: { type: 'string', enum: enums.DeviceAllocationMode },
      capacity: { type: 'object-ref', ref: 'io.k8s.api.resource.v1.CapacityRequirements' },
      count: { type: 'integer', format: 'int64' },
      deviceClassName: { type: 'string', required: true, default: '' },
      name: { type: 'string', required: true, default: '' },
      selectors: { type: 'array', items: { type: 'object-ref', ref: 'io.k8s.api.resource.v1.DeviceSelector' } },
      tolerations: { type: 'array', items: { type: 'object-ref', ref: 'io.k8s.api.resource.v1.DeviceToleration' } },
    },
  },
  'io.k8s.api.resource.v1.DeviceTaint': {
    fields: {
      effect: { type: 'string', enum: enums.DeviceTaintEffect, required: true, default: '' },
      key: { type: 'string', required: true, default: '' },
      timeAdded: { type: 'date-time' },
      value: { type: 'string' },
    },
  },
  'io.k8s.api.resource.v1.DeviceToleration': {
    fields: {
      effect: { type: 'string', enum: enums.DeviceTaintEffect },
      key: { type: 'string' },
      operator: { type: 'string', enum: enums.DeviceTolerationOperator, default: 'Equal' },
      tolerationSeconds: { type: 'integer', format: 'int64' },
      value: { type: 'string' },
    },
  },
  'io.k8s.api.resource.v1.ExactDeviceRequest': {
    fields: {
      adminAccess: { type: 'boolean' },
      allocationMode: { type: 'string', enum: enums.DeviceAllocationMode },
      capacity: { type: 'object-ref', ref: 'io.k8s.api.resource.v1.CapacityRequirements' },
      count: { type: 'integer', format: 'int64' },
      deviceClassName: { type: 'string', required: true, default: '' },
      selectors: { type: 'array', items: { type: 'object-ref', ref: 'io.k8s.api.resource.v1.DeviceSelector' } },
      tolerations: { type: 'array', items: { type: 'object-ref', ref: 'io.k8s.api.resource.v1.DeviceToleration' } },
    },
  },
  'io.k8s.api.resource.v1.NetworkDeviceData': {
    fields: {
      hardwareAddress: { type: 'string' },
      interfaceName: { type: 'string' },
      ips: { type: 'array', items: { type: 'string' } },
    },
  },
  'io.k8s.api.resource.v1.NodeAllocatableResourceMapping': {
    fields: {
      allocationMultiplier: { type: 'quantity' },
      capacityKey: { type: 'string' },
    },
  },
  'io.k8s.api.resource.v1.OpaqueDeviceConfiguration': {
    fields: {
      driver: { type: 'string', required: true, default: '' },
      parameters: { type: 'any', required: true },
    },
  },
  'io.k8s.api.resource.v1.ResourceClaim': {
    kinds: [{ apiVersion: 'resource.k8s.io/v1', kind: 'ResourceClaim' }],
    fields: {
      apiVersion: { type: 'string' },
      kind: { type: 'string' },
      metadata: { type: 'object-ref', ref: 'io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta' },
      spec: { type: 'object-ref', ref: 'io.k8s.api.resource.v1.ResourceClaimSpec', required: true },
      status: { type: 'object-ref', ref: 'io.k8s.api.resource.v1.ResourceClaimStatus' },
    },
  },
  'io.k8s.api.resource.v1.ResourceClaimConsumerReference': {
    fields: {
      apiGroup: { type: 'string' },
      name: { type: 'string', required: true, default: '' },
      resource: { type: 'string', required: true, default: '' },
      uid: { type: 'string', required: true, default: '' },
    },
  },
  'io.k8s.api.resource.v1.ResourceClaimSpec': {
    fields: {
      devices: { type: 'object-ref', ref: 'io.k8s.api.resource.v1.DeviceClaim' },
    },
  },
  'io.k8s.api.resource.v1.ResourceClaimStatus': {
    fields: {
      allocation: { type: 'object-ref', ref: 'io.k8s.api.resource.v1.AllocationResult' },
      devices: { type: 'array', items: { type: 'object-ref', ref: 'io.k8s.api.resource.v1.AllocatedDeviceStatus' }, listType: 'map', listMapKeys: ['driver', 'device', 'pool', 'shareID'] },
      reservedFor: { type: 'array', items: { type: 'object-ref', ref: 'io.k8s.api.resource.v1.ResourceClaimConsumerReference' }, listType: 'map', listMapKeys: ['uid'], patchStrategies: ['merge'], patchMergeKey: 'uid' },
    },
  },
  'io.k8s.api.resource.v1.ResourcePool': {
    fields: {
      generation: { type: 'integer', format: 'int64', required: true, default: 0 },
      name: { type: 'string', required: true, default: '' },
      resourceSliceCount: { type: 'integer', format: 'int64', required: true, default: 0 },
    },
  },
  'io.k8s.api.resource.v1.ResourceSlice': {
    kinds: [{ apiVersion: 'resource.k8s.io/v1', kind: 'ResourceSlice' }],
    fields: {
      apiVersion: { type: 'string' },
      kind: { type: 'string' },
      metadata: { type: 'object-ref', ref: 'io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta' },
      spec: { type: 'object-ref', ref: 'io.k8s.api.resource.v1.ResourceSliceSpec', required: true },
    },
  },
  'io.k8s.api.resource.v1.ResourceSliceSpec': {
    fields: {
      allNodes: { type: 'boolean' },
      devices: { type: 'array', items: { type: 'object-ref', ref: 'io.k8s.api.resource.v1.Device' } },
      driver: { type: 'string', required: true, default: '' },
      nodeName: { type: 'string' },
      nodeSelector: { type: 'object-ref', ref: 'io.k8s.api.core.v1.NodeSelector' },
      perDeviceNodeSelection: { type: 'boolean' },
      pool: { type: 'object-ref', ref: 'io.k8s.api.resource.v1.ResourcePool', required: true },
      sharedCounters: { type: 'array', items: { type: 'object-ref', ref: 'io.k8s.api.resource.v1.CounterSet' } },
    },
  },
  'io.k8s.api.storage.v1.CSIDriver': {
    kinds: [{ apiVersion: 'storage.k8s.io/v1', kind: 'CSIDriver' }],
    fields: {
      apiVersion: { type: 'string' },
      kind: { type: 'string' },
      metadata: { type: 'object-ref', ref: 'io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta' },
      spec: { type: 'object-ref', ref: 'io.k8s.api.storage.v1.CSIDriverSpec', required: true },
    },
  },
  'io.k8s.api.storage.v1.CSIDriverSpec': {
    fields: {
      attachRequired: { type: 'boolean' },
      fsGroupPolicy: { type: 'string' },
      nodeAllocatableUpdatePeriodSeconds: { type: 'integer', format: 'int64' },
      podInfoOnMount: { type: 'boolean' },
      preventPodSchedulingIfMissing: { type: 'boolean' },
      requiresRepublish: { type: 'boolean' },
      seLinuxMount: { type: 'boolean' },
      serviceAccountTokenInSecrets: { type: 'boolean' },
      storageCapacity: { type: 'boolean' },
      tokenRequests: { type: 'array', items: { type: 'object-ref', ref: 'io.k8s.api.storage.v1.TokenRequest' } },
      volumeLifecycleModes: { type: 'array', items: { type: 'string' }, listType: 'set' },
    },
  },
  'io.k8s.api.storage.v1.CSINode': {
    kinds: [{ apiVersion: 'storage.k8s.io/v1', kind: 'CSINode' }],
    fields: {
      apiVersion: { type: 'string' },
      kind: { type: 'string' },
      metadata: { type: 'object-ref', ref: 'io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta' },
      spec: { type: 'object-ref', ref: 'io.k8s.api.storage.v1.CSINodeSpec', required: true },
    },
  },
  'io.k8s.api.storage.v1.CSINodeDriver': {
    fields: {
      allocatable: { type: 'object-ref', ref: 'io.k8s.api.storage.v1.VolumeNodeResources' },
      name: { type: 'string', required: true, default: '' },
      nodeID: { type: 'string', required: true, default: '' },
      topologyKeys: { type: 'array', items: { type: 'string' } },
    },
  },
  'io.k8s.api.storage.v1.CSINodeSpec': {
    fields: {
      drivers: { type: 'array', items: { type: 'object-ref', ref: 'io.k8s.api.storage.v1.CSINodeDriver' }, required: true, listType: 'map', listMapKeys: ['name'], patchStrategies: ['merge'], patchMergeKey: 'name' },
    },
  },
  'io.k8s.api.storage.v1.TokenRequest': {
    fields: {
      audience: { type: 'string', required: true, default: '' },
      expirationSeconds: { type: 'integer', format: 'int64' },
    },
  },
  'io.k8s.api.storage.v1.VolumeAttachment': {
    kinds: [{ apiVersion: 'storage.k8s.io/v1', kind: 'VolumeAttachment' }],
    fields: {
      apiVersion: { type: 'string' },
      kind: { type: 'string' },
      metadata: { type: 'object-ref', ref: 'io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta' },
      spec: { type: 'object-ref', ref: 'io.k8s.api.storage.v1.VolumeAttachmentSpec', required: true },
      status: { type: 'object-ref', ref: 'io.k8s.api.storage.v1.VolumeAttachmentStatus' },
    },
  },
  'io.k8s.api.storage.v1.VolumeAttachmentSource': {
    fields: {
      inlineVolumeSpec: { type: 'object-ref', ref: 'io.k8s.api.core.v1.PersistentVolumeSpec' },
      persistentVolumeName: { type: 'string' },
    },
  },
  'io.k8s.api.storage.v1.VolumeAttachmentSpec': {
    fields: {
      attacher: { type: 'string', required: true, default: '' },
      nodeName: { type: 'string', required: true, default: '' },
      source: { type: 'object-ref', ref: 'io.k8s.api.storage.v1.VolumeAttachmentSource', required: true },
    },
  },
  'io.k8s.api.storage.v1.VolumeAttachmentStatus': {
    fields: {
      attachError: { type: 'object-ref', ref: 'io.k8s.api.storage.v1.VolumeError' },
      attached: { type: 'boolean', required: true, default: false },
      attachmentMetadata: { type: 'map', items: { type: 'string' } },
      detachError: { type: 'object-ref', ref: 'io.k8s.api.storage.v1.VolumeError' },
    },
  },
  'io.k8s.api.storage.v1.VolumeError': {
    fields: {
      errorCode: { type: 'integer', format: 'int32' },
      message: { type: 'string' },
      time: { type: 'date-time' },
    },
  },
  'io.k8s.api.storage.v1.VolumeNodeResources': {
    fields: {
      count: { type: 'integer', format: 'int32' },
    },
  },
  'io.k8s.apimachinery.pkg.apis.meta.v1.Condition': {
    fields: {
      lastTransitionTime: { type: 'date-time', required: true },
      message: { type: 'string', required: true, default: '' },
      observedGeneration: { type: 'integer', format: 'int64' },
      reason: { type: 'string', required: true, default: '' },
      status: { type: 'string', required: true, default: '' },
      type: { type: 'string', required: true, default: '' },
    },
  },
  'io.k8s.apimachinery.pkg.apis.meta.v1.FieldSelectorRequirement': {
    fields: {
      key: { type: 'string', required: true, default: '' },
      operator: { type: 'string', required: true, default: '' },
      values: { type: 'array', items: { type: 'string' } },
    },
  },
  'io.k8s.apimachinery.pkg.apis.meta.v1.LabelSelector': {
    fields: {
      matchExpressions: { type: 'array', items: { type: 'object-ref', ref: 'io.k8s.apimachinery.pkg.apis.meta.v1.LabelSelectorRequirement' } },
      matchLabels: { type: 'map', items: { type: 'string' } },
    },
  },
  'io.k8s.apimachinery.pkg.apis.meta.v1.LabelSelectorRequirement': {
    fields: {
      key: { type: 'string', required: true, default: '' },
      operator: { type: 'string', required: true, default: '' },
      values: { type: 'array', items: { type: 'string' } },
    },
  },
  'io.k8s.apimachinery.pkg.apis.meta.v1.ListMeta': {
    fields: {
      continue: { type: 'string' },
      remainingItemCount: { type: 'integer', format: 'int64' },
      resourceVersion: { type: 'string' },
      selfLink: { type: 'string' },
      shardInfo: { type: 'object-ref', ref: 'io.k8s.apimachinery.pkg.apis.meta.v1.ShardInfo' },
    },
  },
  'io.k8s.apimachinery.pkg.apis.meta.v1.ManagedFieldsEntry': {
    fields: {
      apiVersion: { type: 'string' },
      fieldsType: { type: 'string' },
      fieldsV1: { type: 'any' },
      manager: { type: 'string' },
      operation: { type: 'string' },
      subresource: { type: 'string' },
      time: { type: 'date-time' },
    },
  },
  'io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta': {
    fields: {
      annotations: { type: 'map', items: { type: 'string' } },
      creationTimestamp: { type: 'date-time' },
      deletionGracePeriodSeconds: { type: 'integer', format: 'int64' },
      deletionTimestamp: { type: 'date-time' },
      finalizers: { type: 'array', items: { type: 'string' }, listType: 'set', patchStrategies: ['merge'] },
      generateName: { type: 'string' },
      generation: { type: 'integer', format: 'int64' },
      labels: { type: 'map', items: { type: 'string' } },
      managedFields: { type: 'array', items: { type: 'object-ref', ref: 'io.k8s.apimachinery.pkg.apis.meta.v1.ManagedFieldsEntry' } },
      name: { type: 'string' },
      namespace: { type: 'string' },
      ownerReferences: { type: 'array', items: { type: 'object-ref', ref: 'io.k8s.apimachinery.pkg.apis.meta.v1.OwnerReference' }, listType: 'map', listMapKeys: ['uid'], patchStrategies: ['merge'], patchMergeKey: 'uid' },
      resourceVersion: { type: 'string' },
      selfLink: { type: 'string' },
      uid: { type: 'string' },
    },
  },
  'io.k8s.apimachinery.pkg.apis.meta.v1.OwnerReference': {
    fields: {
      apiVersion: { type: 'string', required: true, default: '' },
      blockOwnerDeletion: { type: 'boolean' },
      controller: { type: 'boolean' },
      kind: { type: 'string', required: true, default: '' },
      name: { type: 'string', required: true, default: '' },
      uid: { type: 'string', required: true, default: '' },
    },
  },
  'io.k8s.apimachinery.pkg.apis.meta.v1.ShardInfo': {
    fields: {
      selector: { type: 'string', required: true, default: '' },
    },
  },
  'io.k8s.apimachinery.pkg.apis.meta.v1.Status': {
    kinds: [{ apiVersion: 'v1', kind: 'Status' }],
    fields: {
      apiVersion: { type: 'string' },
      code: { type: 'integer', format: 'int32' },
      details: { type: 'object-ref', ref: 'io.k8s.apimachinery.pkg.apis.meta.v1.StatusDetails' },
      kind: { type: 'string' },
      message: { type: 'string' },
      metadata: { type: 'object-ref', ref: 'io.k8s.apimachinery.pkg.apis.meta.v1.ListMeta' },
      reason: { type: 'string' },
      status: { type: 'string' },
    },
  },
  'io.k8s.apimachinery.pkg.apis.meta.v1.StatusCause': {
    fields: {
      field: { type: 'string' },
      message: { type: 'string' },
      reason: { type: 'string' },
    },
  },
  'io.k8s.apimachinery.pkg.apis.meta.v1.StatusDetails': {
    fields: {
      causes: { type: 'array', items: { type: 'object-ref', ref: 'io.k8s.apimachinery.pkg.apis.meta.v1.StatusCause' } },
      group: { type: 'string' },
      kind: { type: 'string' },
      name: { type: 'string' },
      retryAfterSeconds: { type: 'integer', format: 'int32' },
      uid: { type: 'string' },
    },
  },
  'io.k8s.apimachinery.pkg.apis.meta.v1.WatchEvent': {
    kinds: [{ apiVersion: 'v1', kind: 'WatchEvent' }, { apiVersion: 'resource.k8s.io/v1', kind: 'WatchEvent' }],
    fields: {
      object: { type: 'any', required: true },
      type: { type: 'string', required: true, default: '' },
    },
  },
};
