import { type Clock, createDeadlineQueue } from '@rxlet/component-base';
import type { ContainerHint } from './container-hints.ts';

/** What the latest listing says of a container or sandbox. */
export type ListedState = 'running' | 'stopped' | 'unlisted';

/** Follows up each hint until a listing bears it out. */
export interface HintChecks extends Disposable {
  /** A hint came. */
  add(hint: ContainerHint): void;
}

/** How to look, and at what. */
export interface HintCheckPorts {
  readonly clock: Clock;
  /** What is known of a container, and its pod when it is known. */
  lookUp(containerId: string): { readonly state: ListedState; readonly podUid?: string | undefined };
  /** Asks for a look at one pod, or at all when nobody knows which one. */
  look(podUid: string | undefined): void;
}

/**
 * When to look after a hint that a known container stopped. The first look may come too early: containerd tells of an exit before its own record of the
 * container has it.
 */
const STOPPED_LOOKS_MS = [0, 5, 15, 50, 150, 500, 1_000];
/** The same for whatever else: mostly the agent's own doing, after which it looks by itself. */
const OTHER_LOOKS_MS = [500, 1_000];
/** How soon after a hint another one about the same container makes for a look. */
const REPEATED_MS = 5;

interface Entry {
  hint: ContainerHint;
  delaysMs: number[];
  /** When the next check comes, on the monotonic clock. */
  dueMs: number;
  looked: boolean;
}

/** Creates the follow-up of hints. Its size is bounded by how many different containers are hinted at within seconds. */
export function createHintChecks({ clock, lookUp, look }: HintCheckPorts): HintChecks {
  const pending = new Map<string, Entry>();
  const due = createDeadlineQueue<string>(clock, (id) => check(id));

  const schedule = (id: string, entry: Entry, delayMs: number): void => {
    entry.dueMs = clock.monotonicNow() + delayMs;
    due.set(id, delayMs);
  };
  const check = (id: string): void => {
    const entry = pending.get(id);
    if (entry === undefined) return;
    const { state, podUid } = lookUp(id);
    const nextMs = entry.delaysMs.shift();
    // A container that is not there even after a look has been removed, or never was.
    const borneOut = state === 'unlisted' ? entry.looked : entry.hint.kind === 'started' || state === 'stopped';
    if (borneOut || nextMs === undefined) {
      pending.delete(id);
      return;
    }
    entry.looked = true;
    look(podUid ?? entry.hint.podUid);
    schedule(id, entry, nextMs);
  };

  return {
    add(hint) {
      const id = hint.containerId;
      const { state } = lookUp(id);
      const [firstMs = 0, ...delaysMs] =
        hint.kind === 'stopped' && state === 'running' ? STOPPED_LOOKS_MS : OTHER_LOOKS_MS;
      const earlier = pending.get(id);
      const entry: Entry = { hint, delaysMs, dueMs: Infinity, looked: false };
      pending.set(id, entry);
      if (earlier !== undefined) {
        // A flood of hints about one container must not become a flood of looks.
        const untilDueMs = earlier.dueMs - clock.monotonicNow();
        schedule(id, entry, Math.min(untilDueMs, Math.max(firstMs, REPEATED_MS)));
      } else if (firstMs === 0) {
        check(id);
      } else {
        schedule(id, entry, firstMs);
      }
    },
    [Symbol.dispose]() {
      due[Symbol.dispose]();
      pending.clear();
    },
  };
}
