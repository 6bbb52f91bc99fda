import { type Clock, createBackoff } from '@rxlet/component-base';
import type { Container, EphemeralContainer, Pod } from '@rxlet/kube-api';
import type { RuntimePodStatus } from '@rxlet/pod-model';
import { crashLoopKey } from './crash-loop-key.ts';

/** How long crashing containers wait. */
export interface CrashLoopBackoffOptions {
  /** Wait after the second failure in a row; the first restart is immediate. Default 10 s. */
  readonly initialMs?: number;
  /** Longest wait (KubeletConfiguration `crashLoopBackOff.maxContainerRestartPeriod`). One below `initialMs` lowers that too. Default 300 s. */
  readonly maxMs?: number;
}

/** A container that has to wait. */
export interface CrashLoopWait {
  readonly delayMs: number;
  /** When it may start, in epoch milliseconds. */
  readonly untilMs: number;
}

/** Spaces out the restarts of containers that keep ending. */
export interface CrashLoopBackoff {
  /** Whether a container has to wait before it is started again. */
  wait(pod: Pod, container: Container | EphemeralContainer, status: RuntimePodStatus): CrashLoopWait | undefined;
  /** The same, but when it need not wait, the start is taken as given and the next wait is twice as long. */
  admit(pod: Pod, container: Container | EphemeralContainer, status: RuntimePodStatus): CrashLoopWait | undefined;
  /** Forgets what no restart can depend on any more. */
  collectGarbage(): void;
}

/** A container that ran for longer than this since its last start begins anew, whatever the longest wait is. */
const EXPIRY_MS = 600_000;

/**
 * Creates the back-off of crash loops with the kubelet's figures.
 *
 * The wait counts from when the container ended, so that a slow sync does not add to it. Likewise it is forgotten by how long the container ran, which is
 * from its last admission to its end: the wait itself must not count as running well. Container, image and resources make up the key, so a
 * changed image or size gets a fresh start.
 */
export function createCrashLoopBackoff(clock: Clock, options: CrashLoopBackoffOptions = {}): CrashLoopBackoff {
  const { initialMs = 10_000, maxMs = 300_000 } = options;
  const backoff = createBackoff({ initialMs, maxMs, expiryMs: EXPIRY_MS });

  const wait: CrashLoopBackoff['wait'] = (pod, container, status) => {
    const endedMs = lastEndMs(container.name, status);
    if (endedMs === undefined) return undefined;
    const delayMs = backoff.delayMs(crashLoopKey(pod, container), endedMs);
    return clock.now() - endedMs < delayMs ? { delayMs, untilMs: endedMs + delayMs } : undefined;
  };
  return {
    wait,
    admit(pod, container, status) {
      const needed = wait(pod, container, status);
      const endedMs = lastEndMs(container.name, status);
      if (needed === undefined && endedMs !== undefined) {
        backoff.next(crashLoopKey(pod, container), endedMs, clock.now());
      }
      return needed;
    },
    // An entry still counts for a container that ended just before its expiry, for as long as that one may have to wait.
    collectGarbage: () => backoff.collectGarbage(clock.now() - maxMs),
  };
}

/** When the newest instance that ended did so, in epoch milliseconds; `undefined` for a container that never ended. */
function lastEndMs(containerName: string, status: RuntimePodStatus): number | undefined {
  const ended = status.containers.find(({ name, state }) => name === containerName && state === 'exited');
  return ended === undefined ? undefined : Number(ended.finishedAtNanos / 1_000_000n);
}
