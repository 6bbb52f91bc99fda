import {
  type KubeletConfiguration,
  KubeletConfigurationError,
  type ModuleConfiguration,
  type NodeConfiguration,
  reservedResourcesOfNode,
  reservedThresholdsOfNode,
} from '@rxlet/agent-api/configuration';
import { countCpus } from '@rxlet/machine';
import { cgroups, type CgroupsOptions } from './cgroups-module.ts';
import type { Enforcement } from './container-manager-options.ts';
import { oomEvents, type OomEventsOptions } from './oom-events-module.ts';
import { podAllocation } from './pod-allocation-module.ts';
import type { ResizePolicies } from './resize/resize-fit.ts';

/** Configuration of the module `cgroups`. */
export const cgroupsConfiguration: ModuleConfiguration<CgroupsOptions> = {
  name: 'cgroups',
  gates: ['MemoryQoS', 'QOSReserved'],
  flags: ['experimental-allocatable-ignore-eviction'],
  fields: [
    'cgroupDriver',
    'cgroupRoot',
    'cgroupsPerQOS',
    'cpuCFSQuota',
    'cpuCFSQuotaPeriod',
    'cpuManagerPolicy',
    'enforceNodeAllocatable',
    'evictionHard',
    'failSwapOn',
    'kubeReserved',
    'kubeReservedCgroup',
    'kubeletCgroups',
    'maxPods',
    'memoryReservationPolicy',
    'podPidsLimit',
    'podsPerCore',
    'protectKernelDefaults',
    'qosReserved',
    'reservedSystemCPUs',
    'systemCgroups',
    'systemReserved',
    'systemReservedCgroup',
  ],
  options: toCgroups,
  module: cgroups,
};

/** Configuration of the module `podAllocation`. */
export const podAllocationConfiguration: ModuleConfiguration<ResizePolicies> = {
  name: 'pod-allocation',
  fields: ['cpuManagerPolicy', 'memoryManagerPolicy', 'memorySwap.swapBehavior'],
  defaults: {},
  options: ({ configuration: { cpuManagerPolicy, memoryManagerPolicy, memorySwap }, facts }) => ({
    cpuManagerPolicy,
    memoryManagerPolicy,
    limitedSwap: memorySwap?.swapBehavior === 'LimitedSwap' && facts.swap !== undefined && facts.swapAccounting,
  }),
  module: podAllocation,
};

/** Configuration of the module `oomEvents`. */
export const oomEventsConfiguration: ModuleConfiguration<OomEventsOptions> = {
  name: 'oom-events',
  options: () => ({}),
  module: oomEvents,
};

const ENFORCEMENTS: readonly Enforcement[] = [
  'pods',
  'system-reserved',
  'kube-reserved',
  'system-reserved-compressible',
  'kube-reserved-compressible',
  'none',
];

/** Returns the options of the module `cgroups`. @throws KubeletConfigurationError for an unknown cgroup driver */
function toCgroups(node: NodeConfiguration): CgroupsOptions {
  const { configuration, gates } = node;
  const { enforceNodeAllocatable, cpuManagerPolicy = 'none', maxPods, podsPerCore } = configuration;
  return {
    cgroupsPerQOS: configuration.cgroupsPerQOS,
    cgroupDriver: cgroupDriver(configuration),
    cgroupRoot: configuration.cgroupRoot,
    enforceNodeAllocatable: ENFORCEMENTS.filter((enforcement) => enforceNodeAllocatable?.includes(enforcement)),
    ...reservedResourcesOfNode(configuration, countCpus),
    kubeReservedCgroup: configuration.kubeReservedCgroup,
    systemReservedCgroup: configuration.systemReservedCgroup,
    evictionHard: reservedThresholdsOfNode(node),
    podPidsLimit: configuration.podPidsLimit,
    qosReserved: configuration.qosReserved,
    qosReservedEnabled: gates.isEnabled('QOSReserved'),
    memoryQos: toMemoryQos(node),
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

/** Returns the settings of memory QoS; `undefined` while its feature gate is off, as by default. */
function toMemoryQos({ configuration, gates }: NodeConfiguration): CgroupsOptions['memoryQos'] {
  if (!gates.isEnabled('MemoryQoS')) return undefined;
  const isTiered = configuration.memoryReservationPolicy === 'TieredReservation';
  return { reservationPolicy: isTiered ? 'TieredReservation' : 'None' };
}

function cgroupDriver({ cgroupDriver: driver = 'cgroupfs' }: KubeletConfiguration): 'cgroupfs' | 'systemd' {
  if (driver === 'cgroupfs' || driver === 'systemd') return driver;
  throw new KubeletConfigurationError('start', [`cgroupDriver "${driver}" is neither "cgroupfs" nor "systemd"`]);
}
