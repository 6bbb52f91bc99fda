import { containerFields, type SupportedPodField } from '@rxlet/agent-api/pod-fields';

/** Fields of a pod as a whole that the core honours, or that concern others than the node. */
const ofPod = [
  'affinity',
  'automountServiceAccountToken',
  'dnsConfig',
  'dnsPolicy',
  'enableServiceLinks',
  'hostAliases',
  'hostIPC',
  'hostNetwork',
  'hostPID',
  'hostUsers',
  'hostname',
  'hostnameOverride',
  'nodeName',
  'nodeSelector',
  'os',
  'overhead',
  'preemptionPolicy',
  'priority',
  'priorityClassName',
  'readinessGates',
  'restartPolicy',
  'schedulerName',
  'schedulingGates',
  'schedulingGroup',
  'securityContext',
  'serviceAccount',
  'serviceAccountName',
  'setHostnameAsFQDN',
  'shareProcessNamespace',
  'subdomain',
  'terminationGracePeriodSeconds',
  'tolerations',
  'topologySpreadConstraints',
  // The runtime mounts images; every other kind of volume needs a module that mounts it.
  'volumes[*].name',
  'volumes[*].image',
].map((field) => `spec.${field}`);

/**
 * Fields of containers that the core honours. Values from ConfigMaps and Secrets are among them: without a module that reads these, the container waits with
 * reason CreateContainerConfigError.
 */
const ofContainers = containerFields(
  'args',
  'command',
  'env',
  'envFrom',
  'image',
  'imagePullPolicy',
  'lifecycle.stopSignal',
  'name',
  'ports',
  'resizePolicy',
  'restartPolicy',
  'restartPolicyRules',
  'securityContext',
  'stdin',
  'stdinOnce',
  'terminationMessagePath',
  'terminationMessagePolicy',
  'tty',
  'volumeMounts[*].name',
  'volumeMounts[*].mountPath',
  'volumeMounts[*].readOnly',
  'volumeMounts[*].recursiveReadOnly',
  'volumeMounts[*].mountPropagation',
  'volumeMounts[*].subPath',
  'volumeMounts[*].subPathExpr',
  'workingDir',
);

/** Resources that the runtime enforces. Those of vendors are devices, which a module must allocate. */
const ofResources = containerFields('resources.limits.*', 'resources.requests.*').map((path) => ({
  path,
  accepts: (_amount: unknown, resource: string) => !isExtendedResource(resource),
}));

/** Pod fields that an agent without modules supports. */
export const corePodFields: readonly SupportedPodField[] = [
  ...ofPod,
  ...ofContainers,
  'spec.ephemeralContainers[*].targetContainerName',
  ...ofResources,
];

/** Whether a resource belongs to a vendor's domain, as opposed to Kubernetes' own. */
function isExtendedResource(name: string): boolean {
  return name.includes('/') && !/^(.*\.)?kubernetes\.io\//.test(name);
}
