import { type Clock, createBackoff, createKeyedExecutor, createSemaphore } from '@rxlet/component-base';

/** Operations on volumes: one at a time for each volume, with exponential back-off after failures (kubelet: operation executor). */
export interface VolumeOperations {
  /**
   * Runs an operation after the earlier ones of the volume have ended. A failure doubles the volume's back-off, a success ends it. An operation that is cancelled
   * by then does not begin, and one that fails after its cancellation does not count. Rejects at once when several wait already, as for a file system that never
   * answers.
   */
  run<T>(podUid: string, volumeName: string, operation: () => Promise<T>, signal?: AbortSignal): Promise<T>;
  /** Runs work after the earlier operations of the volume, without an effect on its back-off. */
  inOrder<T>(podUid: string, volumeName: string, work: () => Promise<T>): Promise<T>;
  /** Returns the time until the next attempt may begin. */
  blockedForMs(podUid: string, volumeName: string): number;
  /** Ends the back-off of a volume. */
  reset(podUid: string, volumeName: string): void;
  /** Removes back-offs that ended long ago. */
  collectGarbage(): void;
  /** Resolves when no operation runs. */
  idle(): Promise<void>;
}

const INITIAL_BACKOFF_MS = 500;
const MAX_BACKOFF_MS = 122_000;
/** Bound for the operations of a volume that run or wait. */
const MAX_PENDING = 8;

/** Bound for the volumes of one pod that are set up or removed at the same time: each needs file descriptors, and memory for its files. */
const MAX_AT_ONCE = 32;

/** Runs the work for a volume of a pod once there are few enough others at work. */
export type LimitVolumes = <T>(work: () => Promise<T>, signal?: AbortSignal) => Promise<T>;

/** Creates the {@link LimitVolumes} for the volumes of one pod. There is no limit for usual numbers of volumes. */
export function limitVolumes(count: number): LimitVolumes {
  if (count <= MAX_AT_ONCE) return (work) => work();
  const permits = createSemaphore(MAX_AT_ONCE);
  return (work, signal) => permits.run(work, signal);
}

/** Creates {@link VolumeOperations}. */
export function createVolumeOperations(clock: Clock): VolumeOperations {
  const executor = createKeyedExecutor();
  const backoff = createBackoff({ initialMs: INITIAL_BACKOFF_MS, maxMs: MAX_BACKOFF_MS });
  const keyOf = (podUid: string, volumeName: string): string => `${podUid}/${volumeName}`;
  /** Numbers of operations that run or wait, by key. */
  const pending = new Map<string, number>();
  return {
    async run(podUid, volumeName, operation, signal) {
      const key = keyOf(podUid, volumeName);
      const before = pending.get(key) ?? 0;
      if (before >= MAX_PENDING) {
        backoff.next(key, clock.monotonicNow());
        throw new Error('earlier operations on the volume have not ended');
      }
      pending.set(key, before + 1);
      try {
        return await executor.run(key, async () => {
          signal?.throwIfAborted();
          try {
            const result = await operation();
            backoff.reset(key);
            return result;
          } catch (error) {
            if (signal?.aborted !== true) backoff.next(key, clock.monotonicNow());
            throw error;
          }
        });
      } finally {
        const left = pending.get(key)! - 1;
        if (left === 0) pending.delete(key);
        else pending.set(key, left);
      }
    },
    inOrder: (podUid, volumeName, work) => executor.run(keyOf(podUid, volumeName), work),
    blockedForMs(podUid, volumeName) {
      const nowMs = clock.monotonicNow();
      return (backoff.blockedUntilMs(keyOf(podUid, volumeName), nowMs) ?? nowMs) - nowMs;
    },
    reset: (podUid, volumeName) => backoff.reset(keyOf(podUid, volumeName)),
    collectGarbage: () => backoff.collectGarbage(clock.monotonicNow()),
    idle: () => executor.idle(),
  };
}
