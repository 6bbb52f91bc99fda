import { containerKey, type PodFacts } from '../history/history.ts';
import { untilFault } from './faults.ts';
import type { Property } from './property.ts';

/** Time within which an agent without faults starts an ephemeral container of a pod with a sandbox, beside the grace period of the pod. */
const PROMPT_MS = 10_000;

/** An ephemeral container runs once. Until the first fault, it starts soon. */
export const debugContainersRunOnce: Property = {
  name: 'debug-containers-run-once',
  *check(history) {
    const pods = new Map<string, PodFacts>();
    const started = new Set<string>();
    const created = new Set<string>();
    const ready = new Map<string, string>();
    /** Times by which containers must exist. */
    const dueMs = new Map<string, { readonly uid: string; readonly limitMs: number }>();
    const calm = untilFault(history).length;
    const isEphemeral = (uid: string, name: string): boolean =>
      pods.get(uid)?.ephemeralContainers.includes(name) === true;
    const expect = (uid: string, atMs: number): void => {
      const pod = pods.get(uid);
      if (pod === undefined || !ready.has(uid)) return;
      const limitMs = atMs + pod.graceSeconds * 1_000 + PROMPT_MS;
      for (const name of pod.ephemeralContainers) {
        const key = containerKey({ uid, name });
        if (!created.has(key) && !dueMs.has(key)) dueMs.set(key, { uid, limitMs });
      }
    };
    const release = (uid: string): void => {
      for (const [key, due] of dueMs) if (due.uid === uid) dueMs.delete(key);
    };
    for (const [index, event] of history.entries()) {
      const { atMs } = event;
      for (const [key, { limitMs }] of index < calm ? dueMs : []) {
        if (limitMs >= atMs) continue;
        dueMs.delete(key);
        yield { atMs, text: `${key} does not start soon` };
      }
      if (event.kind === 'desired') {
        pods.set(event.pod.uid, event.pod);
        expect(event.pod.uid, atMs);
      }
      if (event.kind === 'undesired' || event.kind === 'terminate') release(event.uid);
      if (event.kind === 'sandbox') {
        if (event.change === 'ready') {
          ready.set(event.uid, event.id);
          expect(event.uid, atMs);
        } else if (ready.get(event.uid) === event.id) {
          ready.delete(event.uid);
          release(event.uid);
        }
      }
      if (event.kind === 'lost') {
        started.delete(`${event.uid}/${event.container}`);
        created.delete(`${event.uid}/${event.container}`);
      }
      if (event.kind !== 'container' || !isEphemeral(event.container.uid, event.container.name)) continue;
      const key = containerKey(event.container);
      if (event.change === 'created') {
        created.add(key);
        dueMs.delete(key);
      }
      if (event.change !== 'started') continue;
      if (started.has(key)) yield { atMs, text: `${key} starts again` };
      started.add(key);
    }
  },
};
