import { type Clock, createBackoff } from '@rxlet/component-base';
import type { Container, EphemeralContainer, Pod } from '@rxlet/kube-api';
import type { RuntimePodStatus } from '@rxlet/pod-model';

/** How long crashing containers wait. */
export interface CrashLoopBackoffOptions {
  /** Wait after the second failure in a row; the first restart is immediate. Default 10 s. */
  readonly initialMs?: number;
  /** Longest wait (KubeletConfiguration `crashLoopBackOff.maxContainerRestartPeriod`). Default 300 s. */
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
  /**
   * Whether a container has to wait before it is started again. When it need not, the start is taken as given and the next wait is twice as long.
   */
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
  return {
    admit(pod, container, status) {
      const ended = status.containers.find(({ name, state }) => name === container.name && state === 'exited');
      if (ended === undefined) return undefined;
      const endedMs = Number(ended.finishedAtNanos / 1_000_000n);
      const key = backoffKey(pod, container);
      const nowMs = clock.now();
      const delayMs = backoff.delayMs(key, endedMs);
      if (nowMs - endedMs < delayMs) return { delayMs, untilMs: endedMs + delayMs };
      backoff.next(key, endedMs, nowMs);
      return undefined;
    },
    // An entry still counts for a container that ended just before its expiry, for as long as that one may have to wait.
    collectGarbage: () => backoff.collectGarbage(clock.now() - maxMs),
  };
}

function backoffKey(pod: Pod, container: Container | EphemeralContainer): string {
  const { name = '', namespace = '', uid = '' } = pod.metadata ?? {};
  return [name, namespace, uid, container.name, container.image ?? '', JSON.stringify(container.resources ?? {})].join(
    '/',
  );
}
