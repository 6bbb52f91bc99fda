import { createEventCorrelator, type EventObject, type EventType } from '@rxlet/component-base';
import { createVirtualClock } from '@rxlet/component-base/testing';
import type { Answer } from '../vector-kind.ts';

interface EventsVector {
  readonly input: readonly {
    readonly atMs: number;
    readonly object: string;
    readonly type: EventType;
    readonly reason: string;
    readonly message: string;
  }[];
  readonly want: readonly Sent[];
}

/** What is sent of an event, if anything. */
interface Sent {
  readonly skip: boolean;
  readonly count?: number;
  readonly message?: string;
  readonly update?: boolean;
}

/** A sequence of events about pods, and what is sent of each. */
export async function run({ input, want }: EventsVector): Promise<Answer> {
  const clock = createVirtualClock({ startMs: 0 });
  const correlator = createEventCorrelator(clock);
  const got: Sent[] = [];
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
