import { onAbort } from './abort.ts';
/**
 * Owns the resources of a subsystem: subscriptions, timers, watches, sockets and pending work. Disposal aborts its signal, waits for the tracked work, then releases the
 * rest in reverse order. Every subsystem has one and is disposed of through it.
 */
export interface Lifetime extends AsyncDisposable {
  /** Aborts when disposal begins, or with the parent. Pass it to everything that waits. */
  readonly signal: AbortSignal;
  /**
   * Registers a release. Disposal runs all of them, even if some fail, and rejects with the failures. After disposal has ended, a release runs at once and its failure is
   * dropped.
   */
  defer(release: () => void | PromiseLike<void>): void;
  /**
   * Makes disposal wait for pending work, which must follow the signal and must not wait for the disposal itself.
   *
   * @returns the same outcome. A rejection before the signal aborts must be handled like that of any promise. A later one is the end of cancelled work and may be
   * ignored.
   */
  track<T>(work: Promise<T>): Promise<T>;
}

/**
 * Creates a {@link Lifetime}. Its signal also aborts when `parent` does; it must still be disposed of then.
 *
 * @example
 * ```ts
 * import { createLifetime, sleep, systemClock } from '@rxlet/component-base';
 *
 * await using lifetime = createLifetime();
 * lifetime.defer(() => console.log('released'));
 * void lifetime.track(sleep(systemClock, 1000, lifetime.signal)).catch(() => undefined);
 * ```
 */
export function createLifetime(parent?: AbortSignal): Lifetime {
  const controller = new AbortController();
  const releases: (() => void | PromiseLike<void>)[] = [];
  const pending = new Set<Promise<unknown>>();
  let disposal: Promise<void> | undefined;
  let ended = false;

  const abort = (reason: unknown): void => {
    if (controller.signal.aborted) return;
    for (const work of pending) markHandled(work);
    controller.abort(reason);
  };
  const listener = onAbort(parent, abort);

  const dispose = async (): Promise<void> => {
    listener[Symbol.dispose]();
    abort(new LifetimeEnded());
    while (pending.size > 0) await Promise.allSettled(pending);
    const errors: unknown[] = [];
    for (let release = releases.pop(); release !== undefined; release = releases.pop()) {
      try {
        await release();
      } catch (error) {
        errors.push(error);
      }
    }
    ended = true;
    if (errors.length === 1) throw errors[0];
    if (errors.length > 1) throw new AggregateError(errors, 'cannot release several resources');
  };

  return {
    signal: controller.signal,
    defer(release) {
      if (ended) markHandled((async () => release())());
      else releases.push(release);
    },
    track(work) {
      const tracked = work.finally(() => pending.delete(tracked));
      pending.add(tracked);
      if (controller.signal.aborted) markHandled(tracked);
      return tracked;
    },
    [Symbol.asyncDispose]() {
      if (disposal === undefined) {
        // Set before anything runs, because a listener of the signal may request disposal too.
        const { promise, resolve } = Promise.withResolvers<void>();
        disposal = promise;
        resolve(dispose());
      }
      return disposal;
    },
  };
}

/** Abort reason of the signal of a disposed {@link Lifetime}. */
export class LifetimeEnded extends Error {
  override readonly name = 'LifetimeEnded';

  constructor() {
    super('stopped');
  }
}

/** Keeps a rejection without a handler from ending the process. */
function markHandled(promise: Promise<unknown>): void {
  promise.catch(() => undefined);
}
