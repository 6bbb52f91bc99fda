import { createHash } from 'node:crypto';
import type { Clock } from './clock.ts';
import type { EventObject, EventType } from './event-types.ts';
import { createLruMap } from './lru-map.ts';
import { createRateLimiter, type RateLimiter } from './rate-limiter.ts';

/** Result of one occurrence of an event. */
export interface CorrelatedEvent {
  /** Identity of the event: equal for all occurrences that readers see as one event. */
  readonly key: string;
  /** Message of the latest occurrence; for a combined event it starts with `(combined from similar events): `. */
  readonly message: string;
  /** Whether the event combines similar events, which differ only in their messages. */
  readonly combined: boolean;
  /** Number of occurrences. Above 1, the event updates an earlier one. */
  readonly count: number;
  /** First occurrence, epoch milliseconds. */
  readonly firstMs: number;
}

/** Combines, counts and limits the events of each object. */
export interface EventCorrelator {
  /** Correlates one occurrence. @returns `undefined` when it is dropped because its object has too many events */
  correlate(object: EventObject, type: EventType, reason: string, message: string): CorrelatedEvent | undefined;
}

/** Options of {@link createEventCorrelator}. */
export interface EventCorrelatorOptions {
  /**
   * Chooses the message that similar events drop when they exceed their limit of distinct messages. A dropped message counts as new when it occurs again. client-go
   * drops a random one. Default: the oldest.
   */
  readonly chooseDropped?: ((messages: ReadonlySet<string>) => string) | undefined;
}

/** Number of distinct messages from which similar events are combined. */
const COMBINED_FROM = 10;
/** Longest pause between two messages that count as similar. */
const SIMILAR_WITHIN_MS = 600_000;
/** Burst of events of one type (`Normal`, `Warning`) and one object; after it, one in five minutes. */
const SPAM_BURST = 25;
/** client-go has this rate in 32 bits, slightly above 1/300, so that rounding does not delay a token beyond 300 s. */
const SPAM_PER_SECOND = Math.fround(1 / 300);
/** Longer messages are compared by a digest: thousands of probe outputs of 10 KiB would take much memory. */
const MAX_MESSAGE_KEY_LENGTH = 256;
/** Capacity for objects, for kinds of events, and for single events. */
const MAX_ENTRIES = 4096;

/** Events of one object, type and reason. */
interface SimilarEvents {
  /** Distinct message keys in order; fewer than {@link COMBINED_FROM}. */
  readonly messages: Set<string>;
  lastMs: number;
}

interface Occurrences {
  readonly count: number;
  readonly firstMs: number;
}

/**
 * Creates an {@link EventCorrelator} with the rules of the kubelet's event recorder (client-go):
 *
 * 1. Events that differ only in their message are combined to `(combined from similar events): …`, from the tenth message on until ten minutes pass without one.
 * 2. Equal events are counted.
 * 3. Events of an object with too many events are dropped. Dropped events are counted too.
 */
export function createEventCorrelator(
  clock: Pick<Clock, 'now' | 'monotonicNow'>,
  options: EventCorrelatorOptions = {},
): EventCorrelator {
  const { chooseDropped = oldest } = options;
  const similarEvents = createLruMap<SimilarEvents>(MAX_ENTRIES);
  const occurrences = createLruMap<Occurrences>(MAX_ENTRIES);
  const spamLimits = createLruMap<RateLimiter>(MAX_ENTRIES);

  const exceedsLimit = (key: string, message: string): boolean => {
    const nowMs = clock.monotonicNow();
    let similar = similarEvents.get(key);
    if (similar === undefined || nowMs - similar.lastMs > SIMILAR_WITHIN_MS) {
      similar = { messages: new Set(), lastMs: nowMs };
      similarEvents.set(key, similar);
    }
    similar.messages.add(message);
    similar.lastMs = nowMs;
    if (similar.messages.size < COMBINED_FROM) return false;
    similar.messages.delete(chooseDropped(similar.messages));
    return true;
  };

  return {
    correlate(object, type, reason, message) {
      const { kind, namespace, name, uid, apiVersion, fieldPath } = object;
      const objectAndType = [kind, namespace, name, uid, apiVersion, type];
      // Similar events may be about different parts of an object, such as its containers.
      const similarKey = JSON.stringify([...objectAndType, reason]);
      const messageId = messageKey(message);
      const combined = exceedsLimit(similarKey, messageId);

      const key = combined ? similarKey : JSON.stringify([...objectAndType, reason, fieldPath, messageId]);
      const earlier = occurrences.get(key);
      const { count, firstMs } = { count: (earlier?.count ?? 0) + 1, firstMs: earlier?.firstMs ?? clock.now() };
      occurrences.set(key, { count, firstMs });

      const spamKey = JSON.stringify(objectAndType);
      const limit = spamLimits.get(spamKey) ?? createRateLimiter(clock, SPAM_PER_SECOND, SPAM_BURST);
      spamLimits.set(spamKey, limit);
      if (!limit.tryAcquire()) return undefined;
      return {
        key,
        message: combined ? `(combined from similar events): ${message}` : message,
        combined,
        count,
        firstMs,
      };
    },
  };
}

function messageKey(message: string): string {
  if (message.length <= MAX_MESSAGE_KEY_LENGTH) return message;
  return `${String(message.length)} characters: ${createHash('sha256').update(message).digest('base64')}`;
}

function oldest(messages: ReadonlySet<string>): string {
  const [first] = messages;
  return first!;
}
