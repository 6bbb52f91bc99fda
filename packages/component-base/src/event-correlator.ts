import { createHash } from 'node:crypto';
import type { Clock } from './clock.ts';
import type { EventObject, EventType } from './events.ts';
import { createLruMap } from './lru-map.ts';
import { createRateLimiter, type RateLimiter } from './rate-limiter.ts';

/** What becomes of one occurrence of an event. */
export interface CorrelatedEvent {
  /** The same for all occurrences that are one event to its readers. */
  readonly key: string;
  /** The latest occurrence's; a combined event's says that it is one. */
  readonly message: string;
  /** Whether it stands for similar events, which differ in their messages only. */
  readonly combined: boolean;
  /** How often it occurred. Above 1, it is an update of an event that there is already. */
  readonly count: number;
  /** First occurrence, epoch milliseconds. */
  readonly firstMs: number;
}

/** Keeps one object's events from flooding whoever reads or stores them. */
export interface EventCorrelator {
  /** Takes one occurrence. @returns undefined when it is dropped, because there are too many of its object. */
  correlate(object: EventObject, type: EventType, reason: string, message: string): CorrelatedEvent | undefined;
}

/** So many different messages of one kind, and they are combined to one event. */
const COMBINED_FROM = 10;
/** Messages count as similar as long as no pause between two is longer. */
const SIMILAR_WITHIN_MS = 600_000;
/** Of one type (`Normal`, `Warning`) and one object: so many events at once, and then one in five minutes. */
const SPAM_BURST = 25;
/** A kubelet has this figure in 32 bits, a hair above 1/300: a token is there after 300 s, and not a rounding error later. */
const SPAM_PER_SECOND = Math.fround(1 / 300);
/** Longer messages are remembered by a digest, as thousands of them, of 10 KiB each when they are a probe's output, are a lot of memory. */
const MAX_REMEMBERED_MESSAGE = 256;
/** How many objects, kinds of events and single events are remembered. */
const MAX_REMEMBERED = 4096;

/** Events of one object, type and reason. */
interface SimilarEvents {
  /** The latest different messages, as they are remembered; fewer than {@link COMBINED_FROM}. */
  readonly messages: Set<string>;
  lastMs: number;
}

interface Occurrences {
  readonly count: number;
  readonly firstMs: number;
}

/**
 * Creates an {@link EventCorrelator} with the rules of a kubelet's event recorder (client-go): first, events that differ in their message only are
 * combined to one, `(combined from similar events): …`, from the tenth message on until there was none for ten minutes; then equal ones are counted; then
 * those of an object that has had too many are dropped. What is dropped was counted all the same.
 */
export function createEventCorrelator(clock: Pick<Clock, 'now' | 'monotonicNow'>): EventCorrelator {
  const similarEvents = createLruMap<SimilarEvents>(MAX_REMEMBERED);
  const occurrences = createLruMap<Occurrences>(MAX_REMEMBERED);
  const spamLimits = createLruMap<RateLimiter>(MAX_REMEMBERED);

  const isOneTooMany = (key: string, message: string): boolean => {
    const nowMs = clock.monotonicNow();
    let similar = similarEvents.get(key);
    if (similar === undefined || nowMs - similar.lastMs > SIMILAR_WITHIN_MS) {
      similar = { messages: new Set(), lastMs: nowMs };
      similarEvents.set(key, similar);
    }
    similar.messages.add(message);
    similar.lastMs = nowMs;
    if (similar.messages.size < COMBINED_FROM) return false;
    forgetOne(similar.messages);
    return true;
  };

  return {
    correlate(object, type, reason, message) {
      const { kind, namespace, name, uid, apiVersion, fieldPath } = object;
      const objectAndType = [kind, namespace, name, uid, apiVersion, type];
      // Similar events may be about different parts of an object, such as its containers.
      const similarKey = JSON.stringify([...objectAndType, reason]);
      const remembered = memorable(message);
      const combined = isOneTooMany(similarKey, remembered);

      const key = combined ? similarKey : JSON.stringify([...objectAndType, reason, fieldPath, remembered]);
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

function memorable(message: string): string {
  if (message.length <= MAX_REMEMBERED_MESSAGE) return message;
  return `${String(message.length)} characters: ${createHash('sha256').update(message).digest('base64')}`;
}

/**
 * A message that is forgotten here counts as a different one when it comes again. A kubelet forgets any of them, by chance. The newest is likely to come
 * again soon, and the oldest says how it began, so it is the second oldest here.
 */
function forgetOne(messages: Set<string>): void {
  const [, second] = messages;
  messages.delete(second!);
}
