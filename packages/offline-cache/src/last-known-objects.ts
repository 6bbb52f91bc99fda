import { type Clock, errorMessage, type Logger, type Timer } from '@rxlet/component-base';
import type { Pod } from '@rxlet/kube-api';
import type { KubeObject } from '@rxlet/kube-api/client';
import { isTerminalPhase, podUid } from '@rxlet/pod-model';
import type { CacheFiles } from './cache-files.ts';
import { copyKey, type CopySelector, type KeptCopy } from './kept-copy.ts';
import { selectKept } from './select-kept.ts';

/** The objects that the API server sent last, in memory and in the cache. */
export interface LastKnownObjects extends AsyncDisposable {
  /** Reads the cache. Never rejects: without it, the node waits for the API server. */
  load(): Promise<void>;
  /** Returns the objects of a selection as this agent or an earlier one last knew them; `undefined` when none did. */
  known(selector: CopySelector): readonly KubeObject[] | undefined;
  /** Records the current objects of a selection. They are saved soon, together with later changes. */
  record(selector: CopySelector, objects: readonly KubeObject[]): void;
  /** Records that a pod has ended in the API, also while the watch does not show it. Saved sooner than other changes: such a pod must not start again. */
  recordEnd(podUid: string): void;
  /** Forgets the objects of a selection that is not watched any more, unless they are worth keeping. */
  release(selector: CopySelector): void;
}

/** Ports of {@link createLastKnownObjects}. */
export interface LastKnownObjectsPorts {
  readonly files: CacheFiles;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Time in which changes are merged into one write. */
const SAVE_DELAY_MS = 2_000;
/** The same when a pod has ended. */
const SAVE_END_DELAY_MS = 250;
/** Time until a write that failed is repeated. */
const RETRY_MS = 60_000;

/** Creates {@link LastKnownObjects}. Disposal saves the latest changes. */
export function createLastKnownObjects({ files, clock, logger }: LastKnownObjectsPorts): LastKnownObjects {
  const copies = new Map<string, KeptCopy>();
  /** UIDs of pods that have ended, until the watch shows it. */
  const ended = new Set<string>();
  /** Keys of copies that change no more. */
  const released = new Set<string>();
  let isUsable = false;
  let isClosed = false;
  let isDirty = false;
  let hasUnsavedEnd = false;
  let timer: Timer | undefined;
  let writing: Promise<void> | undefined;
  let lastProblem: string | undefined;

  const report = (problem: string | undefined, fields: Record<string, unknown> = {}): void => {
    if (problem !== undefined && problem !== lastProblem) logger.warn(problem, fields);
    lastProblem = problem;
  };
  const save = async (): Promise<void> => {
    isDirty = false;
    hasUnsavedEnd = false;
    try {
      const kept = selectKept(copies.values(), ended);
      const keys = new Set(kept.map(copyKey));
      for (const key of released) if (!keys.has(key) && released.delete(key)) copies.delete(key);
      const omitted = await files.save(kept);
      report(omitted > 0 ? 'the offline cache is full, some objects are not in it' : undefined, { omitted });
    } catch (error) {
      isDirty = true;
      report('cannot save the offline cache', { error: errorMessage(error) });
    }
  };
  const schedule = (delayMs: number): void => {
    if (!isUsable || isClosed || timer !== undefined || writing !== undefined) return;
    timer = clock.setTimer(delayMs, () => {
      timer = undefined;
      writing = save().finally(() => {
        writing = undefined;
        const delayMs = hasUnsavedEnd ? SAVE_END_DELAY_MS : SAVE_DELAY_MS;
        if (isDirty) schedule(lastProblem === undefined ? delayMs : RETRY_MS);
      });
    });
  };

  return {
    async load() {
      try {
        for (const copy of await files.load()) copies.set(copyKey(copy), copy);
        isUsable = true;
      } catch (error) {
        logger.error('cannot read the offline cache, the node works without one', { error: errorMessage(error) });
      }
    },
    known: (selector) => copies.get(copyKey(selector))?.objects,
    record({ plural, namespace, fieldSelector }, objects) {
      const selector = { plural, namespace, fieldSelector };
      const key = copyKey(selector);
      released.delete(key);
      copies.set(key, { ...selector, objects });
      if (plural === 'pods') forgetShown(ended, objects);
      isDirty = true;
      schedule(SAVE_DELAY_MS);
    },
    recordEnd(podUid) {
      ended.add(podUid);
      isDirty = true;
      // A write that failed is not repeated sooner, and that of an earlier end is not put off.
      if (lastProblem === undefined && !hasUnsavedEnd) {
        timer?.[Symbol.dispose]();
        timer = undefined;
      }
      hasUnsavedEnd = true;
      schedule(SAVE_END_DELAY_MS);
    },
    release: (selector) => void released.add(copyKey(selector)),
    async [Symbol.asyncDispose]() {
      if (isClosed) return;
      isClosed = true;
      timer?.[Symbol.dispose]();
      await writing;
      if (isUsable && isDirty) await save();
    },
  };
}

/** Forgets the ended pods that a watch shows as such, or no longer has. */
function forgetShown(ended: Set<string>, pods: readonly Pod[]): void {
  if (ended.size === 0) return;
  const running = new Set(pods.filter(({ status }) => !isTerminalPhase(status?.phase)).map(podUid));
  for (const uid of ended) if (!running.has(uid)) ended.delete(uid);
}
