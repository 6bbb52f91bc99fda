import { type Clock, sleep } from '@rxlet/component-base';
import type { PodStatusUpdate, StatusSink } from '@rxlet/agent-api/statuses';
import { podUid } from '@rxlet/pod-model';

/** A sink for tests that records its calls. */
export interface FakeStatusSink extends StatusSink {
  /** Published updates, in the order in which the calls succeeded. */
  readonly published: readonly PodStatusUpdate[];
  /** Updates of all calls, failed ones included, in order. */
  readonly calls: readonly PodStatusUpdate[];
  /** Pod UIDs of the calls in flight. */
  readonly inFlight: readonly string[];
}

/** Behaviour of a {@link FakeStatusSink}. By default it succeeds at once. */
export interface FakeStatusSinkOptions {
  /** Duration of a call on the clock, in milliseconds. Default: 0. */
  readonly latencyMs?: ((update: PodStatusUpdate) => number) | undefined;
  /** Error with which a call fails after its latency; `undefined` for a call that succeeds. */
  readonly failure?: ((update: PodStatusUpdate) => Error | undefined) | undefined;
  /** Whether static pods need mirror pods. Default: false. */
  readonly needsMirrorPods?: boolean | undefined;
}

/** Creates a {@link FakeStatusSink}. */
export function createFakeStatusSink(clock: Clock, options: FakeStatusSinkOptions = {}): FakeStatusSink {
  const { latencyMs = () => 0, failure = () => undefined, needsMirrorPods = false } = options;
  const published: PodStatusUpdate[] = [];
  const calls: PodStatusUpdate[] = [];
  const inFlight: string[] = [];
  return {
    needsMirrorPods,
    published,
    calls,
    inFlight,
    async publish(update, signal) {
      const uid = podUid(update.pod);
      calls.push(update);
      inFlight.push(uid);
      try {
        const delayMs = latencyMs(update);
        if (delayMs > 0) await sleep(clock, delayMs, signal);
        const error = failure(update);
        if (error !== undefined) throw error;
        published.push(update);
      } finally {
        inFlight.splice(inFlight.indexOf(uid), 1);
      }
    },
  };
}
