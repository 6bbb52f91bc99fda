import type { PluginDevice } from '../plugins/device.ts';
import { DeviceAllocationError } from './allocation-error.ts';
import { hasNumaNode } from './device-hints.ts';

/** Input of {@link chooseDevices}. */
export interface DeviceRequest {
  readonly resource: string;
  /** Number of devices that the container requests. */
  readonly required: number;
  /** Text of the container for errors, such as `pod "uid" container "name"`. */
  readonly subject: string;
  /** Devices that the container has already; `undefined` when nothing was allocated to it. */
  readonly held: readonly string[] | undefined;
  /** Devices of earlier init containers of the pod, which have ended by the time that the container runs. */
  readonly reusable: readonly string[];
  /** Devices that the plugin lists; `undefined` when there is no plugin. */
  readonly listed: readonly PluginDevice[] | undefined;
  /** Devices of all containers of the node. */
  readonly inUse: ReadonlySet<string>;
  /** NUMA nodes that the topology manager chose; `undefined` when any will do. */
  readonly numaNodes?: readonly number[] | undefined;
}

/** Devices of a container: none to be allocated, those found, or a choice that the plugin may influence. */
export type DeviceChoice =
  | { readonly kind: 'none' }
  | { readonly kind: 'chosen'; readonly deviceIds: readonly string[] }
  | {
      readonly kind: 'open';
      /** Devices that are certainly chosen. */
      readonly fixed: readonly string[];
      /** Free and healthy devices, at least as many as are missing. */
      readonly available: readonly string[];
      readonly required: number;
    };

/**
 * Decides which devices a container gets (kubelet: devicesToAllocate): its own, then those of init containers, then free ones, first of the chosen NUMA nodes.
 *
 * @throws DeviceAllocationError when there are too few
 */
export function chooseDevices(request: DeviceRequest): DeviceChoice {
  const { resource, required, subject, held, reusable, listed, inUse, numaNodes } = request;
  if (held !== undefined && held.length !== required) {
    const change = `from ${String(held.length)} to ${String(required)}`;
    throw new DeviceAllocationError(`${subject} changed request for resource "${resource}" ${change}`);
  }
  if (listed === undefined) throw new DeviceAllocationError(`cannot allocate unregistered device ${resource}`);
  const healthy = new Set(listed.filter(({ isHealthy }) => isHealthy).map(({ id }) => id));
  if (healthy.size === 0)
    throw new DeviceAllocationError(`no healthy devices present; cannot allocate unhealthy devices ${resource}`);
  if (held !== undefined) {
    if (held.every((id) => healthy.has(id))) return { kind: 'none' };
    throw new DeviceAllocationError(
      `previously allocated devices are no longer healthy; cannot allocate unhealthy devices ${resource}`,
    );
  }
  if (required <= 0) return { kind: 'none' };
  const fixed = reusable.slice(0, required);
  if (fixed.length === required) return { kind: 'chosen', deviceIds: fixed };
  const taken = new Set([...inUse, ...fixed]);
  const available = listed.filter(({ id }) => healthy.has(id) && !taken.has(id));
  const needed = required - fixed.length;
  if (available.length < needed) {
    const counts = `Requested: ${String(needed)}, Available: ${String(available.length)}`;
    throw new DeviceAllocationError(`requested number of devices unavailable for ${resource}. ${counts}`);
  }
  const { aligned, others } = splitByNodes(available, numaNodes);
  // The plugin may choose among the devices of the chosen nodes, or only which others there are besides them.
  if (needed < aligned.length) return { kind: 'open', fixed, available: aligned, required };
  const withAligned = [...fixed, ...aligned];
  if (withAligned.length === required) return { kind: 'chosen', deviceIds: withAligned };
  return { kind: 'open', fixed: withAligned, available: others, required };
}

/** Splits devices by whether they are at one of the chosen NUMA nodes. Those at other nodes come before those whose place is not known. */
function splitByNodes(
  devices: readonly PluginDevice[],
  nodes: readonly number[] | undefined,
): { readonly aligned: readonly string[]; readonly others: readonly string[] } {
  const idsOf = (some: readonly PluginDevice[]): readonly string[] => some.map(({ id }) => id);
  if (nodes === undefined || !devices.some(hasNumaNode)) return { aligned: [], others: idsOf(devices) };
  const isAligned = ({ numaNodes }: PluginDevice): boolean => numaNodes.some((node) => nodes.includes(node));
  const others = devices.filter((device) => !isAligned(device));
  const ordered = [...others.filter(hasNumaNode), ...others.filter((device) => !hasNumaNode(device))];
  return { aligned: idsOf(devices.filter(isAligned)), others: idsOf(ordered) };
}

/** Completes a choice with the devices that the plugin prefers, as far as they are available, and then with others. */
export function completeChoice(
  { fixed, available, required }: Extract<DeviceChoice, { kind: 'open' }>,
  preferred: readonly string[],
): readonly string[] {
  const free = new Set(available);
  const chosen = new Set([...fixed, ...preferred.filter((id) => free.has(id)), ...available]);
  return [...chosen].slice(0, required);
}
