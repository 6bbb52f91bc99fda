import { abortable, type Clock, createLifetime } from '@rxlet/component-base';
import { isKubeError, type KubeClient, type KubeObject } from '@rxlet/kube-api/client';
import type { KubeResource } from '@rxlet/kube-api/resources';
import { NEVER } from 'rxjs';
import type { ReferencedObjects } from './referenced-objects.ts';

/** Ports of {@link createReadObjects}. */
export interface ReadObjectsPorts {
  readonly client: Pick<KubeClient, 'get'>;
  readonly clock: Pick<Clock, 'monotonicNow'>;
}

/** Options of {@link createReadObjects}. */
export interface ReadObjectsOptions {
  /** Returns the time for which a read object counts, in milliseconds; 0: it is read each time. */
  readonly ttlMs: () => number;
}

interface Entry<T> {
  readonly podUids: Set<string>;
  /** Result of the last read that succeeded; the object is absent when there is none. */
  last: { readonly object: T | undefined; readonly atMs: number } | undefined;
  /** Whether {@link last} must not be used without another read. */
  isStale: boolean;
  reading: Promise<T | undefined> | undefined;
}

/** Creates {@link ReferencedObjects} that are read when they are needed, and again once they are too old (strategies `Cache` and `Get`). They have no changes: volumes follow with the next sync of their pod. */
export function createReadObjects<T extends KubeObject>(
  { client, clock }: ReadObjectsPorts,
  resource: KubeResource<T>,
  { ttlMs }: ReadObjectsOptions,
): ReferencedObjects<T> {
  const lifetime = createLifetime();
  const entries = new Map<string, Entry<T>>();
  const keyOf = (namespace: string, name: string): string => `${namespace}/${name}`;

  const register = (podUid: string, namespace: string, name: string): Entry<T> => {
    const key = keyOf(namespace, name);
    const entry = entries.get(key) ?? { podUids: new Set(), last: undefined, isStale: true, reading: undefined };
    entries.set(key, entry);
    // A pod that is new to the object must not start with an old version of it.
    if (!entry.podUids.has(podUid)) entry.isStale = true;
    entry.podUids.add(podUid);
    return entry;
  };
  /** An absent object is read each time: a pod that waits for it must not wait for the end of a time to live. */
  const isFresh = ({ last, isStale }: Entry<T>): boolean =>
    last?.object !== undefined && !isStale && clock.monotonicNow() - last.atMs < ttlMs();
  const read = async (entry: Entry<T>, namespace: string, name: string): Promise<T | undefined> => {
    const atMs = clock.monotonicNow();
    entry.isStale = false;
    try {
      const found = await client.get(resource, { namespace, name }, { signal: lifetime.signal }).catch(absent);
      const object = found !== undefined && isOlder(found, entry.last?.object) ? entry.last?.object : found;
      entry.last = { object, atMs };
      return object;
    } catch (error) {
      entry.isStale = true;
      // An old version is better than none, as in the kubelet, unless every read counts.
      if (entry.last === undefined || ttlMs() === 0) throw error;
      return entry.last.object;
    }
  };
  const releaseWhere = (isReleased: (podUid: string) => boolean): void => {
    for (const [key, entry] of entries) {
      for (const uid of entry.podUids) if (isReleased(uid)) entry.podUids.delete(uid);
      if (entry.podUids.size === 0) entries.delete(key);
    }
  };
  return {
    async get(podUid, namespace, name, signal) {
      lifetime.signal.throwIfAborted();
      signal?.throwIfAborted();
      const entry = register(podUid, namespace, name);
      if (isFresh(entry)) return entry.last?.object;
      // Pods that need the object at the same time share a read that began after all of them had asked.
      entry.reading = entry.isStale || entry.reading === undefined ? start(entry, namespace, name) : entry.reading;
      return abortable(entry.reading, signal);
    },
    register: (podUid, namespace, name) => void register(podUid, namespace, name),
    has: (namespace, name) => entries.has(keyOf(namespace, name)),
    release: (podUid) => releaseWhere((uid) => uid === podUid),
    retain: (podUids) => releaseWhere((uid) => !podUids.has(uid)),
    changes$: NEVER,
    async [Symbol.asyncDispose]() {
      entries.clear();
      await lifetime[Symbol.asyncDispose]();
    },
  };

  function start(entry: Entry<T>, namespace: string, name: string): Promise<T | undefined> {
    const reading = lifetime.track(read(entry, namespace, name)).finally(() => {
      if (entry.reading === reading) entry.reading = undefined;
    });
    return reading;
  }
}

function absent(error: unknown): undefined {
  if (isKubeError(error, 'NotFound')) return undefined;
  throw error;
}

/** Reports whether an object has an earlier version than the known one of the same identity: servers of a cluster may lag behind each other. */
function isOlder<T extends KubeObject>(object: T, known: T | undefined): boolean {
  if (known?.metadata?.uid !== object.metadata?.uid) return false;
  const [version, knownVersion] = [object, known].map((each) => Number(each?.metadata?.resourceVersion));
  return version! < knownVersion!;
}
