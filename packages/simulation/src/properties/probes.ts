import { type ContainerFacts, containerKey, type HistoryEvent, type PodFacts } from '../history/history.ts';
import { type InstanceHealth, instanceHealth, restartReason } from '../workload/health.ts';
import { untilFault } from './faults.ts';
import type { Property } from './property.ts';

/** A running instance of a container with probes. */
export interface ProbedInstance {
  readonly container: ContainerFacts;
  readonly health: InstanceHealth;
  readonly startMs: number;
}

/** Follows the running instances of containers with probes, by id. Called with each event, in order. */
export function createProbedInstances(): {
  readonly running: ReadonlyMap<string, ProbedInstance>;
  follow(event: HistoryEvent): void;
} {
  const pods = new Map<string, PodFacts>();
  const running = new Map<string, ProbedInstance>();
  return {
    running,
    follow(event) {
      if (event.kind === 'desired') pods.set(event.pod.uid, event.pod);
      if (event.kind !== 'container') return;
      const { change, container } = event;
      if (change === 'exited' || change === 'removed') running.delete(container.id);
      const kind = pods.get(container.uid)?.health[container.name];
      if (change !== 'started' || kind === undefined) return;
      const startMs = event.atMs - Math.max(0, container.lateMs ?? 0);
      running.set(container.id, { container, startMs, health: instanceHealth(kind, container.attempt) });
    },
  };
}

/** Clocks of runtimes and agents tick in milliseconds. */
const TOLERANCE_MS = 50;

/** Reports whether the probes of an instance may have failed for long enough to restart it. */
export function mayBeRestarted({ health, startMs }: ProbedInstance, atMs: number): boolean {
  const reason = restartReason(health);
  return reason !== undefined && atMs - startMs >= reason.fromMs + reason.afterMs - TOLERANCE_MS;
}

/** Reports whether a step lets probes fail, or makes times of the runtime useless. */
export function disturbsProbes(event: HistoryEvent): boolean {
  return event.kind === 'step' && /^(?:fault rpc=execSync|clock) /.test(event.text);
}

/** Time within which an agent without faults acts on a probe: a period of it, and as much again. */
const PROMPT_MS = 15_000;

/** Until the first fault, an agent restarts a container soon after its probes have failed for long enough, and shows a pod as not ready soon after its container is not. */
export const probesHaveEffect: Property = {
  name: 'probes-have-effect',
  *check(history) {
    const instances = createProbedInstances();
    const desired = new Map<string, PodFacts>();
    const shownReady = new Map<string, boolean>();
    const stopped = new Set<string>();
    const judgedReadiness = new Set<string>();
    for (const event of untilFault(history)) {
      const { atMs } = event;
      for (const { container, health, startMs } of instances.running.values()) {
        const { id, uid, name } = container;
        const pod = desired.get(uid);
        if (pod === undefined || stopped.has(id)) continue;
        const reason = restartReason(health);
        // The agent may wait for the end of another container of the pod.
        const restartMs = reason && startMs + reason.fromMs + reason.afterMs + pod.graceSeconds * 1_000 + PROMPT_MS;
        if (restartMs !== undefined && restartMs < atMs) {
          stopped.add(id);
          yield { atMs, text: `${containerKey(container)} is not restarted although its probes fail` };
        }
        const unreadyMs = startMs + (health.unready?.from ?? Infinity) * 1_000 + PROMPT_MS;
        if (atMs <= unreadyMs || judgedReadiness.has(id)) continue;
        judgedReadiness.add(id);
        if (shownReady.get(uid) === true) yield { atMs, text: `${uid} is shown as ready although ${name} is not` };
      }
      instances.follow(event);
      if (event.kind === 'desired') desired.set(event.pod.uid, event.pod);
      if (event.kind === 'undesired' || event.kind === 'terminate') desired.delete(event.uid);
      if (event.kind === 'status') shownReady.set(event.status.uid, event.status.isReady);
      if (event.kind === 'call' && event.rpc === 'stopContainer') stopped.add(event.target);
    }
  },
};
