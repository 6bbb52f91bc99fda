import type { Clock, Timer } from './clock.ts';

/** Reports each key when it is due, with a single timer for all keys. */
export interface DeadlineQueue<K> extends Disposable {
  /** Makes `key` due after `delayMs` (`Infinity`: never), in place of its earlier time. */
  set(key: K, delayMs: number): void;
  /** Removes `key`. */
  delete(key: K): void;
  /** Number of waiting keys. */
  readonly size: number;
}

interface Entry<K> {
  readonly key: K;
  readonly dueMs: number;
  /** Number of the call of `set`, which orders keys that are due at the same time. */
  readonly order: number;
}

/**
 * Creates a {@link DeadlineQueue} on the monotonic clock. `onDue` is called once for each due key, ordered by time, then by the calls of `set`; it must not throw. A
 * key that `onDue` sets again waits for another timer, even with a delay of 0.
 *
 * The implementation is a binary heap. Replaced entries stay in it until they surface, or until they are the majority and the heap is rebuilt.
 */
export function createDeadlineQueue<K>(clock: Clock, onDue: (key: K) => void): DeadlineQueue<K> {
  let heap: Entry<K>[] = [];
  const live = new Map<K, Entry<K>>();
  let lastOrder = 0;
  let timer: Timer | undefined;
  let timerDueMs = Infinity;
  let disposed = false;

  const rearm = (): void => {
    while (heap.length > 0 && live.get(heap[0]!.key) !== heap[0]) pop();
    const dueMs = heap[0]?.dueMs ?? Infinity;
    if (dueMs === timerDueMs) return;
    timer?.[Symbol.dispose]();
    timerDueMs = dueMs;
    timer = dueMs === Infinity ? undefined : clock.setTimer(dueMs - clock.monotonicNow(), fire);
  };
  const fire = (): void => {
    timerDueMs = Infinity;
    timer = undefined;
    const nowMs = clock.monotonicNow();
    // Keys set from now on are ordered after all due ones, so the first of them ends the round.
    const lastOrderOfRound = lastOrder;
    while (heap.length > 0 && heap[0]!.dueMs <= nowMs && heap[0]!.order <= lastOrderOfRound) {
      const entry = pop();
      if (live.get(entry.key) !== entry) continue;
      live.delete(entry.key);
      onDue(entry.key);
      if (disposed) return;
    }
    rearm();
  };
  const push = (entry: Entry<K>): void => {
    let index = heap.push(entry) - 1;
    while (index > 0) {
      const parent = (index - 1) >> 1;
      if (isBefore(heap[parent]!, entry)) break;
      heap[index] = heap[parent]!;
      index = parent;
    }
    heap[index] = entry;
  };
  const pop = (): Entry<K> => {
    const top = heap[0]!;
    const last = heap.pop()!;
    if (heap.length > 0) {
      let index = 0;
      for (;;) {
        let child = 2 * index + 1;
        if (child >= heap.length) break;
        if (child + 1 < heap.length && isBefore(heap[child + 1]!, heap[child]!)) child += 1;
        if (isBefore(last, heap[child]!)) break;
        heap[index] = heap[child]!;
        index = child;
      }
      heap[index] = last;
    }
    return top;
  };

  return {
    set(key, delayMs) {
      if (disposed) return;
      lastOrder += 1;
      const entry = { key, dueMs: clock.monotonicNow() + (delayMs > 0 ? delayMs : 0), order: lastOrder };
      live.set(key, entry);
      if (heap.length > 2 * live.size + 16) {
        heap = [...live.values()].sort((a, b) => (isBefore(a, b) ? -1 : 1));
      } else {
        push(entry);
      }
      rearm();
    },
    delete(key) {
      if (live.delete(key)) rearm();
    },
    get size() {
      return live.size;
    },
    [Symbol.dispose]() {
      disposed = true;
      timer?.[Symbol.dispose]();
      timer = undefined;
      heap = [];
      live.clear();
    },
  };
}

function isBefore<K>(a: Entry<K>, b: Entry<K>): boolean {
  return a.dueMs < b.dueMs || (a.dueMs === b.dueMs && a.order < b.order);
}
