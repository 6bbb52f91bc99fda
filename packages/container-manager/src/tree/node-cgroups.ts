import { type Clock, errorMessage, sleep } from '@rxlet/component-base';
import type { EventObject, EventRecorder } from '@rxlet/component-base/events';
import type { CgroupName } from '@rxlet/pod-model/cgroups';
import type { CgroupValues } from '../values/cgroup-values.ts';
import type { CgroupTree } from './cgroup-tree.ts';

/** Dependencies of {@link enforceNodeCgroups}. */
export interface NodeCgroupsPorts {
  readonly tree: CgroupTree;
  readonly clock: Clock;
  readonly events: EventRecorder;
}

/** A cgroup of the node for system services or the agent, which administrators create. */
export interface ReservedCgroup {
  readonly name: CgroupName;
  /** As configured. */
  readonly path: string;
  /** Absent: nothing is reserved, so that there is nothing to enforce. */
  readonly values: CgroupValues | undefined;
  /** Whose resources are reserved, in the kubelet's words. */
  readonly owner: 'system' | 'kube';
}

/** Limits of node-level cgroups. */
export interface NodeCgroups {
  /** The cgroup of all pods. */
  readonly pods: { readonly name: CgroupName; readonly values: CgroupValues };
  /** In the order in which they are enforced. */
  readonly reserved: readonly ReservedCgroup[];
  /** Object of the events. */
  readonly node: EventObject;
}

/** The reserved resources cannot be enforced. */
export class NodeAllocatableError extends Error {
  override readonly name = 'NodeAllocatableError';
}

const RETRY_MS = 60_000;
const ENFORCED = 'NodeAllocatableEnforced';
const FAILED = 'FailedNodeAllocatableEnforcement';

/** Creates the cgroup of all pods unless it exists. Its values are kept then, because running pods may use more than a new, lower limit. */
export async function createPodsCgroup({ tree }: NodeCgroupsPorts, { pods }: NodeCgroups): Promise<void> {
  if (!(await tree.exists(pods.name))) await tree.create(pods.name, pods.values);
}

/** Sets the limits of the cgroup of all pods. Returns whether they are in effect. */
export async function enforcePodsCgroup(
  { tree, events }: NodeCgroupsPorts,
  { pods, node }: NodeCgroups,
): Promise<boolean> {
  try {
    await tree.update(pods.name, pods.values);
  } catch (error) {
    const message = `Failed to update Node Allocatable Limits "${tree.pathOf(pods.name)}": ${errorMessage(error)}`;
    events.event(node, 'Warning', FAILED, message);
    return false;
  }
  events.event(node, 'Normal', ENFORCED, 'Updated Node Allocatable limit across pods');
  return true;
}

/**
 * Sets the limits of the cgroup of all pods, every minute until they are in effect: the kernel rejects a memory limit below the present usage, which evictions
 * bring down. Rejects only when `signal` aborts.
 */
export async function retryPodsCgroup(
  ports: NodeCgroupsPorts,
  cgroups: NodeCgroups,
  signal: AbortSignal,
): Promise<void> {
  do await sleep(ports.clock, RETRY_MS, signal);
  while (!(await enforcePodsCgroup(ports, cgroups)));
}

/** Sets the limits of the cgroups for reserved resources. @throws NodeAllocatableError with the first failure */
export async function enforceReservedCgroups(
  { tree, events }: NodeCgroupsPorts,
  { reserved, node }: NodeCgroups,
): Promise<void> {
  for (const { name, path, values, owner } of reserved) {
    try {
      if (!(await tree.exists(name))) throw new Error(`cgroup ${tree.pathOf(name)} does not exist`);
      if (values === undefined) throw new Error(`${owner}Reserved reserves no resources`);
      await tree.update(name, values);
    } catch (error) {
      const label = owner === 'system' ? 'System' : 'Kube';
      const message = `Failed to enforce ${label} Reserved Cgroup Limits on "${path}": ${errorMessage(error)}`;
      events.event(node, 'Warning', FAILED, message);
      throw new NodeAllocatableError(message, { cause: error });
    }
    events.event(node, 'Normal', ENFORCED, `Updated limits on ${owner} reserved cgroup ${path}`);
  }
}
