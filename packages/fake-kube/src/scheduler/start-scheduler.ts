import { atEndOfTurn, type Clock, errorMessage, type Logger, toRfc3339 } from '@rxlet/component-base';
import type { Node, Pod, PodStatus } from '@rxlet/kube-api';
import { isTerminalPhase } from '@rxlet/pod-model';
import type { StoredObject } from '../api-object.ts';
import type { ResourceType } from '../resource-type.ts';
import { boundPod } from '../rules/pod-rules.ts';
import type { ObjectStore } from '../store/object-store.ts';
import { chooseNode } from './choose-node.ts';

/** Ports of {@link startScheduler}. */
export interface SchedulerPorts {
  readonly store: ObjectStore;
  readonly clock: Clock;
  readonly logger: Logger;
}

const SCHEDULER = 'default-scheduler';

/**
 * Binds pods without a node to nodes until it is disposed of, each time that pods or nodes change. Pods without a suitable node get the condition `PodScheduled` with the
 * reason. It preempts nothing, and does not look at volumes, ports, or affinity to other pods.
 */
export function startScheduler(
  { store, clock, logger }: SchedulerPorts,
  { pods, nodes }: { readonly pods: ResourceType; readonly nodes: ResourceType },
): Disposable {
  let isRequested = false;
  let isDisposed = false;

  const schedule = (object: StoredObject): void => {
    const pod = object as unknown as Pod;
    const all = store.list(pods) as unknown as readonly Pod[];
    const placement = chooseNode(pod, store.list(nodes) as unknown as readonly Node[], all);
    if (placement.kind === 'node') {
      store.write(pods, boundPod(object, { target: { name: placement.name } }, clock.now()));
      return;
    }
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
    for (const object of store.list(pods).filter(isPending)) schedule(object);
  };
  const request = (): void => {
    if (isRequested) return;
    isRequested = true;
    atEndOfTurn(scheduleAll);
  };

  const subscription = store.changes$.subscribe({
    next: ({ type }) => {
      if (type === pods || type === nodes) request();
    },
    error: (error: unknown) => logger.error('the scheduler ended', { error: errorMessage(error) }),
  });
  // Pods of an earlier run.
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
