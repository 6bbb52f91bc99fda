import { killTimeoutMs } from './allocations.ts';
import { untilFault } from './faults.ts';
import type { Property } from './property.ts';

/** An agent acts only on pods that are bound to its node. */
export const actsOnOwnPods: Property = {
  name: 'acts-on-own-pods',
  scope: 'world',
  *check(history) {
    const owners = new Map<string, string | undefined>();
    for (const event of history) {
      if (event.kind === 'desired') owners.set(event.pod.uid, event.node);
      if (event.kind !== 'call' || event.uid === '' || event.node === undefined) continue;
      const owner = owners.get(event.uid);
      if (owner !== event.node)
        yield {
          atMs: event.atMs,
          text: `${event.node} calls ${event.rpc} for ${event.uid}, a pod of ${String(owner)}`,
        };
    }
  },
};

/** A pod is written by the agent of its node alone. What an agent sends after its pod has moved names the UID of that pod, and has no effect on the new one. */
export const writesOwnPods: Property = {
  name: 'writes-own-pods',
  scope: 'world',
  *check(history) {
    for (const event of history) {
      if (event.kind !== 'pod-write' || event.node === undefined || event.boundTo === event.node) continue;
      const { atMs, node, method, pod, boundTo, precondition = pod, code = Infinity } = event;
      if (precondition === pod || code < 300)
        yield { atMs, text: `${node} sends ${method} for ${pod}, a pod of ${boundTo}` };
    }
  },
};

/** Time within which a node without faults starts a pod, and ends one after its grace period. */
const PROMPT_MS = 30_000;

/** A node that no fault has touched starts and ends its pods soon, whatever happens to other nodes. */
export const soundNodesArePrompt: Property = {
  name: 'sound-nodes-are-prompt',
  *check(history) {
    const graceSeconds = new Map<string, number>();
    /** Pods that have started, were rejected or have ended. */
    const settled = new Set<string>();
    /** UIDs by running container. */
    const running = new Map<string, string>();
    /** Time until which a critical pod waits for those that make room for it. Others wait as well where they do not fit beside it. */
    let roomMs = -Infinity;
    /** Times at which pods must have started or ended. */
    const due = { start: new Map<string, number>(), end: new Map<string, number>() };
    for (const event of untilFault(history)) {
      const { atMs } = event;
      for (const [what, times] of Object.entries(due))
        for (const [uid, dueMs] of times) {
          if (dueMs >= atMs) continue;
          times.delete(uid);
          yield { atMs, text: `${uid} does not ${what} in time on a node without faults` };
        }
      if (event.kind === 'desired') {
        const { uid } = event.pod;
        graceSeconds.set(uid, event.pod.graceSeconds);
        due.end.delete(uid);
        if (!settled.has(uid)) due.start.set(uid, Math.max(atMs, roomMs) + PROMPT_MS);
      }
      if (event.kind === 'terminate' && event.reason === 'pre-empted') {
        roomMs = Math.max(roomMs, atMs + killTimeoutMs(graceSeconds.get(event.uid) ?? 0));
        for (const [uid, dueMs] of due.start) due.start.set(uid, Math.max(dueMs, roomMs + PROMPT_MS));
      }
      if (event.kind === 'undesired') {
        due.start.delete(event.uid);
        // A pod that is deleted by force is gone at once, and ends with its own grace period.
        const seconds = event.graceSeconds || (graceSeconds.get(event.uid) ?? 0);
        if ([...running.values()].includes(event.uid)) due.end.set(event.uid, atMs + seconds * 1_000 + PROMPT_MS);
      }
      if (event.kind === 'status' && ENDED.has(event.status.phase)) {
        settled.add(event.status.uid);
        due.start.delete(event.status.uid);
      }
      if (event.kind !== 'container') continue;
      const { id, uid } = event.container;
      if (event.change === 'started') {
        settled.add(uid);
        running.set(id, uid);
        due.start.delete(uid);
      }
      if (event.change === 'exited' || event.change === 'removed') running.delete(id);
      if (![...running.values()].includes(uid)) due.end.delete(uid);
    }
  },
};

const ENDED: ReadonlySet<string> = new Set(['Failed', 'Succeeded']);
