import { ALLOCATIONS } from '../parts/resize-part.ts';
import type { Property } from './property.ts';

/** Shortest time that a pre-emption waits for the end of a pod; it is one and a half times the grace period if that is longer (kubelet: killPodNow). */
const MIN_KILL_TIMEOUT_MS = 10_000;

/** Returns the longest time that a critical pod waits for the end of a pod with this grace period. */
export function killTimeoutMs(graceSeconds: number): number {
  return Math.max(MIN_KILL_TIMEOUT_MS, graceSeconds * 1_500);
}

/**
 * The resources that are allocated to pods with running containers never exceed those of the node. Pods that do not end in time for a pre-emption do not count: the
 * critical pod does not wait longer for them, and the next agent does not know of the pre-emption. Neither do pods that no source has while they end, as in the kubelet:
 * those that were deleted by force, and static ones. Nor do static pods that do not run when an agent starts, or come before it has reported all pods that run: as in the
 * kubelet, they are admitted before the pods of the API server are known. Without the record of what was allocated to them, they get what they desire then.
 */
export const allocationsFit: Property = {
  name: 'allocations-fit',
  *check(history) {
    /** Pods by running container. */
    const running = new Map<string, string>();
    const statics = new Set<string>();
    /** Static pods that were admitted while pods may have been unknown. */
    const unjudged = new Set<string>();
    /** Pods that the agent has reported since its start. */
    const reported = new Set<string>();
    /** Pods that no source has any more, not even as one that is being deleted. */
    const removed = new Set<string>();
    const killTimeouts = new Map<string, number>();
    /** Times at which pre-emptions stop waiting, by pod. */
    const deadlines = new Map<string, number>();
    let isAgentRunning = true;
    for (const event of history) {
      if (event.kind === 'desired' && event.pod.isStatic && !statics.has(event.pod.uid)) {
        const { uid } = event.pod;
        statics.add(uid);
        if (!isAgentRunning || [...running.values()].some((other) => other !== uid && !reported.has(other)))
          unjudged.add(uid);
      }
      if (event.kind === 'agent') isAgentRunning = event.change === 'started';
      if (event.kind === 'status') reported.add(event.status.uid);
      if (event.kind === 'agent' && event.change !== 'started') {
        for (const uid of statics.difference(new Set(running.values()))) unjudged.add(uid);
        reported.clear();
      }
      if (event.kind === 'damaged' && event.path === ALLOCATIONS) for (const uid of statics) unjudged.add(uid);
      if (event.kind === 'undesired' && (event.graceSeconds === 0 || statics.has(event.uid))) removed.add(event.uid);
      if (event.kind === 'desired') {
        removed.delete(event.pod.uid);
        killTimeouts.set(event.pod.uid, killTimeoutMs(event.pod.graceSeconds));
      }
      // A second critical pod may want the place of the same pod, for which the first one waits no longer.
      if (event.kind === 'terminate' && event.reason === 'pre-empted' && !deadlines.has(event.uid))
        deadlines.set(event.uid, event.atMs + (killTimeouts.get(event.uid) ?? MIN_KILL_TIMEOUT_MS));
      if (event.kind === 'container') {
        if (event.change === 'started') running.set(event.container.id, event.container.uid);
        if (event.change === 'exited' || event.change === 'removed') running.delete(event.container.id);
      }
      if (event.kind !== 'allocated') continue;
      const uids = new Set(running.values()).difference(unjudged).difference(removed);
      for (const [uid, deadlineMs] of deadlines) if (deadlineMs <= event.atMs) uids.delete(uid);
      for (const name of ['cpuMillis', 'memoryBytes'] as const) {
        const sum = Object.entries(event.pods).reduce(
          (total, [uid, amounts]) => total + (uids.has(uid) ? amounts[name] : 0),
          0,
        );
        if (sum > event.capacity[name])
          yield {
            atMs: event.atMs,
            text: `${name} of running pods are ${String(sum)}, more than ${String(event.capacity[name])}`,
          };
      }
    }
  },
};
