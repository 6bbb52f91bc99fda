import { hostPlatform } from '@rxlet/machine';
import type { NodeSettings } from './node-status-inputs.ts';

/** Version of Kubernetes whose kubelet the node behaves like. */
const KUBELET_VERSION = 'v1.36.2';

/** Features that the scheduler must know of, because older nodes lack them. */
const SUPPORTED_FEATURES: readonly string[] = [
  'InPlacePodLevelResourcesVerticalScaling',
  'InPlacePodVerticalScalingInitContainers',
  'RestartAllContainersOnContainerExits',
];

/** Returns the settings of a node of that name on this machine, with the given ones. */
export function nodeSettings(name: string, given: Partial<Omit<NodeSettings, 'name'>> | undefined): NodeSettings {
  return {
    operatingSystem: process.platform,
    architecture: hostPlatform().architecture,
    kubeletVersion: KUBELET_VERSION,
    declaredFeatures: SUPPORTED_FEATURES,
    ...given,
    name,
  };
}
