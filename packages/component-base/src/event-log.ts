import type { Observable } from 'rxjs';
import type { Clock } from './clock.ts';
import { createEventCorrelator } from './event-correlator.ts';
import { createEmitter } from './streams/emitter.ts';
import type { EventObject, EventType } from './event-types.ts';

/** Port for recording Kubernetes events about an object. */
export interface EventRecorder {
  /** Records one occurrence. Never throws and never waits. */
  event(
    object: EventObject,
    type: EventType,
    reason: string,
    message: string,
    annotations?: Readonly<Record<string, string>>,
  ): void;
}

/** A recorded event: equal occurrences are counted, many similar ones are combined. */
export interface RecordedEvent {
  readonly object: EventObject;
  readonly type: EventType;
  readonly reason: string;
  /** Message of the latest occurrence; for a combined event it starts with `(combined from similar events): `. */
  readonly message: string;
  /** Set for a combined event, whose `message` differs with each occurrence. */
  readonly combined?: true;
  /** Set when an earlier occurrence is kept: this is an update of that event, not a new one. */
  readonly update?: true;
  /** Annotations of the latest occurrence. */
  readonly annotations?: Readonly<Record<string, string>>;
  /** Number of occurrences, including dropped ones. */
  readonly count: number;
  /** First occurrence, epoch milliseconds. */
  readonly firstMs: number;
  /** Latest occurrence, epoch milliseconds. */
  readonly lastMs: number;
}

/**
 * Keeps the latest events in memory, correlated as by the kubelet's recorder (see `createEventCorrelator`): similar events are combined, equal events are counted,
 * and events of an object with too many events are dropped.
 */
export interface EventLog extends EventRecorder {
  /** Returns the kept events, ordered by their latest occurrence. */
  list(): readonly RecordedEvent[];
  /**
   * Each recorded event, with its count so far. The spam filter drops events: after 25 of one object and type, all but one in five minutes. Hot; completes on {@link
   * EventLog.close}.
   */
  readonly events$: Observable<RecordedEvent>;
  /** Completes the stream; later events are dropped. */
  close(): void;
}

/** Longest message of an event: authors of pods choose parts of many, such as commands, and a thousand events are in memory. */
const MAX_MESSAGE_LENGTH = 16 * 1024;

/** Creates an {@link EventLog} that keeps the latest `capacity` (default 1000) distinct events. */
export function createEventLog(clock: Clock, capacity = 1000): EventLog {
  const correlator = createEventCorrelator(clock);
  // A Map keeps insertion order, and a repeated event is inserted again, so the first key is the oldest.
  const events = new Map<string, RecordedEvent>();
  const recordings = createEmitter<RecordedEvent>();
  let closed = false;
  return {
    event(object, type, reason, message, annotations) {
      if (closed) return;
      const correlated = correlator.correlate(object, type, reason, cut(message));
      if (correlated === undefined) return;
      const { key, combined, ...counted } = correlated;
      const recorded: RecordedEvent = {
        object,
        type,
        reason,
        ...counted,
        ...(combined && { combined }),
        ...(annotations && { annotations }),
        ...(events.delete(key) && { update: true }),
        lastMs: clock.now(),
      };
      events.set(key, recorded);
      if (events.size > capacity) events.delete(events.keys().next().value!);
      recordings.emit(recorded);
    },
    list: () => [...events.values()],
    events$: recordings.values$,
    close() {
      closed = true;
      recordings.complete();
    },
  };
}

/** Copies the beginning, so that the whole message does not stay in memory. */
function cut(message: string): string {
  if (message.length <= MAX_MESSAGE_LENGTH) return message;
  return `${Buffer.from(message.slice(0, MAX_MESSAGE_LENGTH)).toString()}…`;
}

/** Drops every event. */
export const noopEventRecorder: EventRecorder = { event: () => undefined };
