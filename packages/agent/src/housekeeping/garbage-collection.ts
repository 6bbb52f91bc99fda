import {
  type Clock,
  createLifetime,
  errorMessage,
  type EventObject,
  type EventRecorder,
  type Logger,
  sleep,
} from '@rxlet/component-base';
import type { PodConfig } from '@rxlet/pod-source';
import { type PodWorkers, shouldContentBeRemoved } from '@rxlet/pod-workers';
import type { RuntimeManager } from '@rxlet/runtime-manager';

/** What the collection goes by. */
export interface GarbageCollectionPorts {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly events: EventRecorder;
  readonly config: Pick<PodConfig, 'sourcesReady'>;
  readonly workers: Pick<PodWorkers, 'state' | 'podsSynced'>;
  readonly runtimeManager: Pick<RuntimeManager, 'collectGarbage'>;
}

/** Options of {@link createGarbageCollection}. */
export interface GarbageCollectionOptions {
  /** From the end of one collection to the beginning of the next. Default one minute, as the kubelet's. */
  readonly garbageCollectionPeriodMs?: number | undefined;
  /** As the API knows the node, for its events. */
  readonly nodeName: string;
}

/** Removes dead containers, old sandboxes and logs from time to time. Disposing of it ends a collection that is under way. */
export interface GarbageCollection extends AsyncDisposable {
  /** Collects at once, as the kubelet does: what an agent that died has left is not to fill the disk for another minute. Then periodically. */
  start(): void;
}

/** Creates {@link GarbageCollection}: the kubelet's StartGarbageCollection. A collection that fails is an event `ContainerGCFailed` of the node. */
export function createGarbageCollection(
  ports: GarbageCollectionPorts,
  options: GarbageCollectionOptions,
): GarbageCollection {
  const { clock, logger, events, config, workers, runtimeManager } = ports;
  const { garbageCollectionPeriodMs = 60_000, nodeName } = options;
  const node: EventObject = { apiVersion: 'v1', kind: 'Node', name: nodeName, uid: nodeName };
  const lifetime = createLifetime();
  const { signal } = lifetime;

  const collect = async (): Promise<void> => {
    try {
      await runtimeManager.collectGarbage({
        signal,
        allSourcesReady: config.sourcesReady(),
        shouldContentBeRemoved: (uid) => shouldContentBeRemoved(workers.state(uid), workers.podsSynced()),
      });
    } catch (error) {
      if (signal.aborted) return;
      logger.error('garbage collection of containers failed', { error: errorMessage(error) });
      events.event(node, 'Warning', 'ContainerGCFailed', errorMessage(error));
    }
  };
  const collectAgainAndAgain = async (): Promise<void> => {
    while (!signal.aborted) {
      await collect();
      await sleep(clock, garbageCollectionPeriodMs, signal).catch(() => undefined);
    }
  };

  return {
    start() {
      void lifetime.track(collectAgainAndAgain());
    },
    [Symbol.asyncDispose]: () => lifetime[Symbol.asyncDispose](),
  };
}
