import {
  KubeletConfigurationError,
  labelsOfNode,
  type ModuleConfiguration,
  type NodeConfiguration,
  reservedThresholdsOfNode,
  taintsOfNode,
} from '@rxlet/agent-api/configuration';
import { NodeIpError, parseNodeIps } from './node-ips.ts';
import { nodeStatus, type NodeStatusOptions } from './node-status-module.ts';
import { nodeView, type NodeViewOptions } from './node-view-module.ts';
import { podCidr, type PodCidrOptions } from './pod-cidr-module.ts';

/** Configuration of the module `nodeStatus`. */
export const nodeStatusConfiguration: ModuleConfiguration<NodeStatusOptions> = {
  name: 'node-status',
  reloadableFields: ['maxPods', 'podsPerCore'],
  agents: 'cluster',
  fields: [
    'enableControllerAttachDetach',
    'evictionHard',
    'kubeReserved',
    'localStorageCapacityIsolation',
    'maxPods',
    'nodeLeaseDurationSeconds',
    'nodeStatusMaxImages',
    'nodeStatusReportFrequency',
    'nodeStatusUpdateFrequency',
    'podsPerCore',
    'port',
    'providerID',
    'registerNode',
    'registerWithTaints',
    'systemReserved',
  ],
  flags: ['cloud-provider', 'experimental-allocatable-ignore-eviction', 'node-ip', 'node-labels'],
  defaults: {},
  options: toNodeStatus,
  module: nodeStatus,
};

/** Configuration of the module `nodeView`, by which an agent without an API server shows its node. */
export const nodeViewConfiguration: ModuleConfiguration<NodeViewOptions> = {
  name: 'node-view',
  agents: 'standalone',
  fields: ['evictionHard', 'kubeReserved', 'maxPods', 'podsPerCore', 'port', 'providerID', 'systemReserved'],
  flags: ['node-ip', 'node-labels'],
  defaults: {},
  options(node) {
    const { settings, reservations } = toNodeStatus(node);
    return { settings, reservations };
  },
  module: nodeView,
};

/** Configuration of the module `podCidr`. In a cluster, the control plane assigns the range. */
export const podCidrConfiguration: ModuleConfiguration<PodCidrOptions> = {
  name: 'pod-cidr',
  agents: 'standalone',
  fields: ['podCIDR'],
  options: ({ configuration: { podCIDR } }) => (podCIDR ? { podCidr: podCIDR } : undefined),
  module: podCidr,
};

/** Returns the options. @throws KubeletConfigurationError for addresses that a node cannot have, and an unknown cloud provider */
function toNodeStatus(node: NodeConfiguration): NodeStatusOptions {
  const { configuration, flags } = node;
  const { kubeReserved, systemReserved } = configuration;
  return {
    settings: {
      nodeIps: nodeIps(flags),
      externalCloudProvider: isExternalCloudProvider(flags),
      providerId: configuration.providerID,
      labels: labelsOfNode({ flags }),
      taints: taintsOfNode(configuration),
      controllerAttachDetach: configuration.enableControllerAttachDetach,
      maxPods: configuration.maxPods,
      podsPerCore: configuration.podsPerCore,
      kubeletPort: configuration.port,
      maxImages: configuration.nodeStatusMaxImages,
      localStorageIsolation: configuration.localStorageCapacityIsolation,
    },
    registerNode: configuration.registerNode,
    reservations: { kubeReserved, systemReserved, evictionHard: reservedThresholdsOfNode(node) },
    updatePeriodMs: configuration.nodeStatusUpdateFrequency,
    reportPeriodMs: configuration.nodeStatusReportFrequency,
    leaseDurationSeconds: configuration.nodeLeaseDurationSeconds,
  };
}

function nodeIps(flags: NodeConfiguration['flags']): readonly string[] {
  try {
    return parseNodeIps((flags.get('node-ip') as string | undefined) ?? '');
  } catch (error) {
    if (!(error instanceof NodeIpError)) throw error;
    throw new KubeletConfigurationError('flags', [error.message], { cause: error });
  }
}

/** The kubelet has no other cloud providers any more. */
function isExternalCloudProvider(flags: NodeConfiguration['flags']): boolean {
  const name = (flags.get('cloud-provider') as string | undefined) ?? '';
  if (name === '' || name === 'external') return name === 'external';
  throw new KubeletConfigurationError('flags', [`--cloud-provider "${name}" is unknown: it is "external" or left out`]);
}
