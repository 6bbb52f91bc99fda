import type { PodFacts } from '../history/history.ts';
import { SHUTDOWN_GROUPS } from '../workload/part-steps.ts';
import type { Property } from './property.ts';
import { createRestartsOfAll } from './restart-rules.ts';

/** The shortest grace period of a container. A preStop hook takes its duration from the grace period of its container, and a sidecar the time that it waits for others. */
const SHORTEST_SECONDS = 2;

/** Returns the time that a shutdown gives to pods of a priority, in seconds. */
function shutdownSeconds(priority: number): number {
  const group = SHUTDOWN_GROUPS.findLast((one) => one.priority <= priority) ?? SHUTDOWN_GROUPS[0];
  return group.gracePeriodSeconds;
}

/** A container that is stopped gets the grace period of its pod, or the shorter one of a request to delete it, of an eviction or of a shutdown. */
export const gracePeriodsGiven: Property = {
  name: 'grace-periods-given',
  *check(history) {
    const pods = new Map<string, PodFacts>();
    /** Names by id. */
    const containers = new Map<string, string>();
    /** Shortest grace period that was requested. */
    const requested = new Map<string, number>();
    /** Shortest grace period that the node has given, in this life of the agent. */
    const ended = new Map<string, number>();
    const restarts = createRestartsOfAll();
    let shutdownMs = -Infinity;
    let isAgentRunning = false;
    /** Begin of a shutdown that was cancelled while no agent ran: the next agent takes the next shutdown for the same one. */
    let unseenMs: number | undefined;
    /** Whether the agent has started during the shutdown, of which only the rest of the time is left. */
    let isResumed = false;
    for (const event of history) {
      restarts.follow(event);
      if (event.kind === 'agent') isAgentRunning = event.change === 'started';
      if (event.kind === 'power') {
        isResumed = false;
        if (event.change === 'shutdown') shutdownMs = unseenMs ?? event.atMs;
        else {
          unseenMs = event.change === 'cancelled' && !isAgentRunning ? shutdownMs : undefined;
          shutdownMs = -Infinity;
        }
      }
      if (event.kind === 'desired') pods.set(event.pod.uid, event.pod);
      if (event.kind === 'undesired' && event.graceSeconds !== undefined)
        requested.set(event.uid, Math.min(requested.get(event.uid) ?? Infinity, event.graceSeconds));
      if (event.kind === 'agent') {
        isResumed = true;
        if (event.change === 'started' && shutdownMs === -Infinity) unseenMs = undefined;
      }
      if (event.kind === 'agent' && event.change !== 'started') ended.clear();
      // A pod that is pre-empted has its own grace period.
      if (event.kind === 'terminate' && event.reason !== 'pre-empted') {
        const { uid, reason } = event;
        const spentSeconds = isResumed ? Math.ceil((event.atMs - shutdownMs) / 1000) : 0;
        const seconds =
          reason === 'shutdown' ? shutdownSeconds(pods.get(uid)?.priority ?? 0) - spentSeconds : SHORTEST_SECONDS;
        ended.set(uid, Math.min(ended.get(uid) ?? Infinity, seconds));
      }
      if (event.kind === 'container') containers.set(event.container.id, event.container.name);
      if (event.kind !== 'call' || event.rpc !== 'stopContainer') continue;
      const pod = pods.get(event.uid);
      if (pod === undefined) continue;
      const due = Math.min(
        pod.graceSeconds,
        requested.get(event.uid) ?? Infinity,
        ended.get(event.uid) ?? Infinity,
        // As in the kubelet, a restart of all containers gives none.
        restarts.pending.has(event.uid) ? SHORTEST_SECONDS : Infinity,
        pod.hasHooks || pod.initContainers.includes(containers.get(event.target) ?? '') ? SHORTEST_SECONDS : Infinity,
      );
      const least = Math.max(SHORTEST_SECONDS, due);
      const given = event.timeoutSeconds ?? 0;
      if (given < least)
        yield {
          atMs: event.atMs,
          text: `a container of ${event.uid} is stopped within ${String(given)} s of ${String(least)}`,
        };
    }
  },
};

/** Calls that change something, beside a constant, for each change of the world: creations, removals, retries with back-off. */
const CALLS_PER_CHANGE = 60;
const CALLS_AT_LEAST = 600;

/** The number of calls is bounded by what happens. */
export const callsAreBounded: Property = {
  name: 'calls-are-bounded',
  *check(history) {
    let allowed = CALLS_AT_LEAST;
    let calls = 0;
    for (const event of history) {
      if (event.kind === 'step' || event.kind === 'desired' || event.kind === 'undesired' || event.kind === 'agent')
        allowed += CALLS_PER_CHANGE;
      if (event.kind !== 'call') continue;
      calls += 1;
      if (calls > allowed) {
        yield { atMs: event.atMs, text: `${String(calls)} calls change the runtime, more than ${String(allowed)}` };
        return;
      }
    }
  },
};

/** Time within which the CPU manager compares a started container with its CPUs, as in the kubelet. */
const CPUS_MS = 11_000;

/** At rest, the agent changes nothing. */
export const quietAtRest: Property = {
  name: 'quiet-at-rest',
  *check(history) {
    let touched: ReadonlySet<string> | undefined;
    const crashing = new Set<string>();
    /** Sandboxes that are not ready, until they are stopped. */
    const dead = new Set<string>();
    /** Times of the starts of containers. */
    const startedMs = new Map<string, number>();
    for (const event of history) {
      if (event.kind === 'sandbox' && event.change === 'not ready') dead.add(event.id);
      if (event.kind === 'container' && event.change === 'started') startedMs.set(event.container.id, event.atMs);
      if (event.kind === 'desired' && event.pod.isCrashing) crashing.add(event.pod.uid);
      if (event.kind === 'rest') touched = event.touched;
      if (event.kind === 'emptied') touched = undefined;
      if (touched === undefined || event.kind !== 'call') continue;
      // What was dead longest is collected at rest as well. As in the kubelet, a dead sandbox is stopped once more before that.
      if (event.rpc.startsWith('remove') || (event.rpc === 'stopPodSandbox' && dead.delete(event.target))) continue;
      const isFirstUpdate =
        event.rpc === 'updateContainerResources' && event.atMs - (startedMs.get(event.target) ?? -Infinity) < CPUS_MS;
      if (!isFirstUpdate && !touched.has(event.uid) && !crashing.has(event.uid))
        yield { atMs: event.atMs, text: `${event.rpc} of ${event.target} (${event.uid}) at rest` };
    }
  },
};
