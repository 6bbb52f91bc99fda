import type { EventObject } from '@rxlet/component-base/events';
import type { CgroupDriver, CgroupName } from '@rxlet/pod-model/cgroups';
import type { ResourceAmounts } from '@rxlet/pod-model/resources';
import type { ContainerManagerOptions } from '../container-manager-options.ts';
import type { MachineResources } from '../resources/machine-resources.ts';
import { enforceableResources, type Reservations } from '../resources/node-resources.ts';
import type { CgroupValues } from '../values/cgroup-values.ts';
import type { MemoryQos } from '../values/memory-qos.ts';
import { compressibleValues, nodeCgroupValues, reservedValues } from '../values/node-values.ts';
import type { NodeCgroups, ReservedCgroup } from './node-cgroups.ts';
import { parseCgroupName } from './parse-cgroup-name.ts';
import { podsName } from './qos-cgroups.ts';

/** Input of {@link planNodeCgroups} besides the options. */
export interface NodeCgroupsInput {
  readonly machine: MachineResources;
  readonly reservations: Reservations;
  readonly driver: CgroupDriver;
  readonly root: CgroupName;
  /** Object of the events. */
  readonly node: EventObject;
  /** Absent: off, as always with cgroup v1. */
  readonly memoryQos: MemoryQos | undefined;
}

/** Returns the limits of the node-level cgroups: that of all pods, and those for reserved resources that are enforced. */
export function planNodeCgroups(options: ContainerManagerOptions, input: NodeCgroupsInput): NodeCgroups {
  const { machine, reservations, root, node } = input;
  const { enforceNodeAllocatable = ['pods'], assignAllCpus = true } = options;
  const cpus = assignAllCpus ? machine.cpus : undefined;
  const forPods = enforceNodeAllocatable.includes('pods')
    ? enforceableResources(machine.capacity, reservations)
    : machine.capacity;
  return {
    pods: { name: podsName(root), values: nodeCgroupValues(forPods, cpus) },
    reserved: reservedCgroups(options, input, cpus),
    node,
  };
}

function reservedCgroups(
  { enforceNodeAllocatable = [], systemReservedCgroup, kubeReservedCgroup }: ContainerManagerOptions,
  { reservations: { systemReserved, kubeReserved }, driver, memoryQos }: NodeCgroupsInput,
  cpus: string | undefined,
): readonly ReservedCgroup[] {
  const hard = (amounts: ResourceAmounts): CgroupValues => reservedValues(amounts, cpus, memoryQos);
  const compressible = (amounts: ResourceAmounts): CgroupValues => compressibleValues(amounts, cpus);
  const rules = [
    ['system-reserved', 'system', systemReservedCgroup, systemReserved, hard],
    ['kube-reserved', 'kube', kubeReservedCgroup, kubeReserved, hard],
    ['system-reserved-compressible', 'system', systemReservedCgroup, systemReserved, compressible],
    ['kube-reserved-compressible', 'kube', kubeReservedCgroup, kubeReserved, compressible],
  ] as const;
  return rules.flatMap(([enforcement, owner, path = '', amounts, valuesOf]) =>
    enforceNodeAllocatable.includes(enforcement)
      ? [{ name: parseCgroupName(path, driver), path, values: isEmpty(amounts) ? undefined : valuesOf(amounts), owner }]
      : [],
  );
}

function isEmpty(amounts: ResourceAmounts): boolean {
  return Object.keys(amounts).length === 0;
}
