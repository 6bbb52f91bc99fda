/** Consequences of steps after a while, such as the end of an outage. */
export interface Later {
  /** Runs an action after `delayMs` of virtual time, before any step that comes later. */
  add(delayMs: number, action: () => void | Promise<void>): void;
}

/** The queue behind {@link Later}. */
export interface LaterQueue extends Later {
  /** Time of the first action, in milliseconds of the clock; `Infinity` without one. */
  readonly firstMs: number;
  /** Runs the first action. */
  runFirst(): Promise<void>;
}

/** Creates a queue. Plans bound its length. */
export function createLater(clock: { monotonicNow(): number }): LaterQueue {
  const actions: { readonly dueMs: number; readonly action: () => void | Promise<void> }[] = [];
  return {
    add(delayMs, action) {
      const dueMs = clock.monotonicNow() + delayMs;
      const index = actions.findIndex((other) => other.dueMs > dueMs);
      actions.splice(index === -1 ? actions.length : index, 0, { dueMs, action });
    },
    get firstMs() {
      return actions[0]?.dueMs ?? Infinity;
    },
    async runFirst() {
      await actions.shift()?.action();
    },
  };
}
