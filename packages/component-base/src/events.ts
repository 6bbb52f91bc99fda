import { type Observable, Subject } from 'rxjs';
import type { Clock } from './clock.ts';
import { createEventCorrelator } from './event-correlator.ts';

/** What an event is about (core/v1 ObjectReference, the fields a node agent sets). */
export interface EventObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly namespace?: string;
  readonly name: string;
  readonly uid?: string;
  /** Which part of the object, e.g. `spec.containers{web}`. */
  readonly fieldPath?: string;
}

/** `Warning` for what somebody may have to look at. */
export type EventType = 'Normal' | 'Warning';

/** The port by which subsystems say what happened to an object, in words meant for its owner. */
export interface EventRecorder {
  /** Records one occurrence. Never throws and never waits. */
  event(object: EventObject, type: EventType, reason: string, message: string): void;
}

/** One recorded event; equal ones are counted, not repeated, and many similar ones are combined to one. */
export interface RecordedEvent {
  readonly object: EventObject;
  readonly type: EventType;
  readonly reason: string;
  /** The latest occurrence's; for a combined event it begins with `(combined from similar events): `. */
  readonly message: string;
  /** Set for an event that stands for similar ones, whose messages differ: `message` differs each time it occurs. */
  readonly combined?: true;
  /** Set when an earlier occurrence was kept: this is a change of that event rather than a new one. */
  readonly update?: true;
  /** How often it occurred, dropped occurrences included. */
  readonly count: number;
  /** First occurrence, epoch milliseconds. */
  readonly firstMs: number;
  /** Latest occurrence, epoch milliseconds. */
  readonly lastMs: number;
}

/**
 * Keeps the latest events in memory. As a kubelet's recorder does, it combines similar events, and drops those of an object that has too many
 * (see `createEventCorrelator`).
 */
export interface EventLog extends EventRecorder {
  /** The kept events, the one that occurred longest ago first. */
  list(): readonly RecordedEvent[];
  /** Each event as it is recorded, with its count so far. Hot: a subscriber sees what comes after it. Completes on {@link EventLog.close}. */
  readonly events$: Observable<RecordedEvent>;
  /** Completes the stream; later events are dropped. */
  close(): void;
}

/** Creates an {@link EventLog} that keeps the latest `capacity` (default 1000) distinct events. */
export function createEventLog(clock: Clock, capacity = 1000): EventLog {
  const correlator = createEventCorrelator(clock);
  // A Map keeps the order of insertion; an event that occurs again is inserted anew, so the first key is always the oldest.
  const events = new Map<string, RecordedEvent>();
  const subject = new Subject<RecordedEvent>();
  let closed = false;
  return {
    event(object, type, reason, message) {
      if (closed) return;
      const correlated = correlator.correlate(object, type, reason, message);
      if (correlated === undefined) return;
      const { key, combined, ...counted } = correlated;
      const recorded: RecordedEvent = {
        object,
        type,
        reason,
        ...counted,
        ...(combined && { combined }),
        ...(events.delete(key) && { update: true }),
        lastMs: clock.now(),
      };
      events.set(key, recorded);
      if (events.size > capacity) events.delete(events.keys().next().value!);
      subject.next(recorded);
    },
    list: () => [...events.values()],
    events$: subject.asObservable(),
    close() {
      closed = true;
      subject.complete();
    },
  };
}

/** Drops every event. */
export const noopEventRecorder: EventRecorder = { event: () => undefined };
