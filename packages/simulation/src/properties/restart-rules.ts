import { type ContainerFacts, containerKey, type HistoryEvent, type PodFacts } from '../history/history.ts';
import { untilFault } from './faults.ts';
import type { Property } from './property.ts';

/** A restart of all containers of a pod that its rules demand. */
export interface RestartOfAll {
  /** The instance whose exit demands it. */
  readonly cause: ContainerFacts;
  readonly atMs: number;
  /** Ids of the instances that ran then, without those of ephemeral containers, which do not restart. */
  readonly running: readonly string[];
}

/** Follows the restarts of all containers of pods, by UID. Called with each event, in order. */
export function createRestartsOfAll(): {
  readonly pending: ReadonlyMap<string, RestartOfAll>;
  follow(event: HistoryEvent): void;
} {
  const pods = new Map<string, PodFacts>();
  const running = new Map<string, ContainerFacts>();
  const pending = new Map<string, RestartOfAll>();
  return {
    pending,
    follow(event) {
      if (event.kind === 'desired') pods.set(event.pod.uid, event.pod);
      if (event.kind === 'undesired' || event.kind === 'terminate') pending.delete(event.uid);
      if (event.kind !== 'container') return;
      const { change, container, container: cause } = event;
      const { id, uid, name, exitCode = -1 } = container;
      if (change === 'started') running.set(id, container);
      if (change === 'started' && pending.get(uid)?.cause.name === name) pending.delete(uid);
      if (change === 'exited' || change === 'removed') running.delete(id);
      const pod = pods.get(uid);
      if (change !== 'exited' || pod?.restartAllCodes[name]?.includes(exitCode) !== true) return;
      const others = [...running.values()].filter(
        (one) => one.uid === uid && !pod.ephemeralContainers.includes(one.name),
      );
      pending.set(uid, { cause, atMs: event.atMs, running: others.map((one) => one.id) });
    },
  };
}

/** Time within which an agent without faults restarts all containers of a pod, beside its grace period. */
const PROMPT_MS = 10_000;

/** Once a container has exited with a code that demands it, all containers of its pod restart: the others end before that one starts again, and until the first fault soon. */
export const allContainersRestart: Property = {
  name: 'all-containers-restart',
  *check(history) {
    const restarts = createRestartsOfAll();
    const grace = new Map<string, number>();
    const running = new Set<string>();
    const reported = new Set<string>();
    const calm = untilFault(history).length;
    for (const [index, event] of history.entries()) {
      const { atMs } = event;
      for (const [uid, { cause, atMs: exitMs }] of index < calm ? restarts.pending : []) {
        if (reported.has(cause.id) || atMs <= exitMs + (grace.get(uid) ?? 0) + PROMPT_MS) continue;
        reported.add(cause.id);
        yield { atMs, text: `the containers of ${uid} do not restart soon after the exit of ${cause.name}` };
      }
      if (event.kind === 'desired') grace.set(event.pod.uid, event.pod.graceSeconds * 1_000);
      if (event.kind === 'container') {
        const { change, container } = event;
        const { cause, running: before = [] } = restarts.pending.get(container.uid) ?? {};
        if (change === 'started' && cause?.name === container.name && before.some((id) => running.has(id)))
          yield { atMs, text: `${containerKey(container)} restarts before the other containers have ended` };
        if (change === 'started') running.add(container.id);
        if (change === 'exited' || change === 'removed') running.delete(container.id);
      }
      restarts.follow(event);
    }
  },
};
