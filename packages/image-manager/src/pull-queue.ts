import { type Clock, createLifetime, createSemaphore, withDeadline } from '@rxlet/component-base';
import { createCurrentValue, type CurrentValue } from '@rxlet/component-base/streams';

/** A pending or running pull. */
export interface ImagePull {
  /** The image with its tag or digest. */
  readonly image: string;
  /** Whether it is pending or running. */
  readonly phase: 'queued' | 'pulling';
  /** Start of its phase, in epoch milliseconds. */
  readonly sinceMs: number;
  /** Number of requests that wait for it. */
  readonly requests: number;
  /** Position in the queue: `1` for the next one, `0` for one that runs. */
  readonly position: number;
}

/** A pull that a caller requests. */
export interface PullTask<T> {
  /** Pending tasks with equal keys are one pull: the `run` of the first is called, and all share its outcome. */
  readonly key: string;
  /** For {@link ImagePull}. */
  readonly image: string;
  /** Pulls the image; the signal aborts when no caller waits for it. */
  readonly run: (signal: AbortSignal) => Promise<T>;
}

/** Runs pulls in order of arrival, a limited number at the same time. */
export interface PullQueue<T> extends AsyncDisposable {
  /** Rejects with the signal's reason as soon as it aborts; the pull continues for its other callers. */
  pull(task: PullTask<T>, signal?: AbortSignal): Promise<T>;
  /** Pending and running pulls in order of arrival. Completes on disposal. */
  readonly pulls: CurrentValue<readonly ImagePull[]>;
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
  const permits = createSemaphore(maxParallel);
  const activePulls = new Map<string, SharedPull<T>>();
  const pulls = createCurrentValue<readonly ImagePull[]>([]);
  lifetime.defer(() => pulls.complete());

  const publish = (): void => {
    let queued = 0;
    const states = Array.from(activePulls.values(), ({ state }) => state);
    pulls.set(states.map((state) => ({ ...state, position: state.phase === 'queued' ? (queued += 1) : 0 })));
  };
  const forget = (key: string, shared: SharedPull<T>): void => {
    if (activePulls.get(key) !== shared) return;
    activePulls.delete(key);
    publish();
  };

  const begin = ({ key, image, run }: PullTask<T>): SharedPull<T> => {
    const controller = new AbortController();
    const signal = AbortSignal.any([controller.signal, lifetime.signal]);
    const work = async (): Promise<T> => {
      shared.state = { ...shared.state, phase: 'pulling', sinceMs: clock.now() };
      publish();
      try {
        // The permit must become free even if the runtime ignores the signal.
        return await withDeadline(clock, Infinity, signal, run);
      } finally {
        // Before the next takes the permit, so that never more than `maxParallel` are shown as running.
        forget(key, shared);
      }
    };
    const shared: SharedPull<T> = {
      controller,
      state: { image, phase: 'queued', sinceMs: clock.now(), requests: 0 },
      result: Promise.resolve().then(() => permits.run(work, signal)),
    };
    activePulls.set(key, shared);
    const settled = (): void => forget(key, shared);
    void lifetime.track(shared.result).then(settled, settled);
    return shared;
  };

  return {
    async pull(task, signal) {
      signal?.throwIfAborted();
      lifetime.signal.throwIfAborted();
      const shared = activePulls.get(task.key) ?? begin(task);
      shared.state = { ...shared.state, requests: shared.state.requests + 1 };
      publish();
      try {
        return await withDeadline(clock, Infinity, signal, () => shared.result);
      } finally {
        shared.state = { ...shared.state, requests: shared.state.requests - 1 };
        if (shared.state.requests === 0) {
          // A new request must not join a pull that is being cancelled.
          forget(task.key, shared);
          shared.controller.abort(signal?.reason);
        } else if (activePulls.get(task.key) === shared) {
          publish();
        }
      }
    },
    pulls,
    [Symbol.asyncDispose]: () => lifetime[Symbol.asyncDispose](),
  };
}
