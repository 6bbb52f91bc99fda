import type { DeviceAmounts } from '@rxlet/agent-api/node';
import type { Clock } from '@rxlet/component-base';
import type { PluginDevice } from './device.ts';

/** Devices of all resources as their plugins list them. It has no resource whose plugin has neither listed devices nor gone. */
export interface DeviceInventory {
  /** Adds the resources of an earlier run, without devices, until their plugins register again or the grace period ends. */
  restore(resources: Iterable<string>): void;
  /** Replaces the devices of a resource. Returns the ids of those that are new or whose health has changed. */
  list(resource: string, devices: readonly PluginDevice[]): readonly string[];
  /** Records that the plugin of a resource is connected. */
  connected(resource: string): void;
  /** Records that the plugin of a resource is gone: its devices, if any, are unhealthy until a plugin lists them again. */
  disconnected(resource: string): void;
  has(resource: string): boolean;
  /** Reports whether the resource is known, or one more may be. */
  hasRoomFor(resource: string): boolean;
  resources(): readonly string[];
  /** Returns a device as the plugin has listed it last, or `undefined`. */
  find(resource: string, deviceId: string): PluginDevice | undefined;
  /** Returns the devices in the order of the plugin; none for an unknown resource. Those of a plugin that is gone are unhealthy. */
  devices(resource: string): readonly PluginDevice[];
  /** Removes the resources whose grace period has ended, and returns the amounts of all others. */
  amounts(): DeviceAmounts;
}

/** Time after which the resource of a plugin that is gone is removed (kubelet: endpointStopGracePeriod). */
export const STOP_GRACE_PERIOD_MS = 300_000;

/** Bound for resources with those of plugins that are gone: all are in the Node object, whose size is limited. */
const MAX_RESOURCES = 256;
/** Bound for the names of removed resources. */
const MAX_REMOVED = 256;

interface Resource {
  devices: ReadonlyMap<string, PluginDevice>;
  /** Whether a plugin has listed devices, now or in an earlier run, or is gone. */
  isListed: boolean;
  /** Whether the devices are those of a plugin that is gone. */
  isStale: boolean;
  /** Time at which the plugin was seen to be gone. */
  stoppedAtMs: number | undefined;
}

/** Creates an empty {@link DeviceInventory}. */
export function createDeviceInventory(clock: Pick<Clock, 'monotonicNow'>): DeviceInventory {
  const known = new Map<string, Resource>();
  const removed = new Set<string>();
  const listed = (name: string): Resource | undefined => {
    const resource = known.get(name);
    return resource?.isListed === true ? resource : undefined;
  };
  const removeExpired = (): void => {
    for (const [name, { stoppedAtMs }] of known) {
      if (stoppedAtMs === undefined || clock.monotonicNow() - stoppedAtMs <= STOP_GRACE_PERIOD_MS) continue;
      known.delete(name);
      removed.add(name);
      const [oldest] = removed;
      if (removed.size > MAX_REMOVED && oldest !== undefined) removed.delete(oldest);
    }
  };
  return {
    restore(resources) {
      for (const name of resources)
        known.set(name, { devices: new Map(), isListed: true, isStale: true, stoppedAtMs: clock.monotonicNow() });
    },
    list(name, devices) {
      const resource = known.get(name) ?? newResource();
      const before = resource.devices;
      resource.devices = new Map(devices.map((device) => [device.id, device]));
      resource.isListed = true;
      resource.isStale = false;
      known.set(name, resource);
      removed.delete(name);
      return [...resource.devices.values()]
        .filter(({ id, isHealthy }) => before.get(id)?.isHealthy !== isHealthy)
        .map(({ id }) => id);
    },
    connected(name) {
      const resource = known.get(name);
      if (resource === undefined) known.set(name, newResource());
      else resource.stoppedAtMs = undefined;
    },
    disconnected(name) {
      const resource = known.get(name);
      if (resource === undefined) return;
      resource.stoppedAtMs = clock.monotonicNow();
      resource.isStale = true;
      // A plugin that never listed devices has none of them, as in the kubelet.
      resource.isListed = true;
    },
    has: (name) => listed(name) !== undefined,
    hasRoomFor(name) {
      removeExpired();
      return known.has(name) || known.size < MAX_RESOURCES;
    },
    resources: () => [...known].flatMap(([name, { isListed }]) => (isListed ? [name] : [])),
    find: (name, deviceId) => listed(name)?.devices.get(deviceId),
    devices: (name) => devicesOf(listed(name)),
    amounts() {
      removeExpired();
      const amounts = [...known].flatMap(([name, resource]) => {
        if (!resource.isListed) return [];
        const devices = devicesOf(resource);
        const healthy = devices.filter(({ isHealthy }) => isHealthy);
        return [{ name, all: String(devices.length), healthy: String(healthy.length) }];
      });
      return {
        capacity: Object.fromEntries(amounts.map(({ name, all }) => [name, all])),
        allocatable: Object.fromEntries(amounts.map(({ name, healthy }) => [name, healthy])),
        removed: [...removed],
      };
    },
  };
}

function newResource(): Resource {
  return { devices: new Map(), isListed: false, isStale: false, stoppedAtMs: undefined };
}

function devicesOf({ devices, isStale }: Partial<Resource> = {}): readonly PluginDevice[] {
  const list = [...(devices?.values() ?? [])];
  return isStale === true ? list.map((device) => ({ ...device, isHealthy: false })) : list;
}
