import { type Clock, createRateLimiter, sleep } from '@rxlet/component-base';
import { type PluginConnection, withCallDeadline } from '@rxlet/node-plugins';
import {
  type ContainerAllocateResponse,
  type Device,
  DevicePlugin as Service,
  type ListAndWatchResponse,
} from '../../gen/deviceplugin/v1beta1/api_pb.js';
import type { PluginDevice, PluginOptions } from './device.ts';

/** Time of a call and its cancellation. */
export interface PluginCall {
  readonly timeoutMs: number;
  readonly signal?: AbortSignal | undefined;
}

/** A connected device plugin. Failed calls reject with `PluginCallError`. Disposal closes the connection. */
export interface DevicePlugin extends Disposable {
  options(call: PluginCall): Promise<PluginOptions>;
  /** Calls `onDevices` with all devices, at once and after each change. Settles with the end of the stream. */
  watch(onDevices: (devices: readonly PluginDevice[]) => void, signal: AbortSignal): Promise<void>;
  /** Returns the devices that the plugin prefers. */
  prefer(request: PreferenceRequest, call: PluginCall): Promise<readonly string[]>;
  /** Returns what a container needs in order to use the devices; `undefined` when the plugin says nothing about it. */
  allocate(deviceIds: readonly string[], call: PluginCall): Promise<ContainerAllocateResponse | undefined>;
  /** Prepares devices for the start of their container. */
  preStart(deviceIds: readonly string[], call: PluginCall): Promise<void>;
}

/** Request of {@link DevicePlugin.prefer}. */
export interface PreferenceRequest {
  readonly available: readonly string[];
  /** Devices of {@link PreferenceRequest.available} that are certainly allocated. */
  readonly mustInclude: readonly string[];
  /** Number of devices. */
  readonly size: number;
}

/** Connects to the plugin of a socket. */
export type ConnectDevicePlugin = (socketPath: string) => DevicePlugin;

const { method } = Service;
/** Bounds for the lists of a plugin, each of which has all of its devices. A plugin that sends more waits. */
const LISTS_PER_SECOND = 20;
const LISTS_BURST = 50;

/** Creates the client of a device plugin. */
export function createDevicePlugin(clock: Clock, connection: PluginConnection): DevicePlugin {
  const lists = createRateLimiter(clock, LISTS_PER_SECOND, LISTS_BURST);
  return {
    async options(call) {
      const options = await withCallDeadline(clock, call, (signal) =>
        connection.call(method.getDevicePluginOptions, {}, signal),
      );
      const { preStartRequired, getPreferredAllocationAvailable: preferredAllocationAvailable } = options;
      return { preStartRequired, preferredAllocationAvailable };
    },
    async watch(onDevices, signal) {
      const handle = async ({ devices }: ListAndWatchResponse): Promise<void> => {
        onDevices(devices.map(readDevice));
        if (!lists.tryAcquire()) await sleep(clock, 1000 / LISTS_PER_SECOND, signal);
      };
      await connection.receive(method.listAndWatch, {}, handle, signal);
    },
    async prefer({ available, mustInclude, size }, call) {
      const request = {
        availableDeviceIDs: [...available],
        mustIncludeDeviceIDs: [...mustInclude],
        allocationSize: size,
      };
      const { containerResponses } = await withCallDeadline(clock, call, (signal) =>
        connection.call(method.getPreferredAllocation, { containerRequests: [request] }, signal),
      );
      return containerResponses[0]?.deviceIDs ?? [];
    },
    async allocate(deviceIds, call) {
      const containerRequests = [{ devicesIds: [...deviceIds] }];
      const { containerResponses } = await withCallDeadline(clock, call, (signal) =>
        connection.call(method.allocate, { containerRequests }, signal),
      );
      return containerResponses[0];
    },
    async preStart(deviceIds, call) {
      await withCallDeadline(clock, call, (signal) =>
        connection.call(method.preStartContainer, { devicesIds: [...deviceIds] }, signal),
      );
    },
    [Symbol.dispose]: () => connection[Symbol.dispose](),
  };
}

/** Health of a device that containers may get. Every other text means an unhealthy device. */
const HEALTHY = 'Healthy';

function readDevice({ ID: id, health, topology }: Device): PluginDevice {
  return { id, isHealthy: health === HEALTHY, numaNodes: (topology?.nodes ?? []).map(({ ID }) => Number(ID)) };
}
