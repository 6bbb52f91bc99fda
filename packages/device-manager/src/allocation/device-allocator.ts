import type { ResourceHints } from '@rxlet/agent-api/topology';
import { type Clock, errorMessage } from '@rxlet/component-base';
import type { Container, Pod } from '@rxlet/kube-api';
import { isSidecar, podContainers, podUid } from '@rxlet/pod-model';
import { parseQuantity, quantityValue } from '@rxlet/pod-model/quantity';
import type { ContainerAllocateResponse } from '../../gen/deviceplugin/v1beta1/api_pb.js';
import type { DeviceManagerMetrics } from '../device-manager-metrics.ts';
import type { PluginCall } from '../plugins/device-plugin.ts';
import type { DeviceInventory } from '../plugins/device-inventory.ts';
import type { PluginConnections } from '../plugins/plugin-connections.ts';
import { DeviceAllocationError } from './allocation-error.ts';
import { chooseDevices, completeChoice } from './choose-devices.ts';
import { deviceHints } from './device-hints.ts';
import { type DeviceAllocation, deviceIdsOf, NO_NUMA_NODE, type PodDevices } from './pod-devices.ts';
import { reusableDevices } from './reusable-devices.ts';

/** Ports of {@link createDeviceAllocator}. */
export interface DeviceAllocatorPorts {
  readonly clock: Clock;
  readonly inventory: DeviceInventory;
  readonly podDevices: PodDevices;
  readonly connections: Pick<PluginConnections, 'find'>;
  readonly metrics: DeviceManagerMetrics;
  /** Reports whether a resource is one of devices, now or in an allocation. */
  isDeviceResource(name: string): boolean;
}

/** Allocates devices to containers. Calls must not overlap: each depends on the devices that are in use. */
export interface DeviceAllocator {
  /**
   * Allocates the missing devices of these containers of a pod. If it rejects, the pod has the devices that it had before. Returns whether something was allocated.
   *
   * @param numaNodes nodes that the topology manager chose; `undefined` when any will do
   * @throws DeviceAllocationError, PluginCallError
   */
  allocate(
    pod: Pod,
    containers: readonly Container[],
    numaNodes: readonly number[] | undefined,
    signal: AbortSignal | undefined,
  ): Promise<boolean>;
  /** Returns the hints for a container of a pod, or for all of its containers together, by resource. */
  hints(pod: Pod, container: Container | undefined, numaNodes: readonly number[]): ResourceHints;
}

/** Time for all plugins of a pod, which must be shorter than the agent's deadline of an admission. */
export const ALLOCATION_TIMEOUT_MS = 25_000;

/** Returns the device resources that a container of a pod requests, with their numbers. Those that a resource claim provides are not among them. */
export function requestedDevices(
  { status }: Pod,
  { name: container, resources }: Pick<Container, 'name' | 'resources'>,
  isDeviceResource: (name: string) => boolean,
): readonly (readonly [resource: string, count: number])[] {
  const claimed = new Set(
    (status?.extendedResourceClaimStatus?.requestMappings ?? []).flatMap(({ containerName, resourceName }) =>
      containerName === container ? [resourceName] : [],
    ),
  );
  return Object.entries(resources?.limits ?? {})
    .filter(([name]) => isDeviceResource(name) && !claimed.has(name))
    .map(([name, amount]) => [name, Number(quantityValue(parseQuantity(amount)))] as const);
}

/** Creates a {@link DeviceAllocator}. */
export function createDeviceAllocator(ports: DeviceAllocatorPorts): DeviceAllocator {
  const { clock, inventory, podDevices, connections, metrics, isDeviceResource } = ports;

  const choose = async (
    pod: Pod,
    { name: containerName }: Container,
    resource: string,
    required: number,
    numaNodes: readonly number[] | undefined,
    call: () => PluginCall,
  ): Promise<readonly string[]> => {
    const uid = podUid(pod);
    const held = podDevices.allocation(uid, containerName, resource);
    const choice = chooseDevices({
      resource,
      required,
      subject: `pod "${uid}" container "${containerName}"`,
      held: held && deviceIdsOf(held),
      reusable: reusableDevices(pod, containerName, resource, podDevices.get(uid)),
      listed: inventory.has(resource) ? inventory.devices(resource) : undefined,
      inUse: podDevices.inUse(resource),
      numaNodes,
    });
    if (choice.kind === 'none') return [];
    if (choice.kind === 'chosen') return choice.deviceIds;
    const connected = connections.find(resource);
    if (connected?.options.preferredAllocationAvailable !== true) return completeChoice(choice, []);
    const { fixed: mustInclude, available } = choice;
    const request = { mustInclude, available: [...new Set([...available, ...mustInclude])], size: required };
    const failure = 'device plugin GetPreferredAllocation rpc failed with err';
    const preferred = await failingAs(failure, call(), (options) => connected.plugin.prefer(request, options));
    return completeChoice(choice, preferred);
  };

  const allocateDevices = async (
    resource: string,
    deviceIds: readonly string[],
    call: PluginCall,
  ): Promise<ContainerAllocateResponse> => {
    const connected = connections.find(resource);
    if (connected === undefined) throw new DeviceAllocationError(`unknown Device Plugin ${resource}`);
    const startMs = clock.monotonicNow();
    try {
      const response = await connected.plugin.allocate(deviceIds, call);
      if (response !== undefined) return response;
    } finally {
      metrics.allocated(resource, clock.monotonicNow() - startMs);
    }
    throw new DeviceAllocationError('no containers return in allocation response ');
  };

  return {
    async allocate(pod, containers, numaNodes, signal) {
      const uid = podUid(pod);
      const before = podDevices.get(uid);
      const deadlineMs = clock.monotonicNow() + ALLOCATION_TIMEOUT_MS;
      const call = (): PluginCall => ({ timeoutMs: Math.max(0, deadlineMs - clock.monotonicNow()), signal });
      try {
        for (const container of containers) {
          for (const [resource, required] of requestedDevices(pod, container, isDeviceResource)) {
            const deviceIds = await choose(pod, container, resource, required, numaNodes, call);
            if (deviceIds.length === 0) continue;
            const response = await allocateDevices(resource, deviceIds, call());
            const byNode = byNumaNode(deviceIds, (id) => inventory.find(resource, id)?.numaNodes ?? []);
            podDevices.insert(uid, container.name, resource, { byNode, response });
          }
        }
      } catch (error) {
        podDevices.replace(uid, before);
        throw error;
      }
      return podDevices.get(uid) !== before;
    },
    hints(pod, container, numaNodes) {
      const allocated = podDevices.get(podUid(pod));
      const requested =
        container === undefined
          ? requestedDevicesOfPod(pod, isDeviceResource)
          : requestedDevices(pod, container, isDeviceResource);
      const holders = container === undefined ? [...(allocated?.keys() ?? [])] : [container.name];
      return Object.fromEntries(
        requested.map(([resource, required]) => {
          const held = holders.flatMap((name) => {
            const allocation = allocated?.get(name)?.get(resource);
            return allocation === undefined ? [] : deviceIdsOf(allocation);
          });
          const hints = deviceHints({
            required,
            listed: inventory.devices(resource),
            held: [...new Set(held)],
            reusable: container === undefined ? [] : reusableDevices(pod, container.name, resource, allocated),
            inUse: podDevices.inUse(resource),
            numaNodes,
          });
          return [resource, hints];
        }),
      );
    },
  };
}

/** Returns the device resources of a pod, with the most devices that its containers have at any one time. */
function requestedDevicesOfPod(
  pod: Pod,
  isDeviceResource: (name: string) => boolean,
): readonly (readonly [resource: string, count: number])[] {
  const lasting = new Map<string, number>();
  const most = new Map<string, number>();
  for (const { container, kind } of podContainers(pod, ['init', 'regular'])) {
    const ends = kind === 'init' && !isSidecar(container);
    for (const [resource, count] of requestedDevices(pod, container, isDeviceResource)) {
      const total = (lasting.get(resource) ?? 0) + count;
      if (!ends) lasting.set(resource, total);
      most.set(resource, Math.max(most.get(resource) ?? 0, total));
    }
  }
  return [...most];
}

function byNumaNode(
  deviceIds: readonly string[],
  nodesOf: (deviceId: string) => readonly number[],
): DeviceAllocation['byNode'] {
  const byNode = new Map<number, string[]>();
  for (const id of deviceIds) {
    const nodes = nodesOf(id);
    for (const node of nodes.length === 0 ? [NO_NUMA_NODE] : nodes) {
      const ids = byNode.get(node);
      if (ids === undefined) byNode.set(node, [id]);
      else ids.push(id);
    }
  }
  return byNode;
}

/** Calls a plugin, and puts the kubelet's words before the message of a failure. */
export async function failingAs<T>(
  prefix: string,
  options: PluginCall,
  call: (options: PluginCall) => Promise<T>,
): Promise<T> {
  try {
    return await call(options);
  } catch (error) {
    options.signal?.throwIfAborted();
    throw new DeviceAllocationError(`${prefix}: ${errorMessage(error)}`, { cause: error });
  }
}
