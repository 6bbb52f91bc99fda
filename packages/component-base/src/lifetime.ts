/**
 * Owns what a subsystem must give back: subscriptions, timers, watches, sockets and work under way. Disposing it aborts its signal, waits for
 * the tracked work, then releases the rest in reverse order. Every subsystem has one and is disposed of through it.
 */
export interface Lifetime extends AsyncDisposable {
  /** Aborts when disposal begins, or with the parent; hand it to everything that waits. */
  readonly signal: AbortSignal;
  /**
   * Registers something to release. Disposal releases all of it, also when some of it fails, and rejects with what failed.
   * After disposal has ended it is called at once, and what fails then is dropped: nobody waits for it any more.
   */
  defer(release: () => void | PromiseLike<void>): void;
  /**
   * Lets disposal wait for work under way, which must heed the signal and must not wait for the disposal itself.
   * @returns the same outcome. A rejection before the signal aborts must be handled as that of any promise; one after it is how cancelled work
   * ends, and may be left alone.
   */
  track<T>(work: Promise<T>): Promise<T>;
}

/** Creates a {@link Lifetime}; with `parent`, its signal also aborts when the parent does. It still has to be disposed of then. */
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
  const follow = (): void => abort(parent?.reason);
  if (parent?.aborted) follow();
  else parent?.addEventListener('abort', follow, { once: true });

  const dispose = async (): Promise<void> => {
    parent?.removeEventListener('abort', follow);
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
    if (errors.length > 1) throw new AggregateError(errors, 'several things could not be released');
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
        // Set before anything runs: a listener of the signal may ask for the disposal too.
        const { promise, resolve } = Promise.withResolvers<void>();
        disposal = promise;
        resolve(dispose());
      }
      return disposal;
    },
  };
}

/** The reason of the signal of a {@link Lifetime} that was disposed of. */
export class LifetimeEnded extends Error {
  override readonly name = 'LifetimeEnded';

  constructor() {
    super('stopped');
  }
}

/** Keeps a rejection that nobody listens for from ending the process. */
function markHandled(promise: Promise<unknown>): void {
  promise.catch(() => undefined);
}
