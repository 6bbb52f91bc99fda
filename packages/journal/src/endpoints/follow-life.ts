import type { JournalEntry } from '@rxlet/agent-api/journal';
import { type Logger, onAbort } from '@rxlet/component-base';
import { follow } from '@rxlet/component-base/streams';
import type { Explainer } from '../explain/explain-pods.ts';
import type { JournalStore } from '../store/journal-store.ts';
import { formatEvent } from './event-stream.ts';

/** Entries that may wait for a slow reader; after more it gets the whole life again. */
const MAX_WAITING_ENTRIES = 1_000;

/** Ports of {@link followLife}. */
export interface FollowLifePorts {
  readonly explainer: Pick<Explainer, 'explainLife'>;
  readonly store: Pick<JournalStore, 'find' | 'changes$'>;
  readonly logger: Logger;
}

/**
 * Yields the latest life of a pod as the event `life`, and then each of its entries as the event `entry`, each time with its explanation, no faster than the reader takes them. A new life, and a
 * reader that is too slow, get the event `life` again. Ends when `signal` aborts.
 */
export async function* followLife(
  { store, explainer, logger }: FollowLifePorts,
  { namespace, name }: { readonly namespace: string; readonly name: string },
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  let waiting: JournalEntry[] = [];
  let isBehind = true;
  let uid: string | undefined;
  let changed = Promise.withResolvers<void>();
  using _listener = onAbort(signal, () => changed.resolve());
  const subscription = follow(store.changes$, {
    task: 'sending the journal of a pod',
    logger,
    next(entry) {
      const isNew = entry.type === 'begin' && entry.parentId === undefined;
      const concerns = isNew ? entry.namespace === namespace && entry.name === name : entry.uid === uid;
      if (!concerns) return;
      if (isNew || waiting.length >= MAX_WAITING_ENTRIES) isBehind = true;
      else if (!isBehind) waiting.push(entry);
      changed.resolve();
    },
    complete: () => changed.resolve(),
  });
  try {
    while (!signal.aborted && !subscription.closed) {
      if (isBehind) {
        isBehind = false;
        waiting = [];
        const life = store.find(namespace, name);
        uid = life?.uid;
        yield formatEvent({ event: 'life', data: life ?? null });
        if (life !== undefined) yield formatEvent({ event: 'explanation', data: explainer.explainLife(life) });
      }
      const taken = waiting;
      waiting = [];
      for (const entry of taken) yield formatEvent({ event: 'entry', data: entry });
      const life = taken.length === 0 ? undefined : store.find(namespace, name);
      if (life !== undefined) yield formatEvent({ event: 'explanation', data: explainer.explainLife(life) });
      if (waiting.length > 0 || isBehind) continue;
      changed = Promise.withResolvers();
      await changed.promise;
    }
  } finally {
    subscription.unsubscribe();
  }
}
