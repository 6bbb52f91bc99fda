import type { Pod } from '@rxlet/kube-api';
import { type ServiceKey, serviceKey } from './service-key.ts';

/** CPUs that containers have for themselves. Without a provider all containers share the CPUs of the node. */
export const exclusiveCpus: ServiceKey<ExclusiveCpus> = serviceKey('exclusive CPUs');

/** CPUs that containers have for themselves (kubelet: CPU manager). */
export interface ExclusiveCpus {
  /** Returns the numbers of the CPUs that no other container uses; none for a container on the shared CPUs. */
  ofContainer(podUid: string, containerName: string): readonly number[];
  /** Reports whether the CPU time of a container is not limited by a CFS quota, because it has CPUs for itself. */
  isUnlimited(podUid: string, containerName: string): boolean;
  /** Returns the numbers of all CPUs that containers can have for themselves, whether one has them or not. */
  allocatable(): readonly number[];
}

/** Memory of NUMA nodes that is assigned to containers. Without a provider all containers share the memory of the node. */
export const assignedMemory: ServiceKey<MemoryAssignments> = serviceKey('assigned memory');

/** Memory that is assigned to containers (kubelet: memory manager). */
export interface MemoryAssignments {
  /** Returns the memory and the huge pages of a container; none for a container that may use all. */
  ofContainer(podUid: string, containerName: string): readonly AssignedMemory[];
  /** Returns all memory and huge pages of NUMA nodes that containers can have. */
  allocatable(): readonly AssignedMemory[];
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

/** Devices of ResourceClaims. Without a provider no pod has claims. */
export const dynamicResources: ServiceKey<DynamicResources> = serviceKey('dynamic resources');

/** Devices that containers have by ResourceClaims (kubelet: DRA manager). */
export interface DynamicResources {
  /** Returns the claims of a container; none while they are not prepared. */
  ofContainer(pod: Pod, containerName: string): readonly AssignedClaim[];
}

/** A ResourceClaim that a container uses. */
export interface AssignedClaim {
  readonly name: string;
  readonly namespace: string;
  readonly devices: readonly ClaimedDevice[];
}

/** A device of a ResourceClaim. */
export interface ClaimedDevice {
  readonly driverName: string;
  readonly poolName: string;
  readonly deviceName: string;
  /** Share of a device that several claims use. */
  readonly shareId: string | undefined;
  /** Names in the Container Device Interface. */
  readonly cdiDeviceIds: readonly string[];
}
