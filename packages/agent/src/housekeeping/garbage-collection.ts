import type { GarbageCollectionStep } from '@rxlet/agent-api/housekeeping';
import { type Clock, createLifetime, errorMessage, LifetimeEnded, type Logger, sleep } from '@rxlet/component-base';
import type { EventObject, EventRecorder } from '@rxlet/component-base/events';

/** Ports of {@link createGarbageCollection}. */
export interface GarbageCollectionPorts {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly events: EventRecorder;
  /** Steps of modules; they run side by side. */
  readonly garbageCollection: readonly GarbageCollectionStep[];
  /** Name of the Node object, for events. */
  readonly node: { readonly name: string };
}

/** Options of {@link createGarbageCollection}. */
export interface GarbageCollectionOptions {
  /** Time from the end of one collection to the start of the next. Default one minute, as in the kubelet. */
  readonly garbageCollectionPeriodMs?: number | undefined;
}

/** Periodic garbage collection. Disposal cancels the collections in flight. */
export interface GarbageCollection extends AsyncDisposable {
  /** Collects at once, since an agent that died may have left a full disk, and then periodically. */
  start(): void;
}

/** Creates {@link GarbageCollection}: the kubelet's StartGarbageCollection. A step that fails is an event of the node. */
export function createGarbageCollection(
  ports: GarbageCollectionPorts,
  options: GarbageCollectionOptions,
): GarbageCollection {
  const { clock, logger, events, garbageCollection } = ports;
  const { garbageCollectionPeriodMs = 60_000 } = options;
  const node: EventObject = { apiVersion: 'v1', kind: 'Node', name: ports.node.name };
  const lifetime = createLifetime();
  const { signal } = lifetime;

  const collect = async (step: GarbageCollectionStep): Promise<void> => {
    try {
      await step.run(signal);
    } catch (error) {
      // Other parts of an agent that stops may end before this one.
      if (signal.aborted || error instanceof LifetimeEnded) return;
      logger.error('garbage collection failed', { step: step.name, error: errorMessage(error) });
      events.event(node, 'Warning', step.failureReason, errorMessage(error));
    }
  };
  const collectPeriodically = async (step: GarbageCollectionStep): Promise<void> => {
    while (!signal.aborted) {
      await collect(step);
      await sleep(clock, garbageCollectionPeriodMs, signal).catch(() => undefined);
    }
  };

  return {
    start() {
      for (const step of garbageCollection) void lifetime.track(collectPeriodically(step));
    },
    [Symbol.asyncDispose]: () => lifetime[Symbol.asyncDispose](),
  };
}
