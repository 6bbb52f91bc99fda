import { containerKey } from '../history/history.ts';
import type { Property } from './property.ts';
import { createRestartsOfAll } from './restart-rules.ts';

const FIRST_MS = 10_000;
const LONGEST_MS = 300_000;
/** After so long without a restart, the back-off begins anew. */
const RESET_MS = 600_000;
/** Clocks of runtimes and agents tick in milliseconds. */
const TOLERANCE_MS = 50;

interface Crashes {
  /** Restarts since the back-off began. */
  restarts: number;
  exitMs: number;
  startMs: number;
}

/** The back-off of a crashing container doubles with each restart, as long as the agent lives, and the sandbox and the resources stay. A restart after a stop by the agent does not count. */
export const backOffKept: Property = {
  name: 'back-off-kept',
  *check(history) {
    const crashes = new Map<string, Crashes>();
    const stopped = new Set<string>();
    const allocated = new Map<string, string>();
    const restarts = createRestartsOfAll();
    const forget = (uid: string): void => {
      for (const key of crashes.keys()) if (key.startsWith(`${uid}/`)) crashes.delete(key);
    };
    for (const event of history) {
      // The times of an exit are those of the wall clock.
      if (event.kind === 'step' && event.text.startsWith('clock ')) return;
      if (event.kind === 'agent') crashes.clear();
      if (event.kind === 'sandbox' || event.kind === 'lost' || event.kind === 'replaced' || event.kind === 'undesired')
        forget(event.uid);
      if (event.kind === 'desired') forget(event.pod.uid);
      // As in the kubelet, a resize begins the back-off anew, also one that was deferred.
      if (event.kind === 'allocated')
        for (const [uid, amounts] of Object.entries(event.pods)) {
          const text = JSON.stringify(amounts);
          if (allocated.get(uid) !== text) forget(uid);
          allocated.set(uid, text);
        }
      // As in the kubelet, instances that are removed for the restart of all containers leave no trace.
      if (event.kind === 'container' && event.change === 'started' && restarts.pending.has(event.container.uid))
        forget(event.container.uid);
      restarts.follow(event);
      if (event.kind === 'call' && event.rpc === 'stopContainer') stopped.add(event.target);
      if (event.kind !== 'container') continue;
      const key = containerKey(event.container);
      const known = crashes.get(key);
      const exitMs = (known?.startMs ?? Infinity) + (event.container.ranMs ?? 0);
      if (event.change === 'exited' && stopped.has(event.container.id)) crashes.delete(key);
      else if (event.change === 'exited')
        crashes.set(key, { restarts: 0, startMs: event.atMs, ...known, exitMs: Math.min(event.atMs, exitMs) });
      if (event.change !== 'started' || known === undefined) continue;
      const startMs = event.atMs - (event.container.lateMs ?? 0);
      if (startMs - known.startMs > RESET_MS) known.restarts = 0;
      const dueMs = known.restarts === 0 ? 0 : Math.min(LONGEST_MS, FIRST_MS * 2 ** (known.restarts - 1));
      const pausedMs = startMs - known.exitMs;
      if (pausedMs < dueMs - TOLERANCE_MS)
        yield {
          atMs: event.atMs,
          text: `${key} is restarted after ${String(pausedMs)} ms, before its back-off of ${String(dueMs)} ms`,
        };
      crashes.set(key, { ...known, restarts: known.restarts + 1, startMs });
    }
  },
};
