import { type Clock, DeadlineExceededError, onAbort, type Timer } from '@rxlet/component-base';

/** Ends a connection that lasts too long or stays silent too long. */
export interface Watchdog extends Disposable {
  /** Aborts with the parent, or with a {@link DeadlineExceededError}. */
  readonly signal: AbortSignal;
  /** Records a sign of life, and sets the longest silence from now on. */
  feed(idleTimeoutMs: number): void;
}

/** Creates a {@link Watchdog}. Until it is fed, only the lifetime counts. */
export function createWatchdog(clock: Clock, maxLifetimeMs: number, parent: AbortSignal): Watchdog {
  const controller = new AbortController();
  const listener = onAbort(parent, (reason) => controller.abort(reason));
  const expireAfter = (ms: number): Timer => clock.setTimer(ms, () => controller.abort(new DeadlineExceededError(ms)));
  const lifetime = expireAfter(maxLifetimeMs);
  let idleTimer: Timer | undefined;
  return {
    signal: controller.signal,
    feed(idleTimeoutMs) {
      idleTimer?.[Symbol.dispose]();
      idleTimer = Number.isFinite(idleTimeoutMs) ? expireAfter(idleTimeoutMs) : undefined;
    },
    [Symbol.dispose]() {
      listener[Symbol.dispose]();
      lifetime[Symbol.dispose]();
      idleTimer?.[Symbol.dispose]();
      // Releases the connection, if it is still open.
      controller.abort();
    },
  };
}
