import { type ServiceKey, serviceKey } from './service-key.ts';

/** Resources that are assigned to single containers. Without a provider no container has any: all share the node's CPUs and memory. */
export const assignedResources: ServiceKey<AssignedResources> = serviceKey('assigned resources');

/** CPUs, memory and devices that containers have for themselves (kubelet: CPU manager, memory manager, device manager). */
export interface AssignedResources {
  /** Returns the resources of a container of a pod. */
  ofContainer(podUid: string, containerName: string): ContainerAssignment;
  /** Returns all resources that can be assigned, whether they are or not. */
  allocatable(): ContainerAssignment;
}

/** Resources of a container. */
export interface ContainerAssignment {
  /** Numbers of the CPUs that no other container uses. */
  readonly cpuIds: readonly number[];
  readonly memory: readonly AssignedMemory[];
  readonly devices: readonly AssignedDevices[];
}

/** Memory, or huge pages, of NUMA nodes. */
export interface AssignedMemory {
  /** `memory`, `hugepages-2Mi`. */
  readonly type: string;
  readonly sizeBytes: bigint;
  readonly numaNodes: readonly number[];
}

/** Devices of one resource on the same NUMA nodes. */
export interface AssignedDevices {
  readonly resourceName: string;
  readonly deviceIds: readonly string[];
  /** Empty when the plugin reports none. */
  readonly numaNodes: readonly number[];
}
