import type {
  AssignedClaim,
  AssignedDevices,
  AssignedMemory,
  DynamicResources,
  ExclusiveCpus,
  MemoryAssignments,
  NodeDevices,
} from '@rxlet/agent-api/node';
import type { Pod } from '@rxlet/kube-api';
import { podUid } from '@rxlet/pod-model';

/** CPUs, memory and devices that are assigned to single containers. */
export interface AssignedResources {
  /** Returns the resources of a container of a pod. */
  ofContainer(pod: Pod, containerName: string): ContainerAssignment;
  /** Returns all resources that can be assigned, whether they are or not. */
  allocatable(): ContainerAssignment;
}

/** Resources of a container. */
export interface ContainerAssignment {
  /** Numbers of the CPUs that no other container uses. */
  readonly cpuIds: readonly number[];
  readonly memory: readonly AssignedMemory[];
  readonly devices: readonly AssignedDevices[];
  /** ResourceClaims, for containers only. */
  readonly claims?: readonly AssignedClaim[] | undefined;
}

/** Parts of an agent that assign resources; each may be missing. */
export interface ResourceAssigners {
  readonly cpus?: ExclusiveCpus | undefined;
  readonly memory?: MemoryAssignments | undefined;
  readonly devices?: Pick<NodeDevices, 'ofContainer' | 'allocatable'> | undefined;
  readonly claims?: DynamicResources | undefined;
}

/** Joins the resources that several parts of an agent assign. */
export function joinAssignments({ cpus, memory, devices, claims }: ResourceAssigners): AssignedResources {
  return {
    ofContainer: (pod, containerName) => ({
      cpuIds: cpus?.ofContainer(podUid(pod), containerName) ?? [],
      memory: memory?.ofContainer(podUid(pod), containerName) ?? [],
      devices: devices?.ofContainer(podUid(pod), containerName) ?? [],
      claims: claims?.ofContainer(pod, containerName) ?? [],
    }),
    allocatable: () => ({
      cpuIds: cpus?.allocatable() ?? [],
      memory: memory?.allocatable() ?? [],
      devices: devices?.allocatable() ?? [],
    }),
  };
}
