import { errorMessage } from '@rxlet/component-base';
import type { Taint } from '@rxlet/kube-api';
import { type KubeletConfiguration, KubeletConfigurationError, type LoadedConfiguration } from '@rxlet/kubelet-config';
import { createSysctlAllowlist, type NodeAdmissionOptions } from '@rxlet/node-admission';
import { nodeLabelsOf } from './flag-values.ts';

/** Returns the options of the module `nodeAdmission`. @throws KubeletConfigurationError for kernel parameters that cannot be allowed */
export function toNodeAdmission({ configuration, flags }: LoadedConfiguration): NodeAdmissionOptions {
  const { maxPods, podsPerCore, allowedUnsafeSysctls, registerWithTaints, localStorageCapacityIsolation } =
    configuration;
  try {
    createSysctlAllowlist({ kernelVersion: '', allowedUnsafeSysctls });
  } catch (error) {
    throw new KubeletConfigurationError('start', [`allowedUnsafeSysctls: ${errorMessage(error)}`], { cause: error });
  }
  return {
    maxPods,
    podsPerCore,
    allowedUnsafeSysctls,
    registerWithTaints: toTaints(registerWithTaints),
    localStorageCapacityIsolation,
    nodeLabels: nodeLabelsOf(flags),
  };
}

const EFFECTS: readonly Taint['effect'][] = ['NoExecute', 'NoSchedule', 'PreferNoSchedule'];

/** Returns the taints that have an effect. */
export function toTaints(taints: KubeletConfiguration['registerWithTaints'] = []): readonly Taint[] {
  return taints.flatMap(({ key = '', value = '', effect }) => {
    const known = EFFECTS.find((name) => name === effect);
    return known === undefined ? [] : [{ key, value, effect: known }];
  });
}
