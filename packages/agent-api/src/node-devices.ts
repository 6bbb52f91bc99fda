import type { AssignedDevices } from './assigned-resources.ts';
import { type ServiceKey, serviceKey } from './service-key.ts';

/** Devices of the node that plugins offer as extended resources. Without a provider there are none. */
export const nodeDevices: ServiceKey<NodeDevices> = serviceKey('node devices');

/** Devices of the node, and who has them (kubelet: device manager). */
export interface NodeDevices {
  /** Returns the resources of the devices. Those of a plugin that is gone are reported as removed from now on. */
  amounts(): DeviceAmounts;
  /** Whether nothing was known about devices when the agent started, so that extended resources of the Node object are of no account. */
  readonly wereUnknown: boolean;
  /** Returns the number of devices that pods hold, by resource, when the pod is one of them. A pod that has its devices is admitted even if their plugin is gone. */
  inUseWith(podUid: string): Readonly<Record<string, number>> | undefined;
  /** Returns the devices of a container. */
  ofContainer(podUid: string, containerName: string): readonly AssignedDevices[];
  /** Returns all healthy devices, whether a container has them or not. */
  allocatable(): readonly AssignedDevices[];
}

/** Numbers of devices, as quantities by resource name. */
export interface DeviceAmounts {
  /** All devices of each resource. */
  readonly capacity: Readonly<Record<string, string>>;
  /** Healthy devices of each resource. */
  readonly allocatable: Readonly<Record<string, string>>;
  /** Resources whose plugin is gone. */
  readonly removed: readonly string[];
}
