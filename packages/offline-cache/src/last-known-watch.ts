import { createObjectCopy, type KubeObject, type ObjectChange, type ObjectWatch } from '@rxlet/kube-api/client';
import type { Clock, Logger, Timer } from '@rxlet/component-base';
import { createEmitter, currentThenChanges, follow } from '@rxlet/component-base/streams';

/** Ports of {@link createLastKnownWatch}. */
export interface LastKnownWatchPorts<T> {
  /** The watch of the API server. It belongs to the new one. */
  readonly watch: ObjectWatch<T>;
  /** Returns the last known objects, if there are any; called once the API server has not answered in time. */
  readonly fallBack: () => readonly T[] | undefined;
  /** Called with all objects after each change that the API server sent. */
  readonly record: (objects: readonly T[]) => void;
  /** Called once the watch was disposed of. */
  readonly release: () => void;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Options of {@link createLastKnownWatch}. */
export interface LastKnownWatchOptions {
  /** Time that the API server has for its first answer, from the start of the watch. */
  readonly firstAnswerTimeoutMs: () => number;
  /** `provisional`: last known objects are emitted as added, and the watch is not synced. `complete`: they are emitted as its snapshot. */
  readonly keptAs: 'provisional' | 'complete';
}

/**
 * Creates a watch that shows the last known objects while the API server does not answer. What the API server then sends wins: it is emitted as the changes from
 * complete objects, and as the snapshot that replaces provisional ones.
 */
export function createLastKnownWatch<T extends KubeObject>(
  { watch, fallBack, record, release, clock, logger }: LastKnownWatchPorts<T>,
  { firstAnswerTimeoutMs: firstAnswerTimeoutMs, keptAs }: LastKnownWatchOptions,
): ObjectWatch<T> {
  const changes = createEmitter<ObjectChange<T>>();
  const known = createObjectCopy<T>();
  let isOffline = false;
  let timer: Timer | undefined;

  const isComplete = (): boolean => isOffline && keptAs === 'complete';
  const initial = (): readonly ObjectChange<T>[] => {
    const { list } = isOffline ? known : watch;
    if (watch.isSynced || isComplete()) return [{ type: 'snapshot', objects: list() }];
    return list().map((object): ObjectChange<T> => ({ type: 'added', object }));
  };
  const goOffline = (): void => {
    timer = undefined;
    const objects = watch.isSynced ? undefined : fallBack();
    if (objects === undefined) return;
    known.replace(objects);
    isOffline = true;
    initial().forEach(changes.emit);
  };
  const onChange = (change: ObjectChange<T>): void => {
    timer?.[Symbol.dispose]();
    const differences = isComplete() ? known.replace(watch.list()) : [change];
    isOffline = false;
    record(watch.list());
    differences.forEach(changes.emit);
  };
  const subscription = follow(watch.changes$, { task: 'following the API server', logger, next: onChange });

  return {
    start() {
      if (timer === undefined && !watch.isSynced && !isOffline)
        timer = clock.setTimer(firstAnswerTimeoutMs(), goOffline);
      watch.start();
    },
    get isSynced() {
      return watch.isSynced || isComplete();
    },
    list: () => (isOffline ? known : watch).list(),
    find: (ref) => (isOffline ? known : watch).find(ref),
    changes$: currentThenChanges(initial, changes.values$),
    get problem() {
      return watch.problem;
    },
    async [Symbol.asyncDispose]() {
      timer?.[Symbol.dispose]();
      subscription.unsubscribe();
      changes.complete();
      release();
      await watch[Symbol.asyncDispose]();
    },
  };
}
