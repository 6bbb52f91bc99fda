import type { AssignedDevices } from '@rxlet/agent-api/node';
import type { ResourceStatus } from '@rxlet/kube-api';
import { type DeviceAllocation, deviceIdsOf, NO_NUMA_NODE, type PodDevices } from './allocation/pod-devices.ts';
import type { DeviceInventory } from './plugins/device-inventory.ts';

/** Returns each device of a container with its NUMA nodes. */
export function devicesOfContainer(
  podDevices: Pick<PodDevices, 'get'>,
  podUid: string,
  containerName: string,
): readonly AssignedDevices[] {
  return allocationsOf(podDevices, podUid, containerName).flatMap(([resourceName, allocation]) =>
    [...numaNodesById(allocation)].map(([id, numaNodes]) => ({ resourceName, deviceIds: [id], numaNodes })),
  );
}

/** Returns each healthy device of the node with its NUMA nodes. */
export function healthyDevices(inventory: Pick<DeviceInventory, 'resources' | 'devices'>): readonly AssignedDevices[] {
  return inventory.resources().flatMap((resourceName) =>
    inventory
      .devices(resourceName)
      .filter(({ isHealthy }) => isHealthy)
      .map(({ id, numaNodes }) => ({ resourceName, deviceIds: [id], numaNodes })),
  );
}

/** Returns the health of a container's devices, as their plugins reported it last. A device that is not listed counts as healthy. */
export function healthOfDevices(
  podDevices: Pick<PodDevices, 'get'>,
  inventory: Pick<DeviceInventory, 'find'>,
  podUid: string,
  containerName: string,
): readonly ResourceStatus[] {
  return allocationsOf(podDevices, podUid, containerName).map(([name, allocation]) => ({
    name,
    resources: deviceIdsOf(allocation).map((resourceID) => ({
      resourceID,
      health: inventory.find(name, resourceID)?.isHealthy === false ? 'Unhealthy' : 'Healthy',
    })),
  }));
}

/** Returns the ids of all allocated devices by pod, container and resource, for people. */
export function describeAllocations(podDevices: Pick<PodDevices, 'entries'>): Readonly<Record<string, unknown>> {
  const idsOf = (resources: ReadonlyMap<string, DeviceAllocation>) =>
    Object.fromEntries([...resources].map(([resource, allocation]) => [resource, deviceIdsOf(allocation)]));
  return Object.fromEntries(
    [...podDevices.entries()].map(([uid, containers]) => [
      uid,
      Object.fromEntries([...containers].map(([name, resources]) => [name, idsOf(resources)])),
    ]),
  );
}

function allocationsOf(podDevices: Pick<PodDevices, 'get'>, podUid: string, containerName: string) {
  return [...(podDevices.get(podUid)?.get(containerName) ?? [])];
}

function numaNodesById({ byNode }: DeviceAllocation): ReadonlyMap<string, readonly number[]> {
  const nodesById = new Map<string, number[]>();
  for (const [node, ids] of byNode) {
    for (const id of ids) {
      const nodes = nodesById.get(id) ?? [];
      if (node !== NO_NUMA_NODE) nodes.push(node);
      nodesById.set(id, nodes);
    }
  }
  return nodesById;
}
