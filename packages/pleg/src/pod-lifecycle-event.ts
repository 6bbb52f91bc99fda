import type { RuntimePod } from '@rxlet/pod-model/runtime';

/** A change of a container or sandbox of a pod, or a request to sync the pod. */
export type PodLifecycleEvent = ContainerEvent | PodSyncEvent;

/** A change of one container or sandbox. */
export interface ContainerEvent {
  readonly type: 'ContainerStarted' | 'ContainerDied' | 'ContainerRemoved' | 'ContainerChanged';
  readonly podUid: string;
  /** Id without the runtime's prefix. */
  readonly containerId: string;
  /** Name in the pod spec; `undefined` for a sandbox. */
  readonly containerName?: string;
  /** Exit code, with `ContainerDied`, if the runtime still has the container. */
  readonly exitCode?: number;
}

/** The pod's status was read on request although the lists show no change. */
export interface PodSyncEvent {
  readonly type: 'PodSync';
  readonly podUid: string;
}

/** State of a container or sandbox as far as events go: `created` counts as unknown, a ready sandbox as running. */
type ObservedState = 'running' | 'exited' | 'unknown';

interface Observed {
  readonly state: ObservedState;
  readonly name?: string;
}

function observe(pod: RuntimePod | undefined): Map<string, Observed> {
  const observed = new Map<string, Observed>();
  for (const { id, name, state } of pod?.containers ?? []) {
    observed.set(id.id, { name, state: state === 'created' ? 'unknown' : state });
  }
  for (const { id, state } of pod?.sandboxes ?? [])
    observed.set(id, { state: state === 'ready' ? 'running' : 'exited' });
  return observed;
}

/** Reports whether two listings of a pod have the same containers and sandboxes in the same states and the same order, as nearly all do. */
export function listsSame(earlier: RuntimePod | undefined, later: RuntimePod | undefined): boolean {
  if (earlier === undefined || later === undefined) return earlier === later;
  return (
    earlier.containers.length === later.containers.length &&
    earlier.sandboxes.length === later.sandboxes.length &&
    earlier.containers.every(({ id, state }, place) => {
      const other = later.containers[place]!;
      return id.id === other.id.id && state === other.state;
    }) &&
    earlier.sandboxes.every(({ id, state }, place) => {
      const other = later.sandboxes[place]!;
      return id === other.id && state === other.state;
    })
  );
}

const EVENT_OF_STATE = {
  running: 'ContainerStarted',
  exited: 'ContainerDied',
  unknown: 'ContainerChanged',
} as const satisfies Record<ObservedState, ContainerEvent['type']>;

/**
 * Returns the events that lead from one listing of a pod to a later one; either is `undefined` if the runtime does not have the pod. Pure.
 *
 * A container that disappeared while it ran has died and was removed, in this order (kubelet: generic PLEG).
 */
export function computePodLifecycleEvents(
  podUid: string,
  earlier: RuntimePod | undefined,
  later: RuntimePod | undefined,
): ContainerEvent[] {
  if (listsSame(earlier, later)) return [];
  const before = observe(earlier);
  const after = observe(later);
  const events: ContainerEvent[] = [];
  const emit = (type: ContainerEvent['type'], containerId: string, { name }: Observed): void => {
    events.push({ type, podUid, containerId, ...(name !== undefined && { containerName: name }) });
  };
  for (const [id, was] of before) {
    if (after.has(id)) continue;
    if (was.state !== 'exited') emit('ContainerDied', id, was);
    emit('ContainerRemoved', id, was);
  }
  for (const [id, is] of after) if (before.get(id)?.state !== is.state) emit(EVENT_OF_STATE[is.state], id, is);
  return events;
}
