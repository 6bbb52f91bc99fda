import type { PodFacts } from '../history/history.ts';
import { DEADLINE_REASON } from '../parts/deadlines-part.ts';
import { untilFault } from './faults.ts';
import type { Property } from './property.ts';

/** Time within which an agent without faults ends a pod that is active for too long, beside its grace period. */
const PROMPT_MS = 10_000;
/** Start times of pods are whole seconds. */
const TOLERANCE_MS = 1_000;

/** Returns the time from which a pod that is desired since `desiredMs` may have been active for too long. */
export function earliestDeadlineMs({ deadlineSeconds }: PodFacts, desiredMs: number): number {
  return deadlineSeconds === undefined ? Infinity : desiredMs + deadlineSeconds * 1_000 - TOLERANCE_MS;
}

/** A pod fails when it has been active for as long as it may, and no earlier. Until the first fault, it ends soon then. */
export const deadlinesKept: Property = {
  name: 'deadlines-kept',
  *check(history) {
    const pods = new Map<string, PodFacts>();
    /** Times from which pods may fail. */
    const earliestMs = new Map<string, number>();
    /** Times by which pods must have ended. */
    const dueMs = new Map<string, number>();
    const calm = untilFault(history).length;
    for (const [index, event] of history.entries()) {
      const { atMs } = event;
      // Deadlines follow the wall clock.
      if (event.kind === 'step' && event.text.startsWith('clock ')) return;
      for (const [uid, limitMs] of index < calm ? dueMs : []) {
        if (limitMs >= atMs) continue;
        dueMs.delete(uid);
        yield { atMs, text: `${uid} has not ended soon after its deadline` };
      }
      if (event.kind === 'desired' && !pods.has(event.pod.uid)) {
        pods.set(event.pod.uid, event.pod);
        earliestMs.set(event.pod.uid, earliestDeadlineMs(event.pod, atMs));
      }
      if (event.kind === 'undesired' || event.kind === 'terminate') dueMs.delete(event.uid);
      if (event.kind !== 'status') continue;
      const { uid, phase, reason } = event.status;
      const pod = pods.get(uid);
      if (pod?.deadlineSeconds === undefined) continue;
      if (ENDED.has(phase)) dueMs.set(uid, Infinity);
      else if (!dueMs.has(uid)) dueMs.set(uid, atMs + (pod.deadlineSeconds + pod.graceSeconds) * 1_000 + PROMPT_MS);
      if (reason === DEADLINE_REASON && atMs < earliestMs.get(uid)!)
        yield { atMs, text: `${uid} is failed before its deadline of ${String(pod.deadlineSeconds)} s` };
    }
  },
};

const ENDED: ReadonlySet<string> = new Set(['Failed', 'Succeeded']);
