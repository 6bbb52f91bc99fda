import { type Clock, createBackoff } from '@rxlet/component-base';
import type { Container, EphemeralContainer, Pod } from '@rxlet/kube-api';
import type { RuntimeContainerStatus, RuntimePodStatus } from '@rxlet/pod-model/runtime';
import { crashLoopKey } from './crash-loop-key.ts';

/** Options of the crash-loop back-off. */
export interface CrashLoopBackoffOptions {
  /** Delay after the second failure in a row; the first restart is immediate. Default 10 s. */
  readonly initialMs?: number;
  /** Longest delay (KubeletConfiguration `crashLoopBackOff.maxContainerRestartPeriod`). A value below `initialMs` lowers that too. Default 300 s. */
  readonly maxMs?: number;
}

/** Pending back-off of a container. */
export interface CrashLoopWait {
  readonly delayMs: number;
  /** End of the back-off, in epoch milliseconds of the current wall clock. */
  readonly untilMs: number;
}

/** Back-off of containers that exit repeatedly. */
export interface CrashLoopBackoff {
  /** Returns the pending back-off of a container, if any. */
  wait(pod: Pod, container: Container | EphemeralContainer, status: RuntimePodStatus): CrashLoopWait | undefined;
  /** Returns the pending back-off of a container. Without one, records a restart, which doubles the next delay. */
  admit(pod: Pod, container: Container | EphemeralContainer, status: RuntimePodStatus): CrashLoopWait | undefined;
  /** Removes expired entries. */
  collectGarbage(): void;
}

/** Running time after which the back-off of a container is reset, whatever `maxMs` is. */
const EXPIRY_MS = 600_000;

/** Exit of a container instance, on the agent's monotonic clock. */
interface Exit {
  readonly containerId: string;
  readonly monotonicMs: number;
}

/**
 * Creates a {@link CrashLoopBackoff} with the kubelet's figures.
 *
 * The delay counts from the container's exit, so that a slow sync does not add to it. The back-off is reset when the container ran for long enough between its
 * restart and its exit; time spent in back-off does not count as running. The key consists of container, image and resources, so a change of these resets it
 * too.
 *
 * The wall-clock time of an exit is converted to the monotonic clock when it is first seen, so that steps of the wall clock change no delay.
 */
export function createCrashLoopBackoff(clock: Clock, options: CrashLoopBackoffOptions = {}): CrashLoopBackoff {
  const { initialMs = 10_000, maxMs = 300_000 } = options;
  const backoff = createBackoff({ initialMs, maxMs, expiryMs: EXPIRY_MS });
  const exits = new Map<string, Exit>();

  const lastExitMs = (key: string, exited: RuntimeContainerStatus): number => {
    const containerId = exited.id.id;
    let exit = exits.get(key);
    if (exit?.containerId !== containerId) {
      // An exit may be in the future after the wall clock was set back.
      const ageMs = Math.max(0, clock.now() - Number(exited.finishedAtNanos / 1_000_000n));
      exit = { containerId, monotonicMs: clock.monotonicNow() - ageMs };
      exits.set(key, exit);
    }
    return exit.monotonicMs;
  };
  const check = (key: string, exitMs: number): CrashLoopWait | undefined => {
    const delayMs = backoff.delayMs(key, exitMs);
    const remainingMs = exitMs + delayMs - clock.monotonicNow();
    return remainingMs > 0 ? { delayMs, untilMs: clock.now() + remainingMs } : undefined;
  };
  return {
    wait(pod, container, status) {
      const exited = lastExited(container, status);
      if (exited === undefined) return undefined;
      const key = crashLoopKey(pod, container);
      return check(key, lastExitMs(key, exited));
    },
    admit(pod, container, status) {
      const exited = lastExited(container, status);
      if (exited === undefined) return undefined;
      const key = crashLoopKey(pod, container);
      const exitMs = lastExitMs(key, exited);
      const wait = check(key, exitMs);
      if (wait === undefined) backoff.next(key, exitMs, clock.monotonicNow());
      return wait;
    },
    collectGarbage() {
      // A restart follows its exit by at most `maxMs`, expires EXPIRY_MS later, and the delay after it lasts at most `maxMs`.
      const oldestMs = clock.monotonicNow() - EXPIRY_MS - 2 * maxMs;
      for (const [key, { monotonicMs }] of exits) {
        if (monotonicMs >= oldestMs) continue;
        exits.delete(key);
        backoff.reset(key);
      }
    },
  };
}

function lastExited(
  container: Container | EphemeralContainer,
  { containers }: RuntimePodStatus,
): RuntimeContainerStatus | undefined {
  return containers.find(({ name, state }) => name === container.name && state === 'exited');
}
