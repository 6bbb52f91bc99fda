/** Type of a field in a message of Kubernetes. */
export type FieldType =
  | 'string'
  | 'bool'
  | 'int'
  /** Maps of strings to strings, and to bytes. */
  | 'map'
  | 'bytes-map'
  /** An integer or a string, in a message of its own. */
  | 'int-or-string'
  /** Left out: the server sets it. */
  | 'skipped'
  /** A message of {@link messageFields}. */
  | `@${string}`;

/** A field of a message, by its number. */
export interface MessageField {
  readonly name: string;
  readonly type: FieldType;
  readonly isRepeated: boolean;
  /** Zero is a value, and not its absence. */
  readonly isOptional: boolean;
}

/**
 * Messages that clients write with Protocol Buffers: those of `kubectl create`, `kubectl drain` and the like. A field is `name:number:type`, with `*` after the type of a
 * list and `?` after that of a value whose zero counts.
 */
const MESSAGES: Readonly<Record<string, string>> = {
  ObjectMeta: `name:1:string generateName:2:string namespace:3:string selfLink:4:skipped uid:5:string
    resourceVersion:6:string generation:7:skipped creationTimestamp:8:skipped deletionTimestamp:9:skipped
    deletionGracePeriodSeconds:10:skipped labels:11:map annotations:12:map ownerReferences:13:@OwnerReference*
    finalizers:14:string* managedFields:17:skipped`,
  OwnerReference:
    'kind:1:string name:3:string uid:4:string apiVersion:5:string controller:6:bool? blockOwnerDeletion:7:bool?',
  Namespace: 'metadata:1:@ObjectMeta spec:2:@NamespaceSpec status:3:skipped',
  NamespaceSpec: 'finalizers:1:string*',
  ConfigMap: 'metadata:1:@ObjectMeta data:2:map binaryData:3:bytes-map immutable:4:bool?',
  Secret: 'metadata:1:@ObjectMeta data:2:bytes-map type:3:string stringData:4:map immutable:5:bool?',
  ServiceAccount: `metadata:1:@ObjectMeta secrets:2:@ObjectReference* imagePullSecrets:3:@LocalObjectReference*
    automountServiceAccountToken:4:bool?`,
  ObjectReference: `kind:1:string namespace:2:string name:3:string uid:4:string apiVersion:5:string
    resourceVersion:6:string fieldPath:7:string`,
  LocalObjectReference: 'name:1:string',
  Service: 'metadata:1:@ObjectMeta spec:2:@ServiceSpec status:3:skipped',
  ServiceSpec: `ports:1:@ServicePort* selector:2:map clusterIP:3:string type:4:string externalIPs:5:string*
    sessionAffinity:7:string loadBalancerIP:8:string loadBalancerSourceRanges:9:string* externalName:10:string
    externalTrafficPolicy:11:string healthCheckNodePort:12:int publishNotReadyAddresses:13:bool ipFamilyPolicy:17:string?
    clusterIPs:18:string* ipFamilies:19:string* allocateLoadBalancerNodePorts:20:bool? loadBalancerClass:21:string?
    internalTrafficPolicy:22:string? trafficDistribution:23:string?`,
  ServicePort: `name:1:string protocol:2:string port:3:int targetPort:4:int-or-string nodePort:5:int
    appProtocol:6:string?`,
  TokenRequest: 'metadata:1:@ObjectMeta spec:2:@TokenRequestSpec status:3:skipped',
  TokenRequestSpec: 'audiences:1:string* boundObjectRef:3:@BoundObjectReference expirationSeconds:4:int?',
  BoundObjectReference: 'kind:1:string apiVersion:2:string name:3:string uid:4:string',
  Deployment: 'metadata:1:@ObjectMeta spec:2:@DeploymentSpec status:3:skipped',
  DeploymentSpec: `replicas:1:int? selector:2:@LabelSelector template:3:@PodTemplateSpec strategy:4:@DeploymentStrategy
    minReadySeconds:5:int revisionHistoryLimit:6:int? paused:7:bool progressDeadlineSeconds:9:int?`,
  DeploymentStrategy: 'type:1:string rollingUpdate:2:@RollingUpdateDeployment',
  RollingUpdateDeployment: 'maxUnavailable:1:int-or-string maxSurge:2:int-or-string',
  LabelSelector: 'matchLabels:1:map matchExpressions:2:@LabelSelectorRequirement*',
  LabelSelectorRequirement: 'key:1:string operator:2:string values:3:string*',
  PodTemplateSpec: 'metadata:1:@ObjectMeta spec:2:@PodSpec',
  PodSpec: `containers:2:@Container* restartPolicy:3:string terminationGracePeriodSeconds:4:int?
    activeDeadlineSeconds:5:int? dnsPolicy:6:string nodeSelector:7:map serviceAccountName:8:string
    serviceAccount:9:string nodeName:10:string hostNetwork:11:bool hostPID:12:bool hostIPC:13:bool hostname:16:string
    subdomain:17:string schedulerName:19:string initContainers:20:@Container* automountServiceAccountToken:21:bool?
    priorityClassName:24:string`,
  Container: `name:1:string image:2:string command:3:string* args:4:string* workingDir:5:string ports:6:@ContainerPort*
    env:7:@EnvVar* resources:8:@ResourceRequirements terminationMessagePath:13:string imagePullPolicy:14:string
    stdin:16:bool stdinOnce:17:bool tty:18:bool terminationMessagePolicy:20:string`,
  ContainerPort: 'name:1:string hostPort:2:int containerPort:3:int protocol:4:string hostIP:5:string',
  EnvVar: 'name:1:string value:2:string',
  // An object with amounts is rejected, and an empty one is what clients send for none.
  ResourceRequirements: '',
  Job: 'metadata:1:@ObjectMeta spec:2:@JobSpec status:3:skipped',
  JobSpec: `parallelism:1:int? completions:2:int? activeDeadlineSeconds:3:int? selector:4:@LabelSelector
    manualSelector:5:bool? template:6:@PodTemplateSpec backoffLimit:7:int? ttlSecondsAfterFinished:8:int?
    completionMode:9:string? suspend:10:bool?`,
  Scale: 'metadata:1:@ObjectMeta spec:2:@ScaleSpec status:3:skipped',
  ScaleSpec: 'replicas:1:int',
  Eviction: 'metadata:1:@ObjectMeta deleteOptions:2:@DeleteOptions',
  DeleteOptions: `gracePeriodSeconds:1:int? preconditions:2:@Preconditions orphanDependents:3:bool?
    propagationPolicy:4:string? dryRun:5:string*`,
  Preconditions: 'uid:1:string? resourceVersion:2:string?',
};

const parsed = new Map<string, ReadonlyMap<number, MessageField>>();

/** Returns the fields of a message by their numbers; `undefined` for an unknown message. */
export function messageFields(name: string): ReadonlyMap<number, MessageField> | undefined {
  if (!Object.hasOwn(MESSAGES, name)) return undefined;
  const known = parsed.get(name);
  if (known !== undefined) return known;
  const fields = new Map(MESSAGES[name]!.split(/\s+/).filter(Boolean).map(parseField));
  parsed.set(name, fields);
  return fields;
}

function parseField(text: string): [number, MessageField] {
  const [name = '', number = '', type = ''] = text.split(':');
  const isRepeated = type.endsWith('*');
  const isOptional = type.endsWith('?');
  return [Number(number), { name, type: type.replace(/[*?]$/, '') as FieldType, isRepeated, isOptional }];
}
