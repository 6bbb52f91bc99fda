import { type Clock, createDeadlineQueue } from '@rxlet/component-base';
import type { ContainerHint } from './container-hints.ts';

/** State of a container or sandbox in the latest listing. */
export type ListedState = 'running' | 'stopped' | 'unlisted';

/** Requests relists after hints, until a listing confirms each of them. */
export interface HintChecks extends Disposable {
  /** Records a hint. */
  add(hint: ContainerHint): void;
}

/** Ports of {@link createHintChecks}. */
export interface HintCheckPorts {
  readonly clock: Clock;
  /** Returns the listed state of a container, and its pod if it is known. */
  lookUp(containerId: string): { readonly state: ListedState; readonly podUid?: string | undefined };
  /** Requests a relist of one pod, or of all when the pod is unknown. */
  requestRelist(podUid: string | undefined): void;
}

/**
 * Times of the relists after a hint that a known container stopped. The first may be too early: containerd announces an exit before its own record of the
 * container shows it.
 */
const STOPPED_DELAYS_MS = [0, 5, 15, 50, 150, 500, 1_000];
/** Times of the relists after all other hints: mostly the agent's own actions, after which it requests a relist itself. */
const OTHER_DELAYS_MS = [500, 1_000];
/** Time from a hint to the relist for another hint about the same pod. */
const REPEATED_MS = 5;

/** The pending hints about one pod. A pod whose containers all end at once is relisted for all of them together. */
interface PodChecks {
  /** Key of the checks among the pending ones: the pod's UID, or the container's id while the pod is unknown. */
  readonly key: string;
  /** Container id → its latest hint. */
  readonly hints: Map<string, { readonly hint: ContainerHint; wasRelisted: boolean }>;
  /** Remaining pauses from one relist to the next. */
  delaysMs: readonly number[];
  /** Time of the next check, on the monotonic clock. */
  dueMs: number;
}

/** Creates {@link HintChecks}. Its size is bounded by the number of different containers with hints within seconds. */
export function createHintChecks({ clock, lookUp, requestRelist }: HintCheckPorts): HintChecks {
  const pending = new Map<string, PodChecks>();
  const due = createDeadlineQueue<PodChecks>(clock, (checks) => check(checks));

  const schedule = (checks: PodChecks, delayMs: number): void => {
    checks.dueMs = clock.monotonicNow() + delayMs;
    due.set(checks, delayMs);
  };
  const check = (checks: PodChecks): void => {
    const { key, hints } = checks;
    let podUid: string | undefined;
    for (const [id, { hint, wasRelisted }] of hints) {
      const listed = lookUp(id);
      podUid ??= listed.podUid ?? hint.podUid;
      // A container that is unlisted even after a relist was removed, or never existed.
      const isConfirmed =
        listed.state === 'unlisted' ? wasRelisted : hint.kind === 'started' || listed.state === 'stopped';
      if (isConfirmed) hints.delete(id);
    }
    const [nextMs, ...delaysMs] = checks.delaysMs;
    if (hints.size === 0 || nextMs === undefined) {
      pending.delete(key);
      return;
    }
    for (const entry of hints.values()) entry.wasRelisted = true;
    checks.delaysMs = delaysMs;
    requestRelist(podUid);
    schedule(checks, nextMs);
  };

  return {
    add(hint) {
      const { containerId: id, kind } = hint;
      const { state, podUid = hint.podUid } = lookUp(id);
      const key = podUid ?? id;
      const isUrgent = kind === 'stopped' && state === 'running';
      const [firstMs = 0, ...delaysMs] = isUrgent ? STOPPED_DELAYS_MS : OTHER_DELAYS_MS;
      const earlier = pending.get(key);
      const checks = earlier ?? { key, hints: new Map(), delaysMs, dueMs: Infinity };
      checks.hints.set(id, { hint, wasRelisted: false });
      pending.set(key, checks);
      if (earlier !== undefined) {
        // A flood of hints must not become a flood of relists, and a hint that is not urgent must not delay the others.
        if (isUrgent || earlier.delaysMs.length < delaysMs.length) earlier.delaysMs = delaysMs;
        const untilDueMs = earlier.dueMs - clock.monotonicNow();
        schedule(earlier, Math.min(untilDueMs, Math.max(firstMs, REPEATED_MS)));
      } else if (firstMs === 0) {
        check(checks);
      } else {
        schedule(checks, firstMs);
      }
    },
    [Symbol.dispose]: () => due[Symbol.dispose](),
  };
}
