import type { Clock, Random, Timer } from '@rxlet/component-base';

/** Options of {@link createReconnectGate}. */
export interface ReconnectOptions {
  /** Shortest time from the beginning of one attempt to that of the next. */
  readonly initialDelayMs: number;
  /** Longest time, before it is spread by a fifth. */
  readonly maxDelayMs: number;
}

/** Growth of the delay from attempt to attempt, and its spread: gRPC's connection back-off, which the kubelet does not change. */
const GROWTH = 1.6;
const SPREAD = 0.2;

/** Spaces attempts to connect, with back-off after failures. */
export interface ReconnectGate {
  /** Resolves when the next attempt may begin. Rejects when the gate is closed. */
  pass(): Promise<void>;
  /** Resets the delay after a successful attempt. */
  succeeded(): void;
  /** Shortens the pending wait when the peer is known to be back. */
  retryNow(): void;
  /** Rejects the pending wait and all later ones with `reason`. */
  close(reason: Error): void;
}

/** Creates a {@link ReconnectGate}. */
export function createReconnectGate(clock: Clock, random: Random, options: ReconnectOptions): ReconnectGate {
  let lastAttemptMs = -Infinity;
  let attempts = 0;
  let closed: Error | undefined;
  let waiting:
    | { readonly promise: Promise<void>; readonly reject: (reason: Error) => void; resolve: () => void; timer: Timer }
    | undefined;

  const delayMs = (): number => {
    const steps = Math.max(0, attempts - 1);
    const grown = Math.min(options.initialDelayMs * GROWTH ** steps, options.maxDelayMs);
    return steps === 0 ? grown : grown * (1 + SPREAD * (2 * random.next() - 1));
  };
  const begin = (): void => {
    lastAttemptMs = clock.monotonicNow();
    attempts++;
    waiting?.resolve();
    waiting = undefined;
  };
  const remainingMs = (delay: number): number => lastAttemptMs + delay - clock.monotonicNow();

  return {
    pass() {
      if (closed !== undefined) return Promise.reject(closed);
      if (waiting !== undefined) return waiting.promise;
      const waitMs = remainingMs(delayMs());
      if (waitMs <= 0) {
        begin();
        return Promise.resolve();
      }
      waiting = { ...Promise.withResolvers<void>(), timer: clock.setTimer(waitMs, begin) };
      return waiting.promise;
    },
    succeeded() {
      attempts = 0;
    },
    retryNow() {
      if (waiting === undefined) return;
      waiting.timer[Symbol.dispose]();
      waiting.timer = clock.setTimer(remainingMs(options.initialDelayMs), begin);
    },
    close(reason) {
      closed = reason;
      waiting?.timer[Symbol.dispose]();
      waiting?.reject(reason);
      waiting = undefined;
    },
  };
}
