import { containerKey, type ContainerFacts, type PodFacts } from '../history/history.ts';
import { earliestDeadlineMs } from './deadlines.ts';
import { createProbedInstances, disturbsProbes, mayBeRestarted } from './probes.ts';
import type { Property } from './property.ts';
import { createRestartsOfAll } from './restart-rules.ts';

/** Never two running containers of one pod UID and name, and never two ready sandboxes of a pod. */
export const singleInstances: Property = {
  name: 'single-instances',
  *check(history) {
    const running = new Map<string, string>();
    const ready = new Map<string, string>();
    for (const event of history) {
      if (event.kind === 'container') {
        const key = containerKey(event.container);
        const { id } = event.container;
        const other = running.get(key);
        if (event.change === 'started') {
          if (other !== undefined) yield { atMs: event.atMs, text: `${key} runs twice: ${other} and ${id}` };
          running.set(key, id);
        } else if (event.change !== 'created' && other === id) running.delete(key);
      } else if (event.kind === 'sandbox') {
        const other = ready.get(event.uid);
        if (event.change === 'ready') {
          if (other !== undefined)
            yield { atMs: event.atMs, text: `${event.uid} has two ready sandboxes: ${other} and ${event.id}` };
          ready.set(event.uid, event.id);
        } else if (other === event.id) ready.delete(event.uid);
      }
    }
  },
};

/** No container of a pod starts after the agent has begun to stop the pod because no source has it any more. */
export const noStartAfterTermination: Property = {
  name: 'no-start-after-termination',
  *check(history) {
    const undesired = new Set<string>();
    const ending = new Set<string>();
    /** Pods that the running agent ends for the sake of the node, which it may do without knowing that no source has them. The next agent may run them once more. */
    const ended = new Set<string>();
    /** Pods with a ready sandbox. The containers of another one are stopped because they get a new sandbox, by an agent that may not know yet that the pod is to end. */
    const ready = new Map<string, string>();
    const restarts = createRestartsOfAll();
    for (const event of history) {
      restarts.follow(event);
      if (event.kind === 'sandbox') {
        if (event.change === 'ready') ready.set(event.uid, event.id);
        else if (ready.get(event.uid) === event.id) ready.delete(event.uid);
      }
      if (event.kind === 'desired') {
        undesired.delete(event.pod.uid);
        ending.delete(event.pod.uid);
      }
      if (event.kind === 'undesired') undesired.add(event.uid);
      if (event.kind === 'terminate' && event.reason !== 'orphaned') ended.add(event.uid);
      if (event.kind === 'agent') ended.clear();
      const isStop = event.kind === 'call' && STOPS.has(event.rpc) && ready.has(event.uid);
      // Those that restart together are stopped by an agent that may not know either.
      if (isStop && event.rpc === 'stopContainer' && restarts.pending.has(event.uid)) continue;
      if (isStop && undesired.has(event.uid) && !ended.has(event.uid)) ending.add(event.uid);
      if (event.kind === 'container' && event.change === 'started' && ending.has(event.container.uid))
        yield {
          atMs: event.atMs,
          text: `${containerKey(event.container)} starts although its pod is being terminated`,
        };
    }
  },
};

const STOPS: ReadonlySet<string> = new Set(['stopContainer', 'stopPodSandbox']);

/** Instances of a container are numbered upwards. */
export const risingAttempts: Property = {
  name: 'rising-attempts',
  *check(history) {
    /** Highest attempt that was started, by container. */
    const attempts = new Map<string, number>();
    const created = new Set<string>();
    /** Containers whose instances may count from 0 again. */
    const mayReset = new Set<string>();
    /** Containers that were removed because the agent has decided to end their pods. An agent that is killed meanwhile leaves no trace of them, and the next one runs the pod. */
    const removed = new Set<string>();
    const ending = new Set<string>();
    const pods = new Map<string, PodFacts>();
    /** Pods whose status does not survive a restart: once their containers are removed, the next agent may run them from the beginning. */
    const forgotten = new Set<string>();
    for (const event of history) {
      if (event.kind === 'lost') mayReset.add(`${event.uid}/${event.container}`);
      if (event.kind === 'terminate') ending.add(event.uid);
      if (event.kind === 'desired') pods.set(event.pod.uid, event.pod);
      if (event.kind === 'desired' && !event.pod.isStatusKept) forgotten.add(event.pod.uid);
      if (event.kind === 'agent') {
        for (const key of removed) mayReset.add(key);
        // As in the kubelet, init containers are removed with their logs before they run again in a new sandbox.
        for (const uid of ending)
          for (const name of pods.get(uid)?.initContainers ?? []) mayReset.add(containerKey({ uid, name }));
        for (const key of attempts.keys()) if (forgotten.has(key.slice(0, key.indexOf('/')))) mayReset.add(key);
        removed.clear();
        ending.clear();
      }
      // A static pod may come back after it has left no trace.
      if (event.kind === 'desired' && event.pod.isStatic)
        for (const key of created) if (key.startsWith(`${event.pod.uid}/`)) mayReset.add(key);
      if (event.kind !== 'container') continue;
      const key = containerKey(event.container);
      const { attempt } = event.container;
      // As in the kubelet, the newest instance alone is kept, also one that never ran: with it, the count is gone.
      if (event.change === 'removed' && attempt > (attempts.get(key) ?? -1)) mayReset.add(key);
      if (event.change === 'removed' && ending.has(event.container.uid)) removed.add(key);
      if (event.change === 'created') {
        const before = attempts.get(key) ?? -1;
        if (attempt <= before) {
          if (mayReset.has(key)) attempts.delete(key);
          else yield { atMs: event.atMs, text: `attempt ${String(attempt)} of ${key} follows ${String(before)}` };
        }
        mayReset.delete(key);
        created.add(key);
      }
      if (event.change === 'started') attempts.set(key, attempt);
    }
  },
};

const ENDS_CONTAINER: ReadonlySet<string> = new Set(['stopContainer', 'removeContainer']);
const ENDS_SANDBOX: ReadonlySet<string> = new Set(['stopPodSandbox', 'removePodSandbox']);

/** A healthy container of a desired pod is never stopped, not by a restart of the agent either. One that fails its probes may be stopped once these have reached their threshold. */
export const healthyContainersRun: Property = {
  name: 'healthy-containers-run',
  *check(history) {
    const desired = new Map<string, PodFacts>();
    /** Times from which pods may have been active for too long. */
    const deadlinesMs = new Map<string, number>();
    const ready = new Map<string, string>();
    const running = new Map<string, ContainerFacts>();
    /** Containers whose pods were desired, with this image, for as long as they have existed. */
    const isProtected = new Set<string>();
    const existing = new Map<string, ContainerFacts>();
    const probed = createProbedInstances();
    const restarts = createRestartsOfAll();
    let areProbesDisturbed = false;
    const mayFailProbes = (id: string, atMs: number): boolean => {
      const instance = probed.running.get(id);
      return instance !== undefined && (areProbesDisturbed || mayBeRestarted(instance, atMs));
    };
    const release = (uid: string): void => {
      for (const container of existing.values()) if (container.uid === uid) isProtected.delete(container.id);
    };
    for (const event of history) {
      probed.follow(event);
      restarts.follow(event);
      areProbesDisturbed ||= disturbsProbes(event);
      if (event.kind === 'desired') {
        const { uid } = event.pod;
        desired.set(uid, event.pod);
        deadlinesMs.set(uid, deadlinesMs.get(uid) ?? earliestDeadlineMs(event.pod, event.atMs));
      }
      if (event.kind === 'undesired') desired.delete(event.uid);
      // The deadlines follow the wall clock.
      if (event.kind === 'step' && event.text.startsWith('clock '))
        for (const [uid, limitMs] of deadlinesMs) if (limitMs < Infinity) deadlinesMs.set(uid, -Infinity);
      // Whether the node may end a pod is another property.
      if (event.kind === 'undesired' || event.kind === 'replaced' || event.kind === 'terminate') release(event.uid);
      if (event.kind === 'sandbox') {
        if (event.change === 'ready') ready.set(event.uid, event.id);
        else if (ready.get(event.uid) === event.id) ready.delete(event.uid);
      }
      if (event.kind === 'container') {
        const { container, change } = event;
        if (change === 'created') {
          existing.set(container.id, container);
          // An agent that has not seen a change yet replaces what it creates.
          if (desired.get(container.uid)?.images[container.name] === container.image) isProtected.add(container.id);
        }
        if (change === 'started') running.set(container.id, container);
        if (change === 'exited' || change === 'removed') running.delete(container.id);
        if (change === 'removed') existing.delete(container.id);
      }
      if (event.kind !== 'call') continue;
      const pod = desired.get(event.uid);
      const sandbox = ready.get(event.uid);
      // Other containers exit, or are stopped after a failed hook.
      if (pod?.isEndless !== true || pod.hasHooks || sandbox === undefined) continue;
      if (restarts.pending.has(event.uid)) continue;
      if (event.atMs >= (deadlinesMs.get(pod.uid) ?? Infinity)) continue;
      for (const container of running.values()) {
        if (!isProtected.has(container.id) || container.uid !== event.uid) continue;
        if (mayFailProbes(container.id, event.atMs)) continue;
        if (
          event.target === (ENDS_CONTAINER.has(event.rpc) ? container.id : ENDS_SANDBOX.has(event.rpc) ? sandbox : '')
        )
          yield { atMs: event.atMs, text: `${event.rpc} of ${containerKey(container)}, which must continue to run` };
      }
    }
  },
};
