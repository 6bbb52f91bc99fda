import { BehaviorSubject, type Observable } from 'rxjs';
import { type Clock, createLifetime, createSemaphore, withDeadline } from '@rxlet/component-base';

/** A pull in hand, as a terminal may show it. */
export interface ImagePull {
  /** The image with its tag or digest. */
  readonly image: string;
  /** Whether it waits for its turn or is under way. */
  readonly phase: 'queued' | 'pulling';
  /** When it entered its phase, in epoch milliseconds. */
  readonly sinceMs: number;
  /** How many requests wait for it. */
  readonly requests: number;
  /** Its place in the queue: `1` for the one whose turn comes next, `0` for one that is under way. */
  readonly position: number;
}

/** What a caller wants pulled. */
export interface PullTask<T> {
  /** Tasks of equal keys that are in hand at the same time are one pull: the first comer's `run` is called, and all share its outcome. */
  readonly key: string;
  /** For {@link ImagePull}. */
  readonly image: string;
  /** Does the work when its turn has come; the signal aborts when nobody waits for it any more. */
  readonly run: (signal: AbortSignal) => Promise<T>;
}

/** Pulls in order of arrival, a limited number at the same time. */
export interface PullQueue<T> extends AsyncDisposable {
  /** Rejects with the signal's reason as soon as it aborts; the pull goes on for those who still wait for it. */
  pull(task: PullTask<T>, signal?: AbortSignal): Promise<T>;
  /** All pulls in hand in order of arrival, at once and after each change; completes on disposal. */
  readonly pulls$: Observable<readonly ImagePull[]>;
}

interface SharedPull<T> {
  readonly result: Promise<T>;
  readonly controller: AbortController;
  state: Omit<ImagePull, 'position'>;
}

/**
 * Creates a {@link PullQueue} for at most `maxParallel` pulls at the same time (`Infinity`: no limit). Its length is bounded by its callers: each
 * waits for its own pull.
 */
export function createPullQueue<T>(clock: Clock, maxParallel: number): PullQueue<T> {
  const lifetime = createLifetime();
  const places = createSemaphore(maxParallel);
  const inHand = new Map<string, SharedPull<T>>();
  const pulls$ = new BehaviorSubject<readonly ImagePull[]>([]);
  lifetime.defer(() => pulls$.complete());

  const publish = (): void => {
    let queued = 0;
    const states = Array.from(inHand.values(), ({ state }) => state);
    pulls$.next(states.map((state) => ({ ...state, position: state.phase === 'queued' ? (queued += 1) : 0 })));
  };
  const forget = (key: string, shared: SharedPull<T>): void => {
    if (inHand.get(key) !== shared) return;
    inHand.delete(key);
    publish();
  };

  const begin = ({ key, image, run }: PullTask<T>): SharedPull<T> => {
    const controller = new AbortController();
    const signal = AbortSignal.any([controller.signal, lifetime.signal]);
    const work = async (): Promise<T> => {
      shared.state = { ...shared.state, phase: 'pulling', sinceMs: clock.now() };
      publish();
      try {
        // The place must come free even if the runtime does not heed the signal.
        return await withDeadline(clock, Infinity, signal, run);
      } finally {
        // Before the next takes the place, so that never more than `maxParallel` are shown under way.
        forget(key, shared);
      }
    };
    const shared: SharedPull<T> = {
      controller,
      state: { image, phase: 'queued', sinceMs: clock.now(), requests: 0 },
      result: Promise.resolve().then(() => places.run(work, signal)),
    };
    inHand.set(key, shared);
    const settled = (): void => forget(key, shared);
    void lifetime.track(shared.result).then(settled, settled);
    return shared;
  };

  return {
    async pull(task, signal) {
      signal?.throwIfAborted();
      lifetime.signal.throwIfAborted();
      const shared = inHand.get(task.key) ?? begin(task);
      shared.state = { ...shared.state, requests: shared.state.requests + 1 };
      publish();
      try {
        return await withDeadline(clock, Infinity, signal, () => shared.result);
      } finally {
        shared.state = { ...shared.state, requests: shared.state.requests - 1 };
        if (shared.state.requests === 0) {
          // A request that comes now must not join a pull that is being canceled.
          forget(task.key, shared);
          shared.controller.abort(signal?.reason);
        } else if (inHand.get(task.key) === shared) {
          publish();
        }
      }
    },
    pulls$: pulls$.asObservable(),
    [Symbol.asyncDispose]: () => lifetime[Symbol.asyncDispose](),
  };
}
