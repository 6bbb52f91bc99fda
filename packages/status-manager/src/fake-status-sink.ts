import { type Clock, sleep } from '@rxlet/component-base';
import type { PodStatusUpdate, StatusSink } from './status-sink.ts';

/** A sink for tests that keeps what it is given. */
export interface FakeStatusSink extends StatusSink {
  /** What was published, in the order in which the calls succeeded. */
  readonly published: readonly PodStatusUpdate[];
  /** All calls that were made, failed ones among them, in their order. */
  readonly calls: readonly PodStatusUpdate[];
  /** Calls under way, by pod UID. */
  readonly inFlight: readonly string[];
}

/** How a {@link FakeStatusSink} behaves; by default it succeeds at once. */
export interface FakeStatusSinkOptions {
  /** How long a call takes on the clock, in milliseconds. Default: 0. */
  readonly latencyMs?: ((update: PodStatusUpdate) => number) | undefined;
  /** The error with which a call fails, after its latency; undefined for one that succeeds. */
  readonly failure?: ((update: PodStatusUpdate) => Error | undefined) | undefined;
}

/** Creates a {@link FakeStatusSink}. */
export function createFakeStatusSink(clock: Clock, options: FakeStatusSinkOptions = {}): FakeStatusSink {
  const { latencyMs = () => 0, failure = () => undefined } = options;
  const published: PodStatusUpdate[] = [];
  const calls: PodStatusUpdate[] = [];
  const inFlight: string[] = [];
  return {
    published,
    calls,
    inFlight,
    async publish(update, signal) {
      const podUid = update.pod.metadata?.uid ?? '';
      calls.push(update);
      inFlight.push(podUid);
      try {
        const delayMs = latencyMs(update);
        if (delayMs > 0) await sleep(clock, delayMs, signal);
        const error = failure(update);
        if (error !== undefined) throw error;
        published.push(update);
      } finally {
        inFlight.splice(inFlight.indexOf(podUid), 1);
      }
    },
  };
}
