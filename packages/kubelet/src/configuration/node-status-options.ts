import { KubeletConfigurationError, type LoadedConfiguration } from '@rxlet/kubelet-config';
import { NodeIpError, type NodeStatusOptions, parseNodeIps } from '@rxlet/node-status';
import { nodeLabelsOf, reservedThresholdsOf } from './flag-values.ts';
import { toTaints } from './node-admission-options.ts';

/** Returns the options of the module `nodeStatus`. @throws KubeletConfigurationError for addresses that a node cannot have, and an unknown cloud provider */
export function toNodeStatus(loaded: LoadedConfiguration): NodeStatusOptions {
  const { configuration, flags } = loaded;
  const { kubeReserved, systemReserved } = configuration;
  return {
    settings: {
      nodeIps: nodeIps(flags),
      externalCloudProvider: isExternalCloudProvider(flags),
      providerId: configuration.providerID,
      labels: nodeLabelsOf(flags),
      taints: toTaints(configuration.registerWithTaints),
      controllerAttachDetach: configuration.enableControllerAttachDetach,
      maxPods: configuration.maxPods,
      podsPerCore: configuration.podsPerCore,
      kubeletPort: configuration.port,
      maxImages: configuration.nodeStatusMaxImages,
      localStorageIsolation: configuration.localStorageCapacityIsolation,
    },
    registerNode: configuration.registerNode,
    reservations: { kubeReserved, systemReserved, evictionHard: reservedThresholdsOf(loaded) },
    updatePeriodMs: configuration.nodeStatusUpdateFrequency,
    reportPeriodMs: configuration.nodeStatusReportFrequency,
    leaseDurationSeconds: configuration.nodeLeaseDurationSeconds,
  };
}

function nodeIps(flags: LoadedConfiguration['flags']): readonly string[] {
  try {
    return parseNodeIps((flags.get('node-ip') as string | undefined) ?? '');
  } catch (error) {
    if (!(error instanceof NodeIpError)) throw error;
    throw new KubeletConfigurationError('flags', [error.message], { cause: error });
  }
}

/** The kubelet has no other cloud providers any more. */
function isExternalCloudProvider(flags: LoadedConfiguration['flags']): boolean {
  const name = (flags.get('cloud-provider') as string | undefined) ?? '';
  if (name === '' || name === 'external') return name === 'external';
  throw new KubeletConfigurationError('flags', [`--cloud-provider "${name}" is unknown: it is "external" or left out`]);
}
