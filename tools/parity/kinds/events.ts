import { createEventCorrelator, type EventObject } from '@rxlet/component-base/events';
import { createVirtualClock } from '@rxlet/component-base/testing';
import type { Answer } from '../vector-kind.ts';
import { findForgotten } from './forgotten-messages.ts';
import type { Occurrence, Sent } from './event-occurrence.ts';

interface EventsVector {
  readonly input: readonly Occurrence[];
  readonly want: readonly Sent[];
}

/**
 * Runs a sequence of events about pods and returns the sent events. client-go drops a random one of too many messages, so that the recorded answer is one of
 * several: the package gets the choices that lead to it, if there are any.
 */
export async function run({ input, want }: EventsVector): Promise<Answer> {
  const clock = createVirtualClock({ startMs: 0 });
  const choices = findForgotten(input, want);
  const got: Sent[] = [];
  const correlator = createEventCorrelator(clock, {
    chooseDropped: (messages) => [...messages][choices.get(got.length) ?? 0]!,
  });
  for (const { atMs, object, type, reason, message } of input) {
    await clock.advance(atMs - clock.now());
    const sent = correlator.correlate(podNamed(object), type, reason, message);
    got.push(
      sent === undefined
        ? { skip: true }
        : { skip: false, count: sent.count, message: sent.message, ...(sent.count > 1 && { update: true }) },
    );
  }
  return { got, want };
}

function podNamed(name: string): EventObject {
  return { apiVersion: 'v1', kind: 'Pod', namespace: 'ns', name, uid: name };
}
