import { type Clock, errorMessage, type Logger, type Timer } from '@rxlet/component-base';
import type { Pod } from '@rxlet/kube-api';
import type { KubeObject } from '@rxlet/kube-api/client';
import { isTerminalPhase, podUid } from '@rxlet/pod-model';
import type { CacheFiles } from './cache-files.ts';
import { copyKey, type CopySelector, type KeptCopy } from './kept-copy.ts';
import { isWorthKeeping, selectKept } from './select-kept.ts';
import type { StartablePods } from './startable-pods.ts';

/** The objects that the API server sent last, in memory and in the cache. */
export interface LastKnownObjects extends AsyncDisposable {
  /** Reads the cache. Never rejects: without it, the node waits for the API server. */
  load(): Promise<void>;
  /** Returns the objects of a selection as this agent or an earlier one last knew them; `undefined` when none did. */
  known(selector: CopySelector): readonly KubeObject[] | undefined;
  /** Records the current objects of a selection. They are saved soon, together with later changes. */
  record(selector: CopySelector, objects: readonly KubeObject[]): void;
  /** Records that a pod ends, before the API shows it. Once the promise resolves, the pod does not start again without the API server. Never rejects. */
  recordEnd(podUid: string): Promise<void>;
  /** Forgets the objects of a selection that is not watched any more, unless they are worth keeping. */
  release(selector: CopySelector): void;
}

/** Ports of {@link createLastKnownObjects}. */
export interface LastKnownObjectsPorts {
  readonly files: CacheFiles;
  /** Creates the record of the pods that may start. */
  readonly createStartablePods: (startable: () => ReadonlySet<string>) => StartablePods;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Time in which changes are merged into one write. */
const SAVE_DELAY_MS = 2_000;
/** Time until a write that failed is repeated. */
const RETRY_MS = 60_000;

/** Creates {@link LastKnownObjects}. Disposal saves the latest changes. */
export function createLastKnownObjects({
  files,
  createStartablePods,
  clock,
  logger,
}: LastKnownObjectsPorts): LastKnownObjects {
  const copies = new Map<string, KeptCopy>();
  /** UIDs of pods that have ended, until the watch shows it. */
  const ended = new Set<string>();
  /** Keys of copies that change no more. */
  const released = new Set<string>();
  let isUsable = false;
  let isClosed = false;
  let isDirty = false;
  let timer: Timer | undefined;
  let writing: Promise<void> | undefined;
  let lastProblem: string | undefined;
  const startablePods = createStartablePods(() => {
    const pods = [...copies.values()].filter(({ plural }) => plural === 'pods').flatMap(({ objects }) => objects);
    return new Set(pods.filter((pod) => mayStart(pod) && !ended.has(podUid(pod))).map(podUid));
  });

  const report = (problem: string | undefined, fields: Record<string, unknown> = {}): void => {
    if (problem !== undefined && problem !== lastProblem) logger.warn(problem, fields);
    lastProblem = problem;
  };
  const save = async (): Promise<void> => {
    isDirty = false;
    try {
      const kept = selectKept(copies.values(), ended);
      const keys = new Set(kept.map(copyKey));
      for (const key of released) if (!keys.has(key) && released.delete(key)) copies.delete(key);
      const omitted = await files.save(kept);
      await startablePods.update();
      report(omitted > 0 ? 'the offline cache is full, some objects are not in it' : undefined, { omitted });
    } catch (error) {
      isDirty = true;
      report('cannot save the offline cache', { error: errorMessage(error) });
    }
  };
  const withdraw = async (): Promise<void> => {
    if (!isUsable || isClosed) return;
    try {
      await startablePods.withdraw();
    } catch (error) {
      isDirty = true;
      report('cannot remove ended pods from the offline cache', { error: errorMessage(error) });
    }
  };
  const schedule = (delayMs: number): void => {
    if (!isUsable || isClosed || timer !== undefined || writing !== undefined) return;
    timer = clock.setTimer(delayMs, () => {
      timer = undefined;
      writing = save().finally(() => {
        writing = undefined;
        if (isDirty) schedule(lastProblem === undefined ? SAVE_DELAY_MS : RETRY_MS);
      });
    });
  };

  return {
    async load() {
      try {
        const startable = await startablePods.load();
        const isUsablePod = (pod: Pod): boolean => !mayStart(pod) || startable.has(podUid(pod));
        for (const copy of await files.load()) {
          const objects = copy.plural === 'pods' ? copy.objects.filter(isUsablePod) : copy.objects;
          copies.set(copyKey(copy), { ...copy, objects });
        }
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
      isDirty = true;
      schedule(SAVE_DELAY_MS);
      if (plural !== 'pods') return;
      forgetShown(ended, objects);
      void withdraw();
    },
    async recordEnd(podUid) {
      ended.add(podUid);
      isDirty = true;
      schedule(SAVE_DELAY_MS);
      await withdraw();
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

/** Reports whether a pod may start: it has not ended, and is not to end. */
function mayStart(pod: Pod): boolean {
  return isWorthKeeping(pod) && pod.metadata?.deletionTimestamp === undefined;
}

/** Forgets the ended pods that a watch shows as such, or no longer has. */
function forgetShown(ended: Set<string>, pods: readonly Pod[]): void {
  if (ended.size === 0) return;
  const running = new Set(pods.filter(({ status }) => !isTerminalPhase(status?.phase)).map(podUid));
  for (const uid of ended) if (!running.has(uid)) ended.delete(uid);
}
