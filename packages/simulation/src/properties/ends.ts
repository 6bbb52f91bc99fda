import type { History, PodFacts } from '../history/history.ts';
import { CAPACITY } from '../parts/resize-part.ts';
import { DEVICE_RESOURCE } from '../workload/part-steps.ts';
import type { Amounts } from '../workload/amounts.ts';
import type { Property } from './property.ts';

/** Time within which a rejection is published. */
const PUBLISH_MS = 1_000;

/** Decisions that statuses with a reason follow. */
const DECISIONS: Readonly<Record<string, string>> = { Terminated: 'shutdown', Preempting: 'pre-empted' };

/** Pods end with a shutdown of the machine alone, or in favour of a critical pod, and no desired pod ends as an orphan unless it is rejected. */
export const endedForAReason: Property = {
  name: 'ended-for-a-reason',
  *check(history) {
    const desired = new Map<string, PodFacts>();
    const decided = new Set<string>();
    const isKnown = new Set<string>();
    let isShuttingDown = false;
    for (const [index, event] of history.entries()) {
      if (event.kind === 'power') isShuttingDown = event.change === 'shutdown';
      if (event.kind === 'desired') desired.set(event.pod.uid, event.pod);
      if (event.kind === 'undesired') desired.delete(event.uid);
      if (event.kind === 'terminate') {
        const { atMs, uid, reason } = event;
        decided.add(`${uid} ${reason}`);
        if (reason === 'shutdown' && !isShuttingDown) yield { atMs, text: `${uid} is ended without a shutdown` };
        if (reason === 'pre-empted' && !isInTheWay(uid, desired))
          yield { atMs, text: `${uid} is pre-empted, and no other pod may take its place` };
        if (reason === 'orphaned' && desired.has(uid) && !mayBeRejected(uid, history, index))
          yield { atMs, text: `${uid} is ended as an orphan although it is desired` };
      }
      if (event.kind !== 'status' || isKnown.has(event.status.uid)) continue;
      const { uid, reason = '' } = event.status;
      const decision = DECISIONS[reason];
      if (decision === undefined) continue;
      isKnown.add(uid);
      if (!decided.has(`${uid} ${decision}`)) yield { atMs: event.atMs, text: `${uid} has ended: ${reason}` };
    }
  },
};

/** Reports whether a critical pod may take the place of another one. */
function isInTheWay(uid: string, desired: ReadonlyMap<string, PodFacts>): boolean {
  const victim = desired.get(uid);
  if (victim === undefined) return true;
  return [...desired.values()].some(
    (pod) => pod.uid !== uid && pod.isCritical && (!victim.isCritical || pod.priority > victim.priority),
  );
}

/** Reports whether a pod that the agent ends is shown as failed afterwards, as far as the agent lives to show it. */
function mayBeRejected(uid: string, history: History, from: number): boolean {
  for (const event of history.slice(from)) {
    if (event.kind === 'agent' || event.kind === 'emptied') return true;
    if ((event.kind === 'undesired' && event.uid === uid) || (event.kind === 'desired' && event.pod.uid === uid))
      return true;
    if (event.kind === 'status' && event.status.uid === uid && event.status.phase === 'Failed') return true;
  }
  return false;
}

/** Reasons for which the node rejects pods, and the amount that is short. */
const SHORT: Readonly<Record<string, keyof Amounts>> = { OutOfcpu: 'cpuMillis', OutOfmemory: 'memoryBytes' };
const OF_DEVICES: ReadonlySet<string> = new Set([`OutOf${DEVICE_RESOURCE}`, 'PodFeatureUnsupported']);

/** The node rejects a pod only when it may lack what that requests and the pod does not run, or shuts down. */
export const rejectedForAReason: Property = {
  name: 'rejected-for-a-reason',
  *check(history) {
    const pods = new Map<string, PodFacts>();
    /** The most that pods may hold, by UID. */
    const held = new Map<string, Amounts>();
    const isKnown = new Set<string>();
    /** Pods by running container. */
    const running = new Map<string, string>();
    let isShuttingDown = false;
    let cancelledMs = -Infinity;
    for (const event of history) {
      if (event.kind === 'container') {
        if (event.change === 'started') running.set(event.container.id, event.container.uid);
        if (event.change === 'exited' || event.change === 'removed') running.delete(event.container.id);
      }
      if (event.kind === 'power') {
        isShuttingDown = event.change === 'shutdown';
        if (event.change === 'cancelled') cancelledMs = event.atMs;
      }
      if (event.kind === 'desired') {
        const { uid, requests } = event.pod;
        pods.set(uid, event.pod);
        held.set(uid, larger(held.get(uid), requests));
      }
      if (event.kind === 'confirmed') held.delete(event.uid);
      if (event.kind !== 'status' || event.status.phase !== 'Failed' || isKnown.has(event.status.uid)) continue;
      const { uid, reason = '' } = event.status;
      isKnown.add(uid);
      const pod = pods.get(uid);
      if (pod === undefined) continue;
      const short = SHORT[reason];
      const { atMs } = event;
      if (short !== undefined) {
        const sum = [...held.values()].reduce((total, amounts) => total + amounts[short], 0);
        if (sum <= CAPACITY[short])
          yield { atMs, text: `${uid} is rejected with ${reason} although all pods request ${String(sum)}` };
        if ([...running.values()].includes(uid))
          yield { atMs, text: `${uid} is rejected with ${reason} although it runs` };
      }
      if (OF_DEVICES.has(reason) && pod.devices === 0)
        yield { atMs, text: `${uid} is rejected with ${reason} and requests no device` };
      if (reason === 'NodeShutdown' && !isShuttingDown && atMs - cancelledMs > PUBLISH_MS)
        yield { atMs, text: `${uid} is rejected with ${reason} without a shutdown` };
    }
  },
};

function larger(a: Amounts | undefined, b: Amounts): Amounts {
  return a === undefined
    ? b
    : { cpuMillis: Math.max(a.cpuMillis, b.cpuMillis), memoryBytes: Math.max(a.memoryBytes, b.memoryBytes) };
}
