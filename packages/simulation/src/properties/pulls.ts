import type { Property } from './property.ts';

const FIRST_MS = 10_000;
const LONGEST_MS = 300_000;
/** After so long without a failure, the back-off begins anew. */
const RESET_MS = 600_000;
/** Times have fractions. */
const TOLERANCE_MS = 1;

/** The back-off of an image that cannot be pulled for a pod doubles with each failure, as long as the agent lives. */
export const pullsBackOff: Property = {
  name: 'pulls-back-off',
  *check(history) {
    const failures = new Map<string, { readonly count: number; readonly atMs: number }>();
    for (const event of history) {
      if (event.kind === 'agent') failures.clear();
      if (event.kind !== 'pull') continue;
      const { atMs, change, uid, image } = event;
      const key = `${uid} ${image}`;
      const last = failures.get(key);
      if (change === 'done') failures.delete(key);
      if (change === 'failed') {
        const isRecent = last !== undefined && atMs - last.atMs <= RESET_MS;
        failures.set(key, { count: isRecent ? last.count + 1 : 1, atMs });
      }
      if (change !== 'begun' || last === undefined) continue;
      const dueMs = Math.min(LONGEST_MS, FIRST_MS * 2 ** (last.count - 1));
      if (atMs - last.atMs < dueMs - TOLERANCE_MS)
        yield {
          atMs,
          text: `${image} is pulled for ${uid} after ${String(atMs - last.atMs)} ms, before its back-off of ${String(dueMs)} ms`,
        };
    }
  },
};
