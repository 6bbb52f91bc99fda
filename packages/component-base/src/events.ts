import { type Observable, Subject } from 'rxjs';
import type { Clock } from './clock.ts';

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

/** One recorded event; equal ones are counted, not repeated. */
export interface RecordedEvent {
  readonly object: EventObject;
  readonly type: EventType;
  readonly reason: string;
  readonly message: string;
  /** How often it occurred. */
  readonly count: number;
  /** First occurrence, epoch milliseconds. */
  readonly firstMs: number;
  /** Latest occurrence, epoch milliseconds. */
  readonly lastMs: number;
}

/** Keeps the latest events in memory. */
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
  // A Map keeps the order of insertion; an event that occurs again is inserted anew, so the first key is always the oldest.
  const events = new Map<string, RecordedEvent>();
  const subject = new Subject<RecordedEvent>();
  let closed = false;
  return {
    event(object, type, reason, message) {
      if (closed) return;
      const key = JSON.stringify([
        object.kind,
        object.namespace,
        object.name,
        object.uid,
        object.fieldPath,
        type,
        reason,
        message,
      ]);
      const earlier = events.get(key);
      const nowMs = clock.now();
      const recorded: RecordedEvent = {
        object,
        type,
        reason,
        message,
        count: (earlier?.count ?? 0) + 1,
        firstMs: earlier?.firstMs ?? nowMs,
        lastMs: nowMs,
      };
      events.delete(key);
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
