import { type KubeletConfiguration, KubeletConfigurationError } from '@rxlet/component-base/kubelet-configuration';
import type { Taint } from '@rxlet/kube-api';
import type { NodeConfiguration } from './module-configuration.ts';

/** Returns the labels with which the node registers (kubelet flag `--node-labels`). */
export function labelsOfNode({ flags }: Pick<NodeConfiguration, 'flags'>): Readonly<Record<string, string>> {
  return (flags.get('node-labels') ?? {}) as Readonly<Record<string, string>>;
}

const EFFECTS: readonly Taint['effect'][] = ['NoExecute', 'NoSchedule', 'PreferNoSchedule'];

/** Returns the taints with which the node registers (KubeletConfiguration `registerWithTaints`), as far as they have an effect. */
export function taintsOfNode({ registerWithTaints = [] }: KubeletConfiguration): readonly Taint[] {
  return registerWithTaints.flatMap(({ key = '', value = '', effect }) => {
    const known = EFFECTS.find((name) => name === effect);
    return known === undefined ? [] : [{ key, value, effect: known }];
  });
}

/** Returns the hard eviction thresholds that are reserved on the node: none with `--experimental-allocatable-ignore-eviction`. */
export function reservedThresholdsOfNode({
  configuration,
  flags,
}: Pick<NodeConfiguration, 'configuration' | 'flags'>): Readonly<Record<string, string>> | undefined {
  return flags.get('experimental-allocatable-ignore-eviction') === true ? undefined : configuration.evictionHard;
}

/** Resources of the node that are reserved for Kubernetes and for the system. */
export interface ReservedResources {
  readonly kubeReserved: Readonly<Record<string, string>> | undefined;
  readonly systemReserved: Readonly<Record<string, string>> | undefined;
}

/**
 * Returns the reserved resources. `reservedSystemCPUs`, a list that `countCpus` reads, takes the place of reserved amounts of CPU, as in the kubelet.
 *
 * @throws KubeletConfigurationError for a malformed list of CPUs
 */
export function reservedResourcesOfNode(
  { kubeReserved, systemReserved, reservedSystemCPUs }: KubeletConfiguration,
  countCpus: (list: string) => number | undefined,
): ReservedResources {
  if (!reservedSystemCPUs) return { kubeReserved, systemReserved };
  const { cpu: _amount, ...others } = kubeReserved ?? {};
  const cpus = countCpus(reservedSystemCPUs);
  if (cpus === undefined)
    throw new KubeletConfigurationError('start', [`reservedSystemCPUs "${reservedSystemCPUs}" is no list of CPUs`]);
  return { kubeReserved: others, systemReserved: { ...systemReserved, cpu: String(cpus) } };
}
