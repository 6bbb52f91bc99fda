import type { KubeClient, KubeObject, ObjectWatch } from '@rxlet/kube-api/client';
import { type Clock, createLifetime, type Logger, sleep } from '@rxlet/component-base';
import { createEmitter, follow } from '@rxlet/component-base/streams';
import type { KubeResource } from '@rxlet/kube-api/resources';
import type { Subscription } from 'rxjs';
import type { ReferencedObjects } from './referenced-objects.ts';

/** Ports of {@link createWatchedObjects}. */
export interface WatchedObjectsPorts {
  readonly client: Pick<KubeClient, 'watch'>;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** An object that can be declared immutable. */
type MaybeImmutable = KubeObject & { readonly immutable?: boolean };

interface Entry<T> {
  readonly watch: ObjectWatch<T>;
  readonly podUids: Set<string>;
  readonly subscription: Subscription;
  readonly synced: Promise<void>;
  /** An object that never changes needs no watch. */
  settled: T | undefined;
}

/** Time that a reader waits for the first answer, as in the kubelet. */
const SYNC_TIMEOUT_MS = 1_000;
/** The API server keeps each watch for at least half an hour, because there is one for each object. */
const MIN_WATCH_SECONDS = 1_800;

/** Creates {@link ReferencedObjects} that are kept up to date by a watch for each: a node may not list them (strategy `Watch`). */
export function createWatchedObjects<T extends MaybeImmutable>(
  { client, clock, logger }: WatchedObjectsPorts,
  resource: KubeResource<T>,
): ReferencedObjects<T> {
  const kind = resource.kind.toLowerCase();
  const lifetime = createLifetime();
  const entries = new Map<string, Entry<T>>();
  const changes = createEmitter<string>();
  const keyOf = (namespace: string, name: string): string => `${namespace}/${name}`;

  const open = (namespace: string, name: string): Entry<T> => {
    const fieldSelector = `metadata.name=${name}`;
    const watch = client.watch(resource, { namespace, fieldSelector, minTimeoutSeconds: MIN_WATCH_SECONDS });
    const synced = Promise.withResolvers<void>();
    const podUids = new Set<string>();
    const subscription = follow(watch.changes$, {
      task: `following ${kind} ${keyOf(namespace, name)}`,
      logger,
      next(change) {
        if (change.type === 'snapshot') synced.resolve();
        else for (const uid of podUids) changes.emit(uid);
        settle(entries.get(keyOf(namespace, name)));
      },
    });
    const entry: Entry<T> = { watch, podUids, subscription, synced: synced.promise, settled: undefined };
    watch.start();
    // A watch that others share may be synced already.
    settle(entry);
    return entry;

    function settle(current: Entry<T> | undefined): void {
      const object = watch.find({ name, namespace });
      if (current === undefined || object?.immutable !== true) return;
      current.settled = object;
      close(current);
    }
  };
  const close = ({ watch, subscription }: Entry<T>): void => {
    // A watch may end only after it has delivered the change that is being handled.
    queueMicrotask(() => {
      subscription.unsubscribe();
      void lifetime.track((async () => watch[Symbol.asyncDispose]())()).catch(() => undefined);
    });
  };
  const register = (podUid: string, namespace: string, name: string): Entry<T> => {
    const key = keyOf(namespace, name);
    const entry = entries.get(key) ?? open(namespace, name);
    entries.set(key, entry);
    entry.podUids.add(podUid);
    return entry;
  };
  const releaseWhere = (isReleased: (podUid: string) => boolean): void => {
    for (const [key, entry] of entries) {
      for (const uid of entry.podUids) if (isReleased(uid)) entry.podUids.delete(uid);
      if (entry.podUids.size > 0) continue;
      entries.delete(key);
      if (entry.settled === undefined) close(entry);
    }
  };

  return {
    async get(podUid, namespace, name, signal) {
      lifetime.signal.throwIfAborted();
      const entry = register(podUid, namespace, name);
      if (entry.settled === undefined && !entry.watch.isSynced) await firstAnswer(entry, signal);
      return entry.settled ?? entry.watch.find({ name, namespace });
    },
    register: (podUid, namespace, name) => void register(podUid, namespace, name),
    has: (namespace, name) => entries.has(keyOf(namespace, name)),
    release: (podUid) => releaseWhere((uid) => uid === podUid),
    retain: (podUids) => releaseWhere((uid) => !podUids.has(uid)),
    changes$: changes.values$,
    async [Symbol.asyncDispose]() {
      releaseWhere(() => true);
      // The watches that were just closed are tracked after this turn.
      await Promise.resolve();
      await lifetime[Symbol.asyncDispose]();
      changes.complete();
    },
  };

  async function firstAnswer({ synced }: Entry<T>, signal?: AbortSignal): Promise<void> {
    const waiting = new AbortController();
    const timeout = sleep(clock, SYNC_TIMEOUT_MS, AbortSignal.any([waiting.signal, ...(signal ? [signal] : [])])).then(
      () => {
        throw new Error(`failed to sync ${kind} cache: timed out waiting for the condition`);
      },
    );
    try {
      await Promise.race([synced, timeout]);
    } finally {
      waiting.abort();
      timeout.catch(() => undefined);
    }
  }
}
