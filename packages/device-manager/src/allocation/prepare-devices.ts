import { podUid } from '@rxlet/pod-model';
import type { Pod } from '@rxlet/kube-api';
import type { PluginOptions } from '../plugins/device.ts';
import type { DeviceInventory } from '../plugins/device-inventory.ts';
import type { PluginConnections } from '../plugins/plugin-connections.ts';
import { DeviceAllocationError } from './allocation-error.ts';
import { failingAs } from './device-allocator.ts';
import { deviceIdsOf, type PodDevices } from './pod-devices.ts';

/** Ports of {@link prepareDevices}. */
export interface PrepareDevicesPorts {
  readonly inventory: Pick<DeviceInventory, 'has'>;
  readonly podDevices: Pick<PodDevices, 'allocation'>;
  readonly connections: Pick<PluginConnections, 'find'>;
  /** Returns the options of the plugin of a resource, also of one that is gone. */
  optionsOf(resource: string): PluginOptions | undefined;
}

/** Deadline of a plugin (kubelet: KubeletPreStartContainerRPCTimeoutInSecs). */
const TIMEOUT_MS = 30_000;

/**
 * Lets the plugin of a resource prepare the devices of a container before its start, if the plugin asks for that.
 * @throws DeviceAllocationError
 */
export async function prepareDevices(
  { inventory, podDevices, connections, optionsOf }: PrepareDevicesPorts,
  pod: Pod,
  containerName: string,
  resource: string,
  signal: AbortSignal | undefined,
): Promise<void> {
  if (!inventory.has(resource))
    throw new DeviceAllocationError(`endpoint not found in cache for a registered resource: ${resource}`);
  if (optionsOf(resource)?.preStartRequired !== true) return;
  const uid = podUid(pod);
  const allocation = podDevices.allocation(uid, containerName, resource);
  if (allocation === undefined) {
    const subject = `pod ${uid}, container ${containerName}, resource ${resource}`;
    throw new DeviceAllocationError(`no devices found allocated in local cache for ${subject}`);
  }
  const call = { timeoutMs: TIMEOUT_MS, signal };
  await failingAs('device plugin PreStartContainer rpc failed with err', call, async (options) => {
    const connected = connections.find(resource);
    if (connected === undefined) throw new Error(`endpoint ${resource} has been stopped`);
    await connected.plugin.preStart(deviceIdsOf(allocation), options);
  });
}
