import { create, fromBinary, toBinary } from '@bufbuild/protobuf';
import { errorMessage, type Logger } from '@rxlet/component-base';
import { ContainerAllocateResponseSchema } from '../../gen/deviceplugin/v1beta1/api_pb.js';
import type { PodDevices } from '../allocation/pod-devices.ts';
import type { DeviceInventory } from '../plugins/device-inventory.ts';
import type { CheckpointData } from './checkpoint-data.ts';

/** Returns the state of devices as a checkpoint has it. */
export function checkpointOf(podDevices: PodDevices, inventory: DeviceInventory): CheckpointData {
  const entries = [...podDevices.entries()].flatMap(([PodUID, containers]) =>
    [...containers].flatMap(([ContainerName, resources]) =>
      [...resources].map(([ResourceName, { byNode, response }]) => ({
        PodUID,
        ContainerName,
        ResourceName,
        DeviceIDs: Object.fromEntries(byNode),
        AllocResp: Buffer.from(toBinary(ContainerAllocateResponseSchema, response)).toString('base64'),
      })),
    ),
  );
  const registered = inventory
    .resources()
    .map((name) => [name, inventory.devices(name).flatMap(({ id, isHealthy }) => (isHealthy ? [id] : []))] as const);
  // A kubelet has no list of entries when there are none.
  return { PodDeviceEntries: entries.length === 0 ? null : entries, RegisteredDevices: Object.fromEntries(registered) };
}

/** Restores the state of a checkpoint. An allocation that cannot be decoded is logged and left out. */
export function restoreCheckpoint(
  { PodDeviceEntries, RegisteredDevices }: CheckpointData,
  podDevices: PodDevices,
  inventory: DeviceInventory,
  logger: Logger,
): void {
  for (const { PodUID, ContainerName, ResourceName, DeviceIDs, AllocResp } of PodDeviceEntries ?? []) {
    const byNode = new Map(Object.entries(DeviceIDs ?? {}).map(([node, ids]) => [Number(node), ids ?? []] as const));
    let response = create(ContainerAllocateResponseSchema);
    try {
      response = fromBinary(ContainerAllocateResponseSchema, Buffer.from(AllocResp ?? '', 'base64'));
    } catch (error) {
      const subject = { podUid: PodUID, container: ContainerName, resource: ResourceName };
      logger.error('cannot decode the devices of a container', { ...subject, error: errorMessage(error) });
      continue;
    }
    podDevices.insert(PodUID, ContainerName, ResourceName, { byNode, response });
  }
  inventory.restore(Object.keys(RegisteredDevices ?? {}));
}
