import type { ContainerAllocateResponse } from '../../gen/deviceplugin/v1beta1/api_pb.js';

/** Devices of one resource that a container has. */
export interface DeviceAllocation {
  /** Ids by NUMA node; {@link NO_NUMA_NODE} for devices without one. A device may be at several nodes. */
  readonly byNode: ReadonlyMap<number, readonly string[]>;
  /** Answer of the plugin: what the container needs in order to use the devices. */
  readonly response: ContainerAllocateResponse;
}

/** Stands for the absence of a NUMA node. */
export const NO_NUMA_NODE = -1;

/** Allocations of a pod, by container and resource. */
export type PodAllocation = ReadonlyMap<string, ReadonlyMap<string, DeviceAllocation>>;

/** Devices of all containers of the node. */
export interface PodDevices {
  /** Returns the allocations of a pod; they do not change. */
  get(podUid: string): PodAllocation | undefined;
  /** Returns the devices of a container; `undefined` when nothing is allocated to it. */
  allocation(podUid: string, containerName: string, resource: string): DeviceAllocation | undefined;
  insert(podUid: string, containerName: string, resource: string, allocation: DeviceAllocation): void;
  /** Replaces the allocations of a pod; `undefined` removes them. */
  replace(podUid: string, allocation: PodAllocation | undefined): void;
  podUids(): readonly string[];
  /** Returns the devices of a resource that containers have. */
  inUse(resource: string): ReadonlySet<string>;
  /** Returns the resources of which containers have devices. */
  resources(): ReadonlySet<string>;
  /** Returns the pods that have one of the devices. */
  podsWith(resource: string, deviceIds: ReadonlySet<string>): readonly string[];
  entries(): Iterable<readonly [podUid: string, allocation: PodAllocation]>;
}

/** Creates empty {@link PodDevices}. */
export function createPodDevices(): PodDevices {
  const pods = new Map<string, PodAllocation>();
  function* allocations(): Generator<readonly [podUid: string, resource: string, allocation: DeviceAllocation]> {
    for (const [podUid, containers] of pods)
      for (const resources of containers.values())
        for (const [resource, allocation] of resources) yield [podUid, resource, allocation];
  }
  return {
    get: (podUid) => pods.get(podUid),
    allocation: (podUid, containerName, resource) => pods.get(podUid)?.get(containerName)?.get(resource),
    insert(podUid, containerName, resource, allocation) {
      const containers = new Map(pods.get(podUid));
      containers.set(containerName, new Map(containers.get(containerName)).set(resource, allocation));
      pods.set(podUid, containers);
    },
    replace(podUid, allocation) {
      if (allocation === undefined) pods.delete(podUid);
      else pods.set(podUid, allocation);
    },
    podUids: () => [...pods.keys()],
    inUse(resource) {
      const used = new Set<string>();
      for (const [, name, allocation] of allocations())
        if (name === resource) for (const id of deviceIdsOf(allocation)) used.add(id);
      return used;
    },
    resources: () => new Set([...allocations()].map(([, resource]) => resource)),
    podsWith(resource, deviceIds) {
      const found = [...allocations()].filter(
        ([, name, allocation]) => name === resource && deviceIdsOf(allocation).some((id) => deviceIds.has(id)),
      );
      return [...new Set(found.map(([podUid]) => podUid))];
    },
    entries: () => pods.entries(),
  };
}

/** Returns the ids of the devices of an allocation. */
export function deviceIdsOf({ byNode }: DeviceAllocation): readonly string[] {
  return [...new Set([...byNode.values()].flat())];
}
