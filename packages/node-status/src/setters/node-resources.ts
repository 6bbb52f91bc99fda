import type { Mutable, Node } from '@rxlet/kube-api';
import { machineCapacity as machineAmounts } from '@rxlet/machine';
import {
  compareQuantities,
  formatQuantity,
  makeQuantity,
  parseQuantity,
  subtractQuantities,
  zeroQuantity,
} from '@rxlet/pod-model/quantity';
import type { ResourceList } from '@rxlet/pod-model/resources';
import type { NodeMachine, NodeStatusInputs } from '../node-status-inputs.ts';
import { isExtendedResource, isHugePageResource } from '../resource-names.ts';

/** Inputs of {@link setNodeResources}. */
export type NodeResourceInputs = Pick<
  NodeStatusInputs,
  'settings' | 'machine' | 'ephemeralStorageBytes' | 'reservation' | 'devices'
>;

/**
 * Sets `status.capacity` and `status.allocatable`. Resources that others have added to the Node object are kept; extended resources without a capacity are
 * removed from allocatable.
 */
export function setNodeResources(node: Mutable<Node>, inputs: NodeResourceInputs): void {
  const { devices, reservation } = inputs;
  const status = (node.status ??= {});
  const capacity = { ...status.capacity, ...ownCapacity(inputs) };
  status.capacity = capacity;
  const kept = Object.entries(status.allocatable ?? {}).filter(
    ([name]) => name in capacity || !isExtendedResource(name),
  );
  const allocatable: Record<string, string | number> = {
    ...Object.fromEntries(kept),
    ...Object.fromEntries(
      Object.entries(capacity).map(([name, amount]) => [name, remaining(amount, reservation[name])] as const),
    ),
    ...(inputs.machine !== undefined && devices.allocatable),
  };
  // Huge pages are set aside from the node's memory.
  for (const [name, amount] of Object.entries(capacity)) {
    if (isHugePageResource(name)) allocatable['memory'] = remaining(allocatable['memory'] ?? '0', String(amount));
  }
  status.allocatable = allocatable;
}

/** Returns the capacity that the node itself knows. */
function ownCapacity({ settings, machine, ephemeralStorageBytes, devices }: NodeResourceInputs): ResourceList {
  const { maxPods = 110, podsPerCore = 0, localStorageIsolation = true } = settings;
  if (machine === undefined) return { cpu: '0', memory: '0', pods: String(maxPods) };
  return {
    ...machineCapacity(machine),
    pods: String(podsPerCore > 0 ? Math.min(machine.cores * podsPerCore, maxPods) : maxPods),
    ...(localStorageIsolation &&
      ephemeralStorageBytes !== undefined && { 'ephemeral-storage': binaryQuantity(ephemeralStorageBytes) }),
    ...devices.capacity,
    ...Object.fromEntries(devices.removed.map((name) => [name, '0'] as const)),
  };
}

/** Returns the capacity of a machine: `cpu`, `memory` and huge pages. */
export function machineCapacity(machine: NodeMachine): ResourceList {
  return Object.fromEntries(
    Object.entries(machineAmounts(machine)).map(([name, amount]) => [name, formatQuantity(amount)]),
  );
}

/** Formats bytes as a quantity, such as `4Gi`. */
export function binaryQuantity(bytes: number): string {
  return formatQuantity(makeQuantity(bytes, 0, 'binarySI'));
}

/** Returns the difference; 0 instead of less. */
function remaining(amount: string | number, taken: string | undefined): string {
  const total = parseQuantity(amount);
  if (taken === undefined) return formatQuantity(total);
  const left = subtractQuantities(total, parseQuantity(taken));
  return formatQuantity(compareQuantities(left, zeroQuantity) < 0 ? zeroQuantity : left);
}
