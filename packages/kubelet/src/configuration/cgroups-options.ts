import type { CgroupsOptions, Enforcement } from '@rxlet/container-manager';
import { type KubeletConfiguration, KubeletConfigurationError, type LoadedConfiguration } from '@rxlet/kubelet-config';
import { countCpus } from '@rxlet/machine';
import { quantityNumber } from '@rxlet/pod-model/quantity';
import type { NodeOptions } from '@rxlet/agent';
import { reservedThresholdsOf } from './flag-values.ts';

const ENFORCEMENTS: readonly Enforcement[] = [
  'pods',
  'system-reserved',
  'kube-reserved',
  'system-reserved-compressible',
  'kube-reserved-compressible',
  'none',
];

/** Returns the options of the module `cgroups`. @throws KubeletConfigurationError for an unknown cgroup driver */
export function toCgroups(loaded: LoadedConfiguration): CgroupsOptions {
  const { configuration, gates } = loaded;
  const { enforceNodeAllocatable, cpuManagerPolicy = 'none', maxPods, podsPerCore } = configuration;
  return {
    cgroupsPerQOS: configuration.cgroupsPerQOS,
    cgroupDriver: cgroupDriver(configuration),
    cgroupRoot: configuration.cgroupRoot,
    enforceNodeAllocatable: ENFORCEMENTS.filter((enforcement) => enforceNodeAllocatable?.includes(enforcement)),
    ...reservations(configuration),
    kubeReservedCgroup: configuration.kubeReservedCgroup,
    systemReservedCgroup: configuration.systemReservedCgroup,
    evictionHard: reservedThresholdsOf(loaded),
    podPidsLimit: configuration.podPidsLimit,
    qosReserved: configuration.qosReserved,
    qosReservedEnabled: gates.isEnabled('QOSReserved'),
    memoryQos: toMemoryQos(loaded),
    cpuCfsQuota: configuration.cpuCFSQuota,
    cpuCfsQuotaPeriodUs: (configuration.cpuCFSQuotaPeriod ?? 100) * 1000,
    assignAllCpus: cpuManagerPolicy === 'none',
    failSwapOn: configuration.failSwapOn,
    kernelParameters: configuration.protectKernelDefaults === true ? 'check' : 'set',
    kubeletCgroups: configuration.kubeletCgroups || undefined,
    systemCgroups: configuration.systemCgroups || undefined,
    maxPods,
    podsPerCore,
  };
}

/** Returns the settings of memory QoS for containers; `undefined` while its feature gate is off, as by default. */
export function toContainerMemoryQos(
  loaded: LoadedConfiguration,
  memoryCapacityBytes: bigint,
): NodeOptions['memoryQos'] {
  const memoryQos = toMemoryQos(loaded);
  const { kubeReserved, systemReserved } = loaded.configuration;
  const reserved = quantityNumber(kubeReserved?.['memory']) + quantityNumber(systemReserved?.['memory']);
  return memoryQos && { ...memoryQos, allocatableBytes: Math.max(0, Number(memoryCapacityBytes) - reserved) };
}

function toMemoryQos({ configuration, gates }: LoadedConfiguration): NodeOptions['memoryQos'] {
  if (!gates.isEnabled('MemoryQoS')) return undefined;
  const { memoryReservationPolicy, memoryThrottlingFactor = 0.9 } = configuration;
  const reservationPolicy = memoryReservationPolicy === 'TieredReservation' ? 'TieredReservation' : 'None';
  return { reservationPolicy, throttlingFactor: memoryThrottlingFactor };
}

function cgroupDriver({ cgroupDriver: driver = 'cgroupfs' }: KubeletConfiguration): 'cgroupfs' | 'systemd' {
  if (driver === 'cgroupfs' || driver === 'systemd') return driver;
  throw new KubeletConfigurationError('start', [`cgroupDriver "${driver}" is neither "cgroupfs" nor "systemd"`]);
}

/**
 * Returns the reserved resources. `reservedSystemCPUs` takes the place of reserved amounts of CPU, as in the kubelet.
 * @throws KubeletConfigurationError for a malformed list of CPUs
 */
export function reservations({
  kubeReserved,
  systemReserved,
  reservedSystemCPUs,
}: KubeletConfiguration): Pick<CgroupsOptions, 'kubeReserved' | 'systemReserved'> {
  if (!reservedSystemCPUs) return { kubeReserved, systemReserved };
  const { cpu: _amount, ...others } = kubeReserved ?? {};
  const cpus = countCpus(reservedSystemCPUs);
  if (cpus === undefined)
    throw new KubeletConfigurationError('start', [`reservedSystemCPUs "${reservedSystemCPUs}" is no list of CPUs`]);
  return { kubeReserved: others, systemReserved: { ...systemReserved, cpu: String(cpus) } };
}
