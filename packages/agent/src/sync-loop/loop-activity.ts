import type { Clock } from '@rxlet/component-base';

/** Time of the last activity of the sync loop (kubelet: syncLoopMonitor). */
export interface LoopActivity {
  /** Records that the loop handles an event or a tick. */
  record(): void;
  /** Returns the problem of the loop; `undefined` while it runs. */
  problem(): string | undefined;
}

/** Age of the last activity after which the loop counts as stuck, as in the kubelet's /healthz/syncloop. */
const STUCK_AFTER_MS = 300_000;

/** Creates a {@link LoopActivity}. It exists before the sync loop, so that its health check precedes those of modules. */
export function createLoopActivity(clock: Pick<Clock, 'monotonicNow'>): LoopActivity {
  let lastMs: number | undefined;
  return {
    record() {
      lastMs = clock.monotonicNow();
    },
    problem() {
      if (lastMs === undefined) return 'the sync loop has not begun';
      return clock.monotonicNow() - lastMs > STUCK_AFTER_MS ? 'sync Loop took longer than expected' : undefined;
    },
  };
}
