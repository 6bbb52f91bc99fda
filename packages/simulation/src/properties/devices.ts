import type { Property } from './property.ts';

/** No device belongs to two containers that run. */
export const devicesGivenOnce: Property = {
  name: 'devices-given-once',
  *check(history) {
    /** Devices by container, and running containers by device. */
    const given = new Map<string, readonly string[]>();
    const holders = new Map<string, string>();
    for (const event of history) {
      // As in the kubelet, no other record has the devices of running containers.
      if (event.kind === 'damaged' && event.path.endsWith('/kubelet_internal_checkpoint')) holders.clear();
      if (event.kind === 'devices') given.set(event.container, event.devices);
      if (event.kind !== 'container') continue;
      const { id } = event.container;
      if (event.change === 'started')
        for (const device of given.get(id) ?? []) {
          const other = holders.get(device);
          if (other !== undefined) yield { atMs: event.atMs, text: `${device} belongs to ${other} and to ${id}` };
          holders.set(device, id);
        }
      if (event.change === 'exited' || event.change === 'removed')
        for (const [device, holder] of holders) if (holder === id) holders.delete(device);
    }
  },
};
