import { type Clock, createBackoff, createKeyedExecutor } from '@rxlet/component-base';

/** Operations on volumes: one at a time for each volume, with exponential back-off after failures (kubelet: operation executor). */
export interface VolumeOperations {
  /**
   * Runs an operation after the earlier ones of the volume have ended. A failure doubles the volume's back-off, a success ends it. An operation that is cancelled
   * by then does not begin, and one that fails after its cancellation does not count.
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

/** Creates {@link VolumeOperations}. */
export function createVolumeOperations(clock: Clock): VolumeOperations {
  const executor = createKeyedExecutor();
  const backoff = createBackoff({ initialMs: INITIAL_BACKOFF_MS, maxMs: MAX_BACKOFF_MS });
  const keyOf = (podUid: string, volumeName: string): string => `${podUid}/${volumeName}`;
  return {
    run: (podUid, volumeName, operation, signal) =>
      executor.run(keyOf(podUid, volumeName), async () => {
        signal?.throwIfAborted();
        try {
          const result = await operation();
          backoff.reset(keyOf(podUid, volumeName));
          return result;
        } catch (error) {
          if (signal?.aborted !== true) backoff.next(keyOf(podUid, volumeName), clock.monotonicNow());
          throw error;
        }
      }),
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
