import { type Observable, Subscription } from 'rxjs';
import { type InitialEventsEnd, mergeWatchEvents, type WatchEvent } from './watch-event.ts';

/** A change that may be merged with earlier ones of the same key that a slow reader has not taken yet. */
export interface KeyedChange {
  readonly key: string;
  readonly event: WatchEvent;
}

/** The parts of a `ServerResponse` that a watch uses. */
export interface WatchResponse {
  /** `false`: enough until `drain`. */
  write(text: string): boolean;
  end(): void;
  destroy(): void;
  on(event: 'drain' | 'close', listener: () => void): void;
}

/** Of how many objects a slow reader may have changes outstanding: many times the pods and events of a node. */
const DEFAULT_CAPACITY = 10_000;

/**
 * Writes `initial` and then all changes as lines of JSON until the reader goes away or the stream ends. A reader that does not keep up gets one line at a time: for it, changes
 * with the same key are merged (see {@link mergeWatchEvents}), so that it always gets to the latest state. With more than `capacity` keys outstanding it is cut off. A stream
 * that fails cuts it off too.
 */
export function writeWatch(
  response: WatchResponse,
  initial: Iterable<WatchEvent | InitialEventsEnd>,
  changes$: Observable<KeyedChange>,
  capacity: number = DEFAULT_CAPACITY,
): void {
  const outstanding = new Map<string, WatchEvent>();
  // Made before it is needed: a stream may fail while it is subscribed to.
  const subscription = new Subscription();
  let blocked = false;
  const write = (event: WatchEvent | InitialEventsEnd): void => {
    blocked = !response.write(`${JSON.stringify(event)}\n`);
  };
  const hold = ({ key, event }: KeyedChange): void => {
    const earlier = outstanding.get(key);
    const merged = earlier === undefined ? event : mergeWatchEvents(earlier, event);
    // Put at the end again: changes of different objects stay in order.
    outstanding.delete(key);
    if (merged !== undefined) outstanding.set(key, merged);
  };
  const cutOff = (): void => {
    subscription.unsubscribe();
    outstanding.clear();
    response.destroy();
  };

  const unsent = initial[Symbol.iterator]();
  let hasInitial = true;
  /** Writes what is there, no faster than the reader takes it: the initial events first. */
  const writeHeld = (): void => {
    while (hasInitial && !blocked) {
      const next = unsent.next();
      if (next.done === true) hasInitial = false;
      else write(next.value);
    }
    for (const [key, event] of outstanding) {
      if (blocked) return;
      outstanding.delete(key);
      write(event);
    }
  };

  writeHeld();
  response.on('drain', () => {
    blocked = false;
    writeHeld();
  });
  subscription.add(
    changes$.subscribe({
      next: (change) => {
        if (blocked || hasInitial) hold(change);
        else write(change.event);
        if (outstanding.size > capacity) cutOff();
      },
      error: cutOff,
      complete: () => {
        while (hasInitial || outstanding.size > 0) {
          blocked = false;
          writeHeld();
        }
        response.end();
      },
    }),
  );
  response.on('close', () => {
    subscription.unsubscribe();
    outstanding.clear();
  });
}
