import type {
  AssignedDevices,
  AssignedMemory,
  ExclusiveCpus,
  MemoryAssignments,
  NodeDevices,
} from '@rxlet/agent-api/node';

/** CPUs, memory and devices that are assigned to single containers. */
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

/** Parts of an agent that assign resources; each may be missing. */
export interface ResourceAssigners {
  readonly cpus?: ExclusiveCpus | undefined;
  readonly memory?: MemoryAssignments | undefined;
  readonly devices?: Pick<NodeDevices, 'ofContainer' | 'allocatable'> | undefined;
}

/** Joins the resources that several parts of an agent assign. */
export function joinAssignments({ cpus, memory, devices }: ResourceAssigners): AssignedResources {
  return {
    ofContainer: (podUid, containerName) => ({
      cpuIds: cpus?.ofContainer(podUid, containerName) ?? [],
      memory: memory?.ofContainer(podUid, containerName) ?? [],
      devices: devices?.ofContainer(podUid, containerName) ?? [],
    }),
    allocatable: () => ({
      cpuIds: cpus?.allocatable() ?? [],
      memory: memory?.allocatable() ?? [],
      devices: devices?.allocatable() ?? [],
    }),
  };
}
