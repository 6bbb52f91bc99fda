import type { NumaHint } from '@rxlet/agent-api/topology';
import { numaNodeSets } from '@rxlet/machine/topology';
import type { PluginDevice } from '../plugins/device.ts';

/** Input of {@link deviceHints}. */
export interface DeviceHintsRequest {
  /** Number of devices that are requested. */
  readonly required: number;
  /** Devices of the resource as the plugin lists them. */
  readonly listed: readonly PluginDevice[];
  /** Devices that the container, or the pod, has already. */
  readonly held: readonly string[];
  /** Devices of earlier init containers of the pod, which the container must take over. */
  readonly reusable: readonly string[];
  /** Devices of all containers of the node. */
  readonly inUse: ReadonlySet<string>;
  /** Ids of all NUMA nodes of the machine, in ascending order. */
  readonly numaNodes: readonly number[];
}

/**
 * Returns the sets of NUMA nodes that have enough devices (kubelet: generateDeviceTopologyHints): none when there are too few, `undefined` when no device of the
 * resource has a NUMA node. Those sets are preferred that have as few nodes as the request needs while all devices are free.
 */
export function deviceHints(request: DeviceHintsRequest): readonly NumaHint[] | undefined {
  const { required, listed, held, reusable, inUse, numaNodes } = request;
  if (!listed.some(hasNumaNode)) return undefined;
  if (held.length > 0) return held.length === required ? hintsOf(request, held, []) : [];
  const free = listed.flatMap(({ id, isHealthy }) => (isHealthy && !inUse.has(id) ? [id] : []));
  if (new Set([...free, ...reusable]).size < required) return [];
  return hintsOf({ listed, required, numaNodes }, free, reusable);
}

function hintsOf(
  { listed, required, numaNodes }: Pick<DeviceHintsRequest, 'listed' | 'required' | 'numaNodes'>,
  available: readonly string[],
  reusable: readonly string[],
): readonly NumaHint[] {
  const nodesOf = new Map(listed.filter(hasNumaNode).map((device) => [device.id, device.numaNodes]));
  const onAny = (nodes: ReadonlySet<number>) => (id: string) =>
    nodesOf.get(id)?.some((node) => nodes.has(node)) === true;
  const mustContain = reusable.filter((id) => nodesOf.has(id));
  let fewest = numaNodes.length;
  const possible: (readonly number[])[] = [];
  for (const set of numaNodeSets(numaNodes)) {
    const isOnSet = onAny(new Set(set));
    if (set.length < fewest && [...nodesOf.keys()].filter(isOnSet).length >= required) fewest = set.length;
    if (!mustContain.every(isOnSet)) continue;
    const found = new Set([...mustContain, ...available.filter(isOnSet)]);
    if (found.size >= required) possible.push(set);
  }
  return possible.map((set) => ({ numaNodes: set, isPreferred: set.length === fewest }));
}

/** Reports whether the plugin knows where a device is. */
export function hasNumaNode({ numaNodes }: PluginDevice): boolean {
  return numaNodes.length > 0;
}
