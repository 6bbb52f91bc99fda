import {
  type Clock,
  createBackoff,
  createSemaphore,
  DeadlineExceededError,
  errorMessage,
  type Logger,
  withDeadline,
} from '@rxlet/component-base';

/** Ports of {@link createVolumeCleanUp}. */
export interface VolumeCleanUpPorts {
  readonly clock: Clock;
  readonly logger: Logger;
  /** Unmounts and removes the volumes of a pod. */
  unmount(podUid: string, signal: AbortSignal): Promise<void>;
}

/** Pods of a round; one in back-off counts as neither. */
export interface CleanUpOutcome {
  readonly cleaned: number;
  readonly failed: number;
}

/** Removes the volumes of ended pods. None delays another: the file system of one may belong to an unreachable server. */
export interface VolumeCleanUp {
  /**
   * Removes the volumes of pods. The round ends when each removal has ended or takes long; a long one goes on until its deadline or until the signal aborts, and
   * counts as failed meanwhile.
   *
   * @param mayRemove reports whether the volumes of a pod may be removed now
   */
  run(podUids: readonly string[], mayRemove: (podUid: string) => boolean, signal: AbortSignal): Promise<CleanUpOutcome>;
}

const BACKOFF = { initialMs: 2_000, maxMs: 120_000 };
/** Longest time for the volumes of one pod. */
const TIMEOUT_MS = 30_000;
/** Time after which a removal takes long: its permit goes to another pod. */
const LONG_MS = 500;
/** Removals that begin at a time. Each may start a program. */
const PERMITS = 8;

/** Creates {@link VolumeCleanUp}. Failures are logged, once until their message changes, and retried with exponential back-off. */
export function createVolumeCleanUp({ clock, logger, unmount }: VolumeCleanUpPorts): VolumeCleanUp {
  const backoff = createBackoff(BACKOFF);
  const permits = createSemaphore(PERMITS);
  /** UIDs of pods whose removal has not ended, not even after its deadline. Another attempt would only wait for it. */
  const pending = new Set<string>();
  /** Last failure of each pod. */
  const failures = new Map<string, string>();

  const remove = async (uid: string, signal: AbortSignal): Promise<boolean> => {
    pending.add(uid);
    const removal = (bounded: AbortSignal): Promise<void> => unmount(uid, bounded).finally(() => pending.delete(uid));
    try {
      await withDeadline(clock, TIMEOUT_MS, signal, removal);
      failures.delete(uid);
      return true;
    } catch (error) {
      if (signal.aborted) return false;
      backoff.next(uid, clock.monotonicNow());
      const message = errorMessage(error);
      if (failures.get(uid) !== message)
        logger.warn('cannot remove the volumes of a pod that is gone', { podUid: uid, error: message });
      failures.set(uid, message);
      return false;
    }
  };

  const isBlocked = (uid: string): boolean => backoff.blockedUntilMs(uid, clock.monotonicNow()) !== undefined;

  const attempt = async (uid: string, signal: AbortSignal): Promise<keyof CleanUpOutcome | undefined> => {
    if (pending.has(uid)) return 'failed';
    if (isBlocked(uid)) return undefined;
    const removed = remove(uid, signal);
    try {
      return (await withDeadline(clock, LONG_MS, signal, () => removed)) ? 'cleaned' : 'failed';
    } catch (error) {
      if (error instanceof DeadlineExceededError) return 'failed';
      throw error;
    }
  };

  return {
    async run(uids, mayRemove, signal) {
      backoff.collectGarbage(clock.monotonicNow());
      const present = new Set(uids);
      for (const uid of failures.keys()) if (!present.has(uid)) failures.delete(uid);
      const inTurn = (uid: string) =>
        // Checked right before each removal: the pod may have been added meanwhile.
        permits.run(async () => (mayRemove(uid) ? attempt(uid, signal) : undefined), signal);
      const outcomes = await Promise.all(uids.filter(mayRemove).map(inTurn));
      const count = (outcome: keyof CleanUpOutcome): number => outcomes.filter((one) => one === outcome).length;
      return { cleaned: count('cleaned'), failed: count('failed') };
    },
  };
}
