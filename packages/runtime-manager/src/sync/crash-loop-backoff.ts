import type { Clock } from '@rxlet/component-base';
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

interface Entry {
  delayMs: number;
  /** When the container was last let go. */
  admittedMs: number;
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
  const firstMs = Math.min(initialMs, maxMs);
  const entries = new Map<string, Entry>();
  return {
    admit(pod, container, status) {
      const ended = status.containers.find(({ name, state }) => name === container.name && state === 'exited');
      if (ended === undefined) return undefined;
      const endedMs = Number(ended.finishedAtNanos / 1_000_000n);
      const key = backoffKey(pod, container);
      const entry = entries.get(key);
      const live = entry !== undefined && endedMs - entry.admittedMs <= EXPIRY_MS ? entry : undefined;
      const nowMs = clock.now();
      if (live !== undefined && nowMs - endedMs < live.delayMs) {
        return { delayMs: live.delayMs, untilMs: endedMs + live.delayMs };
      }
      entries.set(key, {
        delayMs: live === undefined ? firstMs : Math.min(live.delayMs * 2, maxMs),
        admittedMs: nowMs,
      });
      return undefined;
    },
    collectGarbage() {
      const nowMs = clock.now();
      // An entry still counts for a container that ended just before its expiry, for as long as that one may have to wait.
      for (const [key, { admittedMs }] of entries) if (nowMs - admittedMs > EXPIRY_MS + maxMs) entries.delete(key);
    },
  };
}

function backoffKey(pod: Pod, container: Container | EphemeralContainer): string {
  const { name = '', namespace = '', uid = '' } = pod.metadata ?? {};
  return [name, namespace, uid, container.name, container.image ?? '', JSON.stringify(container.resources ?? {})].join(
    '/',
  );
}

/** A duration of a second or more as Go prints it: `10s`, `1m20s`, `5m0s`, `1m1.5s`. */
export function formatGoDuration(ms: number): string {
  const minutes = Math.floor(ms / 60_000);
  const seconds = `${String((ms % 60_000) / 1000)}s`;
  if (minutes === 0) return seconds;
  return minutes < 60
    ? `${String(minutes)}m${seconds}`
    : `${String(Math.floor(minutes / 60))}h${String(minutes % 60)}m${seconds}`;
}
