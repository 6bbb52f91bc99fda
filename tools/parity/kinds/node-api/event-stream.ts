import type { NormalizedRequest } from './normalize.ts';

/** The requests about events of one object: the events in the order of their first occurrences, and how often each was repeated. */
export interface EventStream {
  readonly events: readonly NormalizedRequest[];
  /** By the message. */
  readonly repeats: Readonly<Record<string, number>>;
  /** Repeats whose count does not grow. It may skip numbers: too many events of an object are dropped. */
  readonly unexpected: readonly NormalizedRequest[];
}

interface Repeat {
  readonly count?: number;
  readonly message?: string;
}

/** Sorts the requests about events of an object. */
export function eventStream(requests: readonly NormalizedRequest[]): EventStream {
  const events: NormalizedRequest[] = [];
  const unexpected: NormalizedRequest[] = [];
  const counts = new Map<string, number>();
  for (const request of requests) {
    const { count, message = '' } = request.body as Repeat;
    if (request.method === 'POST') {
      events.push(request);
      counts.set(message, 1);
    } else {
      if ((count ?? 0) <= (counts.get(message) ?? Infinity)) unexpected.push(request);
      counts.set(message, count ?? 0);
    }
  }
  const repeats = [...counts].map(([message, count]) => [message, count - 1] as const);
  return { events, repeats: Object.fromEntries(repeats.filter(([, count]) => count > 0)), unexpected };
}

/** Part by which the numbers of repeats may differ: retries have random delays, and a recording ends at any time. */
const TOLERANCE = 0.2;

/** Returns the stream with the numbers of repeats of the other one, where they are nearly the same. */
export function withRepeatsOf(stream: EventStream, other: EventStream): EventStream {
  const repeats = Object.entries(stream.repeats).map(([message, count]) => {
    const expected = other.repeats[message] ?? 0;
    return [message, Math.abs(count - expected) <= Math.max(1, expected * TOLERANCE) ? expected : count] as const;
  });
  const missing = Object.entries(other.repeats).filter(
    ([message, count]) => count <= 1 && !(message in stream.repeats),
  );
  return { ...stream, repeats: Object.fromEntries([...repeats.filter(([, count]) => count > 0), ...missing]) };
}
