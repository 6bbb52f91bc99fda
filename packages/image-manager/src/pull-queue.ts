import type { ImagePull, ImagePullRequest } from '@rxlet/agent-api/images';
import { type Clock, createLifetime, createSemaphore, withDeadline } from '@rxlet/component-base';
import { createCurrentValue, type CurrentValue } from '@rxlet/component-base/streams';
import type { PullInFlight, PullProgress } from '@rxlet/cri-api/pull-progress';

/** A pull that a caller requests. */
export interface PullTask<T> {
  /** Pending tasks with equal keys are one pull: the `run` of the first is called, and all share its outcome. */
  readonly key: string;
  /** For {@link ImagePull}. */
  readonly image: string;
  readonly request: ImagePullRequest;
  /** Pulls the image; the signal aborts when no caller waits for it. */
  readonly run: (signal: AbortSignal) => Promise<T>;
}

/** Runs pulls in order of arrival, a limited number at the same time. */
export interface PullQueue<T> extends AsyncDisposable {
  /** Rejects with the signal's reason as soon as it aborts; the pull continues for its other callers. */
  pull(task: PullTask<T>, signal?: AbortSignal): Promise<T>;
  /** Pending and running pulls in order of arrival. Completes on disposal. */
  readonly pulls: CurrentValue<readonly ImagePull[]>;
  /** Returns the running pulls. A pull is the same object in every call. */
  running(): readonly PullInFlight[];
  /** Sets the progress of running pulls; an undefined one removes it. Ignores pulls that have ended. */
  setProgress(progress: ReadonlyMap<PullInFlight, PullProgress | undefined>): void;
}

interface SharedPull<T> {
  readonly result: Promise<T>;
  readonly controller: AbortController;
  state: Omit<ImagePull, 'position'>;
  /** Absent while it is queued. */
  inFlight?: PullInFlight;
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
      const startedMs = clock.now();
      shared.state = { ...shared.state, phase: 'pulling', sinceMs: startedMs };
      shared.inFlight = { image, startedMs };
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
      state: { image, phase: 'queued', sinceMs: clock.now(), requests: [] },
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
      const request = { ...task.request };
      shared.state = { ...shared.state, requests: [...shared.state.requests, request] };
      publish();
      try {
        return await withDeadline(clock, Infinity, signal, () => shared.result);
      } finally {
        shared.state = { ...shared.state, requests: shared.state.requests.filter((other) => other !== request) };
        if (shared.state.requests.length === 0) {
          // A new request must not join a pull that is being cancelled.
          forget(task.key, shared);
          shared.controller.abort(signal?.reason);
        } else if (activePulls.get(task.key) === shared) {
          publish();
        }
      }
    },
    pulls,
    running: () => Array.from(activePulls.values()).flatMap(({ inFlight }) => inFlight ?? []),
    setProgress(progress) {
      let isChanged = false;
      for (const shared of activePulls.values()) {
        if (shared.inFlight === undefined || !progress.has(shared.inFlight)) continue;
        const next = progress.get(shared.inFlight);
        if (isEqual(shared.state.progress, next)) continue;
        shared.state = { ...shared.state, progress: next };
        isChanged = true;
      }
      if (isChanged) publish();
    },
    [Symbol.asyncDispose]: () => lifetime[Symbol.asyncDispose](),
  };
}

function isEqual(one: PullProgress | undefined, other: PullProgress | undefined): boolean {
  return (
    one?.step === other?.step && one?.currentBytes === other?.currentBytes && one?.totalBytes === other?.totalBytes
  );
}
