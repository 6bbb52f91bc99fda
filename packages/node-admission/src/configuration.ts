import {
  KubeletConfigurationError,
  labelsOfNode,
  type ModuleConfiguration,
  type NodeConfiguration,
  taintsOfNode,
} from '@rxlet/agent-api/configuration';
import { errorMessage } from '@rxlet/component-base';
import { nodeAdmission, type NodeAdmissionOptions } from './node-admission-module.ts';
import { createSysctlAllowlist } from './sysctls.ts';

/** Configuration of the module `nodeAdmission`. */
export const nodeAdmissionConfiguration: ModuleConfiguration<NodeAdmissionOptions> = {
  name: 'node-admission',
  reloadableFields: ['maxPods', 'podsPerCore'],
  fields: ['allowedUnsafeSysctls', 'localStorageCapacityIsolation', 'maxPods', 'podsPerCore', 'registerWithTaints'],
  flags: ['node-labels'],
  defaults: {},
  options: toNodeAdmission,
  module: nodeAdmission,
};

/** Returns the options. @throws KubeletConfigurationError for kernel parameters that cannot be allowed */
function toNodeAdmission({ configuration, flags }: NodeConfiguration): NodeAdmissionOptions {
  const { maxPods, podsPerCore, allowedUnsafeSysctls, localStorageCapacityIsolation } = configuration;
  try {
    createSysctlAllowlist({ kernelVersion: '', allowedUnsafeSysctls });
  } catch (error) {
    throw new KubeletConfigurationError('start', [`allowedUnsafeSysctls: ${errorMessage(error)}`], { cause: error });
  }
  return {
    maxPods,
    podsPerCore,
    allowedUnsafeSysctls,
    registerWithTaints: taintsOfNode(configuration),
    localStorageCapacityIsolation,
    nodeLabels: labelsOfNode({ flags }),
  };
}
