import { create } from '@bufbuild/protobuf';
import type { Pod } from '@rxlet/kube-api';
import { isSidecar } from '@rxlet/pod-model';
import {
  type AllocatableResourcesResponse,
  AllocatableResourcesResponseSchema,
  type PodResources,
  PodResourcesSchema,
} from '../gen/podresources/v1/podresources_pb.js';
import {
  type PodResources as PodDevices,
  PodResourcesSchema as PodDevicesSchema,
} from '../gen/podresources/v1alpha1/podresources_pb.js';
import type { AssignedResources, ContainerAssignment } from './assigned-resources.ts';

/** Returns the resources of a pod's containers: sidecars first, then main containers. Other init containers end, and ephemeral ones have no resources. */
export function podResourcesOf(pod: Pod, assigned: AssignedResources | undefined): PodResources {
  const { name = '', namespace = '' } = pod.metadata ?? {};
  const containers = [...(pod.spec?.initContainers ?? []).filter(isSidecar), ...(pod.spec?.containers ?? [])];
  return create(PodResourcesSchema, {
    name,
    namespace,
    containers: containers.map((container) => ({
      name: container.name,
      ...containerAssignment(assigned?.ofContainer(pod, container.name)),
    })),
  });
}

/** Returns the devices of a pod's main containers, which are all that version v1alpha1 has. */
export function podDevicesOf(pod: Pod, assigned: AssignedResources | undefined): PodDevices {
  const { name = '', namespace = '' } = pod.metadata ?? {};
  return create(PodDevicesSchema, {
    name,
    namespace,
    containers: (pod.spec?.containers ?? []).map((container) => ({
      name: container.name,
      devices: (assigned?.ofContainer(pod, container.name).devices ?? []).map(({ resourceName, deviceIds }) => ({
        resourceName,
        deviceIds: [...deviceIds],
      })),
    })),
  });
}

/** Returns the resources that can be assigned. */
export function allocatableOf(assigned: AssignedResources | undefined): AllocatableResourcesResponse {
  return create(AllocatableResourcesResponseSchema, assignmentOf(assigned?.allocatable()));
}

function containerAssignment(assignment: ContainerAssignment | undefined) {
  return {
    ...assignmentOf(assignment),
    dynamicResources: (assignment?.claims ?? []).map(({ name: claimName, namespace: claimNamespace, devices }) => ({
      claimName,
      claimNamespace,
      claimResources: devices.map(({ cdiDeviceIds, driverName, poolName, deviceName, shareId }) => ({
        cdiDevices: cdiDeviceIds.map((name) => ({ name })),
        ...{ driverName, poolName, deviceName },
        ...(shareId !== undefined && { shareId }),
      })),
    })),
  };
}

function assignmentOf(assignment: ContainerAssignment | undefined) {
  const { cpuIds = [], memory = [], devices = [] } = assignment ?? {};
  return {
    cpuIds: cpuIds.map(BigInt),
    memory: memory.map(({ type, sizeBytes, numaNodes }) => ({
      memoryType: type,
      size: sizeBytes,
      ...topologyOf(numaNodes),
    })),
    devices: devices.map(({ resourceName, deviceIds, numaNodes }) => ({
      resourceName,
      deviceIds: [...deviceIds],
      ...topologyOf(numaNodes),
    })),
  };
}

function topologyOf(numaNodes: readonly number[]) {
  return numaNodes.length === 0 ? {} : { topology: { nodes: numaNodes.map((id) => ({ ID: BigInt(id) })) } };
}
