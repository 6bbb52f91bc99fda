import { containerKey } from '../history/history.ts';
import { createUnwritableTime } from './faults.ts';
import type { Property } from './property.ts';

const STATUS_CHECKPOINT = '/root/pod_statuses';

/** Restart counts in published statuses never fall. */
export const risingRestartCounts: Property = {
  name: 'rising-restart-counts',
  *check(history) {
    const counts = new Map<string, number>();
    const mayReset = new Set<string>();
    const statics = new Set<string>();
    /** Pods whose status no agent keeps for the next one. */
    const forgotten = new Set<string>();
    const ended = new Set<string>();
    /** Attempts of the instances that the runtime has, by container and ID. */
    const instances = new Map<string, { readonly uid: string; readonly attempts: Map<string, number> }>();
    /** Containers whose newest instance was removed since it did not start, until its replacement exists. */
    const replaced = new Set<string>();
    const started = new Set<string>();
    const resetAll = (uid: string): void => {
      for (const key of counts.keys()) if (key.startsWith(`${uid}/`)) mayReset.add(key);
    };
    for (const event of history) {
      if (event.kind === 'lost') mayReset.add(`${event.uid}/${event.container}`);
      // A static pod that has ended with the machine begins anew with it, and one that comes back may have left no trace.
      if (event.kind === 'terminate' && statics.has(event.uid)) resetAll(event.uid);
      // As in the kubelet, the containers of an evicted pod are removed before the API shows its end, and the next agent has no more than the last count there.
      if (event.kind === 'terminate') ended.add(event.uid);
      if (event.kind === 'unreported' && ended.has(event.uid)) resetAll(event.uid);
      if (event.kind === 'desired' && event.pod.isStatic) {
        statics.add(event.pod.uid);
        if (!event.pod.isStatusKept) forgotten.add(event.pod.uid);
        resetAll(event.pod.uid);
      }
      if (event.kind === 'container') {
        const { id, uid, attempt } = event.container;
        const key = containerKey(event.container);
        const { attempts } = instances.get(key) ?? { attempts: new Map<string, number>() };
        if (event.change === 'created') {
          attempts.set(id, attempt);
          replaced.delete(key);
        }
        if (event.change === 'started') started.add(id);
        if (event.change === 'removed') {
          attempts.delete(id);
          if (!started.has(id)) replaced.add(key);
        }
        instances.set(key, { uid, attempts });
      }
      // The checkpoint of the statuses may be a moment behind, and no instance shows the count of a static pod either.
      if (event.kind === 'agent' && event.change === 'killed')
        for (const [key, { uid, attempts }] of instances)
          if (replaced.has(key) || (attempts.size === 0 && statics.has(uid))) mayReset.add(key);
      if (event.kind === 'agent' && event.change === 'stopped')
        for (const [key, { uid, attempts }] of instances)
          if (attempts.size === 0 && forgotten.has(uid)) mayReset.add(key);
      // Then the newest instances alone show the counts. As in the kubelet, they do not count those before them that were removed without having started.
      if (event.kind === 'damaged' && event.path === STATUS_CHECKPOINT)
        for (const [key, { attempts }] of instances)
          if (attempts.size > 0) counts.set(key, Math.min(counts.get(key) ?? 0, Math.max(...attempts.values())));
      // The newest instance is gone, and with it the count.
      if (
        event.kind === 'container' &&
        event.change === 'removed' &&
        event.container.attempt > (counts.get(containerKey(event.container)) ?? 0)
      )
        mayReset.add(containerKey(event.container));
      if (event.kind !== 'status') continue;
      // The status of a rejected pod has no containers.
      if (event.status.phase === 'Failed' && Object.keys(event.status.restartCounts).length === 0)
        resetAll(event.status.uid);
      for (const [name, count] of Object.entries(event.status.restartCounts)) {
        const key = containerKey({ uid: event.status.uid, name });
        const before = counts.get(key) ?? 0;
        if (count < before && !mayReset.has(key))
          yield {
            atMs: event.atMs,
            text: `the restart count of ${key} falls from ${String(before)} to ${String(count)}`,
          };
        counts.set(key, count);
      }
    }
  },
};

/** Time after which an agent without an API server has written the end of a pod to its checkpoint. */
const CHECKPOINT_MS = 50;

/** A pod that has ended stays so, also for the next agent once the end is in its checkpoint or the API. */
export const terminalPhasesStay: Property = {
  name: 'terminal-phases-stay',
  *check(history) {
    const ended = new Map<string, { readonly phase: string; readonly atMs: number }>();
    /** Pods whose status does not survive a restart. */
    const forgotten = new Set<string>();
    /** Static pods that have come back while the end of their earlier life may not have been reported. */
    const returned = new Set<string>();
    const seen = new Set<string>();
    /** Pods whose status is kept in the checkpoint. */
    const kept = new Set<string>();
    const unwritable = createUnwritableTime();
    const isKept = (uid: string, endMs: number, nowMs: number): boolean => {
      // What was reported to the API is in no offline cache.
      if (!kept.has(uid)) return true;
      const { fromMs, untilMs } = unwritable.last;
      const isWritten = nowMs >= untilMs || endMs < fromMs - CHECKPOINT_MS;
      return isWritten && nowMs - endMs > CHECKPOINT_MS;
    };
    for (const event of history) {
      // As in the kubelet, a pod whose status is unknown is pending until its end is certain.
      if (event.kind === 'damaged' && event.path === STATUS_CHECKPOINT) ended.clear();
      if (event.kind === 'unreported') ended.delete(event.uid);
      unwritable.follow(event);
      if (event.kind === 'agent' && event.change !== 'started') {
        for (const uid of forgotten) ended.delete(uid);
        for (const [uid, { atMs }] of ended) if (!isKept(uid, atMs, event.atMs)) ended.delete(uid);
      }
      if (event.kind === 'desired') {
        if (!event.pod.isStatusKept) forgotten.add(event.pod.uid);
        else if (event.pod.isStatic) kept.add(event.pod.uid);
        // A static pod of the same UID that is desired again is another one.
        if (event.pod.isStatic && seen.has(event.pod.uid)) {
          ended.delete(event.pod.uid);
          returned.add(event.pod.uid);
        }
        seen.add(event.pod.uid);
      }
      if (event.kind !== 'status') continue;
      const { uid, phase } = event.status;
      const before = ended.get(uid);
      const isOther = before !== undefined && phase !== before.phase;
      if (isOther && returned.delete(uid)) ended.delete(uid);
      else if (isOther) yield { atMs: event.atMs, text: `${uid} is ${phase} after it was ${before.phase}` };
      if (phase === 'Succeeded' || phase === 'Failed') ended.set(uid, { phase, atMs: before?.atMs ?? event.atMs });
    }
  },
};

/** The agent confirms the deletion of a pod only after the last exit of its containers. */
export const confirmedAfterExit: Property = {
  name: 'confirmed-after-exit',
  *check(history) {
    const running = new Map<string, string>();
    const ready = new Map<string, string>();
    for (const event of history) {
      if (event.kind === 'container') {
        if (event.change === 'started') running.set(event.container.id, event.container.uid);
        if (event.change === 'exited' || event.change === 'removed') running.delete(event.container.id);
      } else if (event.kind === 'sandbox') {
        if (event.change === 'ready') ready.set(event.id, event.uid);
        else ready.delete(event.id);
      } else if (event.kind === 'confirmed') {
        if ([...running.values()].includes(event.uid))
          yield { atMs: event.atMs, text: `the deletion of ${event.uid} is confirmed while a container runs` };
        if ([...ready.values()].includes(event.uid))
          yield { atMs: event.atMs, text: `the deletion of ${event.uid} is confirmed while a sandbox is ready` };
      }
    }
  },
};
