import { containerKey, type History, type HistoryFact, type MemoryFacts } from '../history/history.ts';
import { DEADLINE_REASON } from '../parts/deadlines-part.ts';
import { createProbedInstances, mayBeRestarted, type ProbedInstance } from '../properties/probes.ts';
import { createRestartsOfAll } from '../properties/restart-rules.ts';
import { countOf, type ReachedState } from './reached-state.ts';

const extended = (name: string, matches: (history: History) => Iterable<unknown>): ReachedState => ({
  name,
  workloads: ['extended'],
  count: countOf(matches),
});

/** The states that runs of the workload `extended` must reach. */
export const EXTENDED_STATES: readonly ReachedState[] = [
  extended('a resize reaches the runtime', function* (history) {
    for (const event of history)
      if (event.kind === 'answer' && event.call.rpc === 'updateContainerResources' && event.error === undefined)
        yield event;
  }),
  extended('a resize is deferred', function* (history) {
    for (const event of history) if (event.kind === 'status' && event.status.pendingResize === 'Deferred') yield event;
  }),
  extended('a deferred resize is carried out', function* (history) {
    const deferred = new Set<string>();
    for (const event of history) {
      if (event.kind !== 'status') continue;
      const { uid, pendingResize, phase } = event.status;
      if (pendingResize === 'Deferred') deferred.add(uid);
      else if (deferred.delete(uid) && phase === 'Running') yield event;
    }
  }),
  extended('a static pod is resized', function* (history) {
    const statics = new Set<string>();
    const amounts = new Map<string, string>();
    for (const event of history) {
      if (event.kind === 'desired' && event.pod.isStatic) statics.add(event.pod.uid);
      if (event.kind !== 'allocated') continue;
      for (const uid of statics) {
        const [before, now] = [amounts.get(uid), JSON.stringify(event.pods[uid])];
        if (before !== undefined && now !== undefined && now !== before) yield event;
        if (now === undefined) amounts.delete(uid);
        else amounts.set(uid, now);
      }
    }
  }),
  extended('a pre-emption during a resize', function* (history) {
    const resizing = new Set<string>();
    for (const event of history) {
      if (event.kind !== 'status') continue;
      const { uid, pendingResize, reason } = event.status;
      if (reason === 'Preempting' && resizing.size > 0) yield event;
      if (pendingResize === undefined) resizing.delete(uid);
      else resizing.add(uid);
    }
  }),
  extended('a pod is evicted', function* (history) {
    for (const event of history) if (event.kind === 'status' && event.status.reason === 'Evicted') yield event;
  }),
  extended('an agent starts under pressure', function* (history) {
    let isPressed = false;
    for (const event of history) {
      if (event.kind === 'pressure') isPressed = event.conditions.length > 0;
      if (isPressed && event.kind === 'agent' && event.change === 'started') yield event;
    }
  }),
  extended('an agent starts while the machine shuts down', function* (history) {
    let isShuttingDown = false;
    for (const event of history) {
      if (event.kind === 'power') isShuttingDown = event.change === 'shutdown';
      if (isShuttingDown && event.kind === 'agent' && event.change === 'started') yield event;
    }
  }),
  extended('a shutdown is cancelled', function* (history) {
    for (const event of history) if (event.kind === 'power' && event.change === 'cancelled') yield event;
  }),
  extended('a device goes to another container', function* (history) {
    const holders = new Map<string, string>();
    for (const event of history) {
      if (event.kind !== 'devices') continue;
      for (const device of event.devices) {
        if (holders.has(device) && holders.get(device) !== event.uid) yield event;
        holders.set(device, event.uid);
      }
    }
  }),
  extended('a CPU goes to another container', function* (history) {
    const holders = new Map<number, string>();
    for (const event of history) {
      if (event.kind !== 'cpus') continue;
      for (const [key, cpus] of Object.entries(event.assigned))
        for (const cpu of cpus) {
          if (holders.has(cpu) && holders.get(cpu) !== key) yield event;
          holders.set(cpu, key);
        }
    }
  }),
  extended('memory of a NUMA node goes to another container', function* (history) {
    /** The last container that has released memory of a NUMA node. */
    const released = new Map<number, string>();
    let before: Readonly<Record<string, MemoryFacts>> = {};
    for (const event of history) {
      if (event.kind !== 'memory') continue;
      for (const [key, { numaNodes }] of Object.entries(before))
        if (event.assigned[key] === undefined) for (const node of numaNodes) released.set(node, key);
      for (const [key, { numaNodes }] of Object.entries(event.assigned)) {
        const isNew = before[key] === undefined;
        if (isNew && numaNodes.some((node) => released.has(node) && released.get(node) !== key)) yield event;
      }
      before = event.assigned;
    }
  }),
  extended('a container gets memory of two NUMA nodes', function* (history) {
    for (const event of history)
      if (event.kind === 'memory' && Object.values(event.assigned).some(({ numaNodes }) => numaNodes.length > 1))
        yield event;
  }),
  extended('an operator deletes a damaged record of CPUs, memory or claims', function* (history) {
    for (const event of history) if (event.kind === 'deleted') yield event;
  }),
  extended('a container with devices starts while their plugin is in trouble', function* (history) {
    let untilMs = -Infinity;
    for (const event of history) {
      if (event.kind === 'step' && event.text.startsWith('devices '))
        untilMs = event.atMs + Number(/\bms=(\d+)/.exec(event.text)?.[1] ?? 0);
      if (event.kind === 'devices' && event.atMs < untilMs) yield event;
    }
  }),
  extended('a claim is shared by two running pods', function* (history) {
    /** Pods and claims of running containers. */
    const running = new Map<string, ClaimsGiven>();
    const given = new Map<string, ClaimsGiven>();
    for (const event of history) {
      if (event.kind === 'claims-given') given.set(event.container, event);
      if (event.kind !== 'container') continue;
      const { id } = event.container;
      if (event.change === 'exited' || event.change === 'removed') running.delete(id);
      const own = given.get(id);
      if (event.change !== 'started' || own === undefined) continue;
      if (
        [...running.values()].some(
          ({ uid, claims }) => uid !== own.uid && claims.some((claim) => own.claims.includes(claim)),
        )
      )
        yield event;
      running.set(id, own);
    }
  }),
  extended('a claim is prepared again after a restart of the agent', function* (history) {
    /** Claims that an earlier agent has prepared. */
    const earlier = new Set<string>();
    const prepared = new Set<string>();
    for (const event of history) {
      if (event.kind === 'agent') for (const claim of prepared) earlier.add(claim);
      if (event.kind !== 'claim') continue;
      if (event.change === 'confirmed' && earlier.delete(event.claim)) yield event;
      if (event.change === 'prepared') prepared.add(event.claim);
      if (event.change !== 'unprepared') continue;
      prepared.delete(event.claim);
      earlier.delete(event.claim);
    }
  }),
  extended('a claim is unprepared although its driver was away', function* (history) {
    /** Times at which drivers were away, by the kind of their claims, which is the beginning of the names of their devices. */
    const absences: { readonly of: string; readonly fromMs: number; readonly untilMs: number }[] = [];
    const given = new Map<string, readonly string[]>();
    /** Times of the last exits of containers, by claim. */
    const exitsMs = new Map<string, number>();
    for (const event of history) {
      if (event.kind === 'step') {
        const [, of, ms] = /^claims of=(\w+) trouble=(?:dead|crashed) ms=(\d+)/.exec(event.text) ?? [];
        if (of !== undefined) absences.push({ of, fromMs: event.atMs, untilMs: event.atMs + Number(ms) });
      }
      if (event.kind === 'claims-given') given.set(event.container, event.claims);
      if (event.kind === 'container' && event.change === 'exited')
        for (const claim of given.get(event.container.id) ?? []) exitsMs.set(claim, event.atMs);
      if (event.kind !== 'claim' || event.change !== 'unprepared') continue;
      const exitMs = exitsMs.get(event.claim) ?? Infinity;
      const wasAway = absences.some(
        ({ of, fromMs, untilMs }) =>
          event.device.startsWith(of) && fromMs <= exitMs && exitMs < untilMs && untilMs <= event.atMs,
      );
      if (wasAway) yield event;
    }
  }),
  extended('an agent is killed after a claim is prepared and before the sandbox', function* (history) {
    /** Claims by pod. */
    const claims = new Map<string, readonly string[]>();
    const prepared = new Set<string>();
    for (const event of history) {
      if (event.kind === 'claim-user') claims.set(event.uid, [...(claims.get(event.uid) ?? []), event.claim]);
      if (event.kind === 'claim' && event.change === 'prepared') prepared.add(event.claim);
      if (event.kind === 'claim' && event.change === 'unprepared') prepared.delete(event.claim);
      if (event.kind === 'sandbox') for (const claim of claims.get(event.uid) ?? []) prepared.delete(claim);
      if (event.kind === 'agent' && event.change === 'killed' && prepared.size > 0) yield event;
    }
  }),
  extended('a claim is unprepared of a pod that was deleted while the agent was away', function* (history) {
    let isAway = false;
    /** Claims by pod. */
    const claims = new Map<string, readonly string[]>();
    const deleted = new Set<string>();
    for (const event of history) {
      if (event.kind === 'agent') isAway = event.change !== 'started';
      if (event.kind === 'claim-user') claims.set(event.uid, [...(claims.get(event.uid) ?? []), event.claim]);
      if (event.kind === 'undesired' && isAway) for (const claim of claims.get(event.uid) ?? []) deleted.add(claim);
      if (event.kind === 'claim' && event.change === 'unprepared' && deleted.has(event.claim)) yield event;
    }
  }),
  extended('a pod fails at its deadline', function* (history) {
    for (const event of history) if (event.kind === 'status' && event.status.reason === DEADLINE_REASON) yield event;
  }),
  extended('the deadline of a running pod passes while no agent runs', function* (history) {
    const deadlinesMs = new Map<string, number>();
    const running = new Map<string, string>();
    for (const event of history) {
      if (event.kind === 'desired' && event.pod.deadlineSeconds !== undefined && !deadlinesMs.has(event.pod.uid))
        deadlinesMs.set(event.pod.uid, event.atMs + event.pod.deadlineSeconds * 1_000);
      if (event.kind === 'container' && event.change === 'started')
        running.set(event.container.id, event.container.uid);
      if (event.kind === 'container' && (event.change === 'exited' || event.change === 'removed'))
        running.delete(event.container.id);
      if (event.kind !== 'agent' || event.change !== 'started') continue;
      const late = [...running.values()].find((uid) => (deadlinesMs.get(uid) ?? Infinity) <= event.atMs);
      if (late !== undefined) yield event;
    }
  }),
  extended('a container that is stuck is restarted', (history) =>
    restarted(history, ({ health }) => health.dead !== undefined),
  ),
  extended('a container that never starts is restarted', (history) =>
    restarted(history, ({ health }) => health.startsAt === Infinity),
  ),
  extended('a running container is not ready for a while', function* (history) {
    const instances = createProbedInstances();
    /** Running containers whose pods have been shown as ready, and whether they are not any more. */
    const shown = new Map<string, 'ready' | 'not ready'>();
    for (const event of history) {
      instances.follow(event);
      if (event.kind !== 'status') continue;
      for (const { container, health } of instances.running.values()) {
        if (container.uid !== event.status.uid || health.unready === undefined) continue;
        const before = shown.get(container.id);
        if (event.status.isReady && before === 'not ready') yield event;
        if (event.status.isReady) shown.set(container.id, 'ready');
        else if (before === 'ready') shown.set(container.id, 'not ready');
      }
      for (const id of shown.keys()) if (!instances.running.has(id)) shown.delete(id);
    }
  }),
  extended('an agent starts while a container is stuck', function* (history) {
    const instances = createProbedInstances();
    for (const event of history) {
      instances.follow(event);
      if (event.kind !== 'agent' || event.change !== 'started') continue;
      for (const { health, startMs } of instances.running.values())
        if (health.dead?.to === Infinity && event.atMs - startMs >= health.dead.from * 1_000) yield event;
    }
  }),
  extended('an agent starts after an ephemeral container has ended', function* (history) {
    const ephemeral = new Set<string>();
    const ended = new Map<string, string>();
    for (const event of history) {
      if (event.kind === 'desired')
        for (const name of event.pod.ephemeralContainers) ephemeral.add(containerKey({ uid: event.pod.uid, name }));
      if (event.kind === 'undesired' || event.kind === 'terminate') ended.delete(event.uid);
      if (event.kind === 'container' && event.change === 'exited' && ephemeral.has(containerKey(event.container)))
        ended.set(event.container.uid, event.container.id);
      if (event.kind === 'agent' && event.change === 'started' && ended.size > 0) yield event;
    }
  }),
  extended('an ephemeral container is added while no agent runs', function* (history) {
    let isAway = false;
    const counts = new Map<string, number>();
    for (const event of history) {
      if (event.kind === 'agent') isAway = event.change !== 'started';
      if (event.kind !== 'desired') continue;
      const { uid, ephemeralContainers } = event.pod;
      if (isAway && ephemeralContainers.length > (counts.get(uid) ?? 0)) yield event;
      counts.set(uid, ephemeralContainers.length);
    }
  }),
  extended('all containers of a pod restart by a rule', function* (history) {
    const restarts = createRestartsOfAll();
    for (const event of history) {
      const cause = event.kind === 'container' ? restarts.pending.get(event.container.uid)?.cause : undefined;
      restarts.follow(event);
      if (event.kind === 'container' && event.change === 'started' && event.container.name === cause?.name) yield event;
    }
  }),
  extended('an agent starts while all containers of a pod are to restart', function* (history) {
    const restarts = createRestartsOfAll();
    for (const event of history) {
      restarts.follow(event);
      if (event.kind === 'agent' && event.change === 'started' && restarts.pending.size > 0) yield event;
    }
  }),
  extended('a container waits for the registry, and starts', function* (history) {
    const waiting = new Set<string>();
    for (const event of history) {
      if (event.kind !== 'pull') continue;
      const key = `${event.uid} ${event.image}`;
      if (event.change === 'failed') waiting.add(key);
      if (event.change === 'done' && waiting.delete(key)) yield event;
    }
  }),
];

/** Returns the restarts of containers whose probes have failed for long enough. */
function* restarted(history: History, matches: (instance: ProbedInstance) => boolean): Iterable<unknown> {
  const instances = createProbedInstances();
  const desired = new Set<string>();
  for (const event of history) {
    instances.follow(event);
    if (event.kind === 'desired') desired.add(event.pod.uid);
    if (event.kind === 'undesired' || event.kind === 'terminate') desired.delete(event.uid);
    if (event.kind !== 'call' || event.rpc !== 'stopContainer' || !desired.has(event.uid)) continue;
    const instance = instances.running.get(event.target);
    if (instance !== undefined && matches(instance) && mayBeRestarted(instance, event.atMs)) yield event;
  }
}

type ClaimsGiven = Extract<HistoryFact, { kind: 'claims-given' }>;
