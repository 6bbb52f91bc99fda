import { isKubeError, type KubeClient } from '@rxlet/kube-api/client';
import {
  type Clock,
  createLifetime,
  createLruMap,
  errorMessage,
  type Logger,
  nowNanos,
  type Random,
  sleep,
} from '@rxlet/component-base';
import type { RecordedEvent } from '@rxlet/component-base/events';
import { resources } from '@rxlet/kube-api/resources';
import { eventKey, eventPatch, type EventReporter, toApiEvent } from './api-event.ts';

/** Ports of {@link createApiEventSink}. */
export interface ApiEventSinkPorts {
  readonly client: Pick<KubeClient, 'create' | 'patch'>;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
}

/** Writes events to an API server, in order and one at a time. */
export interface ApiEventSink extends AsyncDisposable {
  /** Queues an event. Never throws and never waits. */
  write(event: RecordedEvent): void;
  /** Number of events that are not written yet. */
  readonly backlog: number;
}

/** Bound of the queue. New events are dropped while it is full, as by client-go. */
const MAX_QUEUED = 1000;
/** Objects whose names are kept, to update them: as many as the correlator knows. */
const MAX_KNOWN = 4096;
const RETRY_MS = 10_000;
const MAX_ATTEMPTS = 12;

/** Identity of an Event object. */
interface WrittenEvent {
  readonly name: string;
  readonly namespace: string | undefined;
}

/**
 * Creates an {@link ApiEventSink} with the rules of client-go: an unreachable API server is tried again every ten seconds, and everything else waits; an event that
 * the API server rejects is dropped.
 */
export function createApiEventSink(ports: ApiEventSinkPorts, reporter: EventReporter): ApiEventSink {
  const { client, clock, random, logger } = ports;
  const lifetime = createLifetime();
  const { signal } = lifetime;
  const queue: RecordedEvent[] = [];
  const written = createLruMap<WrittenEvent>(MAX_KNOWN);
  let lastNanos = 0n;
  let working = false;

  /** Returns digits that no earlier event of this agent has. */
  const nextSuffix = (): string => {
    const nanos = nowNanos(clock);
    lastNanos = nanos > lastNanos ? nanos : lastNanos + 1n;
    return lastNanos.toString(16);
  };
  /** @param suffix returns the digits of the event's name, the same for each attempt */
  const send = async (event: RecordedEvent, suffix: () => string): Promise<void> => {
    const key = eventKey(event);
    const earlier = written.get(key);
    if (earlier !== undefined && event.update === true) {
      try {
        await client.patch(resources.events, earlier, { type: 'strategic', body: eventPatch(event) }, { signal });
        return;
      } catch (error) {
        // Events live for an hour only.
        if (!isKubeError(error, 'NotFound')) throw error;
      }
    }
    const object = toApiEvent(event, suffix(), reporter);
    try {
      await client.create(resources.events, object, { signal });
    } catch (error) {
      // The name is of this event alone: an earlier attempt created it, and its answer was lost.
      if (!isKubeError(error, 'AlreadyExists')) throw error;
    }
    written.set(key, { name: object.metadata?.name ?? '', namespace: object.metadata?.namespace });
  };
  const deliver = async (event: RecordedEvent): Promise<void> => {
    let digits: string | undefined;
    const suffix = (): string => (digits ??= nextSuffix());
    for (let attempt = 1; ; attempt += 1) {
      try {
        await send(event, suffix);
        return;
      } catch (error) {
        signal.throwIfAborted();
        const isAnswered = isKubeError(error) && error.code !== undefined;
        if (isAnswered || attempt === MAX_ATTEMPTS) {
          // A namespace that is being deleted rejects events about its pods: that is its normal end.
          const { object, reason } = event;
          logger.warn('cannot write an event, it is dropped', {
            object: object.name,
            reason,
            error: errorMessage(error),
          });
          return;
        }
        // Nodes that lost the API server together must not come back together.
        await sleep(clock, attempt === 1 ? random.next() * RETRY_MS : RETRY_MS, signal);
      }
    }
  };
  const work = async (): Promise<void> => {
    working = true;
    for (let event = queue[0]; event !== undefined; event = queue[0]) {
      await deliver(event);
      queue.shift();
    }
    working = false;
  };

  return {
    write(event) {
      if (signal.aborted) return;
      if (queue.length >= MAX_QUEUED) {
        logger.warn('too many events wait for the API server, one is dropped', { reason: event.reason });
        return;
      }
      queue.push(event);
      if (!working) void lifetime.track(work()).catch(() => undefined);
    },
    get backlog() {
      return queue.length;
    },
    [Symbol.asyncDispose]: () => lifetime[Symbol.asyncDispose](),
  };
}
