import { atEndOfTurn, type Clock, errorMessage, type Logger, toRfc3339 } from '@rxlet/component-base';
import type { Node, Pod, PodStatus } from '@rxlet/kube-api';
import { isTerminalPhase } from '@rxlet/pod-model';
import { keyOf, type StoredObject } from '../api-object.ts';
import type { ResourceType } from '../resource-type.ts';
import { boundPod } from '../rules/pod-rules.ts';
import type { ObjectStore } from '../store/object-store.ts';
import { chooseNode } from './choose-node.ts';
import { createNodeLedger } from './node-ledger.ts';

/** Ports of {@link startScheduler}. */
export interface SchedulerPorts {
  readonly store: ObjectStore;
  readonly clock: Clock;
  readonly logger: Logger;
}

const SCHEDULER = 'default-scheduler';

/**
 * Binds pods without a node to nodes until it is disposed of, each time that pods or nodes change. Pods without a suitable node get the condition `PodScheduled` with the
 * reason, and are tried again when a node changes or has more room. It preempts nothing, and does not look at volumes, ports, or affinity to other pods.
 */
export function startScheduler(
  { store, clock, logger }: SchedulerPorts,
  { pods, nodes }: { readonly pods: ResourceType; readonly nodes: ResourceType },
): Disposable {
  const ledger = createNodeLedger();
  /** Pods that have no node, and those of them that found none. */
  const pending = new Map<string, StoredObject>();
  const unschedulable = new Set<string>();
  let position = 0;
  let isRequested = false;
  let isDisposed = false;

  const schedule = (key: string, object: StoredObject): void => {
    const placement = chooseNode(object as unknown as Pod, ledger.entries(), position);
    if (placement.kind === 'node') {
      position = placement.next;
      store.write(pods, boundPod(object, { target: { name: placement.name } }, clock.now()));
      return;
    }
    unschedulable.add(key);
    const status = (object.status ?? {}) as PodStatus;
    const previous = status.conditions?.find(({ type }) => type === 'PodScheduled');
    if (previous?.message === placement.message) return;
    const condition = {
      type: 'PodScheduled',
      status: 'False',
      reason: 'Unschedulable',
      message: placement.message,
      lastProbeTime: null,
      lastTransitionTime: toRfc3339(clock.now()),
    };
    const others = (status.conditions ?? []).filter(({ type }) => type !== 'PodScheduled');
    store.write(pods, { ...object, status: { ...status, conditions: [...others, condition] } });
  };
  const scheduleAll = (): void => {
    isRequested = false;
    if (isDisposed) return;
    for (const key of [...pending.keys()].sort()) {
      const object = pending.get(key);
      if (object !== undefined && !unschedulable.has(key)) schedule(key, object);
    }
  };
  const request = (): void => {
    if (isRequested) return;
    isRequested = true;
    atEndOfTurn(scheduleAll);
  };
  const podChanged = (key: string, object: StoredObject | undefined, previous?: StoredObject): void => {
    if (object !== undefined && isPending(object)) pending.set(key, object);
    else pending.delete(key);
    if (!pending.has(key) || object?.spec !== previous?.spec) unschedulable.delete(key);
    if (ledger.setPod(key, object as unknown as Pod | undefined)) unschedulable.clear();
  };
  const nodeChanged = (name: string, object: StoredObject | undefined): void => {
    ledger.setNode(name, object as unknown as Node | undefined);
    unschedulable.clear();
  };

  const subscription = store.changes$.subscribe({
    next: ({ type, object, previous }) => {
      const { metadata } = (object ?? previous)!;
      if (type === pods) podChanged(keyOf(metadata), object, previous);
      else if (type === nodes) nodeChanged(metadata.name, object);
      else return;
      if (pending.size > unschedulable.size) request();
    },
    error: (error: unknown) => logger.error('the scheduler ended', { error: errorMessage(error) }),
  });
  // Objects of an earlier run.
  for (const node of store.list(nodes)) nodeChanged(node.metadata.name, node);
  for (const pod of store.list(pods)) podChanged(keyOf(pod.metadata), pod);
  request();
  return {
    [Symbol.dispose]() {
      isDisposed = true;
      subscription.unsubscribe();
    },
  };
}

function isPending(object: StoredObject): boolean {
  const { metadata, spec, status } = object as unknown as Pod;
  return (
    !spec?.nodeName &&
    (spec?.schedulerName ?? SCHEDULER) === SCHEDULER &&
    (spec?.schedulingGates ?? []).length === 0 &&
    metadata?.deletionTimestamp === undefined &&
    !isTerminalPhase(status?.phase)
  );
}
