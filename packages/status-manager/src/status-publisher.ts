import {
  type Clock,
  createBackoff,
  createDeadlineQueue,
  createLifetime,
  errorMessage,
  type Logger,
  noopLogger,
} from '@rxlet/component-base';
import { formatPod, isTerminalPhase } from '@rxlet/pod-model';
import type { PodStatusUpdate, StatusSink } from './status-sink.ts';

/** Brings statuses to a sink that is slower than they change, and that fails now and then. */
export interface StatusPublisher extends AsyncDisposable {
  /** Hands over the latest status of a pod; an earlier one that was not published yet is dropped. */
  submit(update: PodStatusUpdate): void;
  /** Gives up on what was not published of a pod. A call under way is not stopped, but not repeated either. */
  forget(podUid: string): void;
  /** How many pods have a status that is not published yet. */
  readonly backlog: number;
}

/** What a {@link StatusPublisher} works with. */
export interface StatusPublisherPorts {
  readonly clock: Clock;
  readonly sink: StatusSink;
  readonly logger?: Logger | undefined;
}

/** Options of {@link createStatusPublisher}. */
export interface StatusPublisherOptions {
  /** Most calls of the sink at a time. Default: 8. */
  readonly maxConcurrentPublishes?: number | undefined;
  /** Delay before the first repetition of a failed call; it doubles from there. Default: 200. */
  readonly initialRetryDelayMs?: number | undefined;
  /** Longest such delay. Default: 10 000, the period of the kubelet's own full sync. */
  readonly maxRetryDelayMs?: number | undefined;
}

/**
 * Creates a {@link StatusPublisher}. Of each pod it holds at most the latest status and one call, so that the number of pods bounds it. Pods that
 * have ended go before all others: what waits for them (jobs, nodes being drained) waits for nothing else.
 */
export function createStatusPublisher(
  ports: StatusPublisherPorts,
  options: StatusPublisherOptions = {},
): StatusPublisher {
  const { clock, sink, logger = noopLogger } = ports;
  const { maxConcurrentPublishes = 8, initialRetryDelayMs = 200, maxRetryDelayMs = 10_000 } = options;
  const lifetime = createLifetime();
  const backoff = createBackoff({ initialMs: initialRetryDelayMs, maxMs: maxRetryDelayMs });
  /** The latest status of each pod that no call has been made with, or whose call failed. */
  const pending = new Map<string, PodStatusUpdate>();
  const inFlight = new Map<string, { forgotten: boolean }>();
  const backingOff = new Set<string>();
  const endedPods = new Set<string>();
  const otherPods = new Set<string>();
  const retries = createDeadlineQueue<string>(clock, (podUid) => {
    backingOff.delete(podUid);
    enqueue(podUid);
  });
  lifetime.defer(() => retries[Symbol.dispose]());

  const enqueue = (podUid: string): void => {
    const update = pending.get(podUid);
    if (update === undefined || inFlight.has(podUid) || backingOff.has(podUid)) return;
    if (isTerminalPhase(update.status.phase) || update.finished) {
      otherPods.delete(podUid);
      endedPods.add(podUid);
    } else if (!endedPods.has(podUid)) {
      otherPods.add(podUid);
    }
    pump();
  };
  const takeNext = (): PodStatusUpdate | undefined => {
    for (const queue of [endedPods, otherPods]) {
      for (const podUid of queue) {
        queue.delete(podUid);
        const update = pending.get(podUid);
        pending.delete(podUid);
        if (update !== undefined) return update;
      }
    }
    return undefined;
  };
  const pump = (): void => {
    while (inFlight.size < maxConcurrentPublishes && !lifetime.signal.aborted) {
      const update = takeNext();
      if (update === undefined) return;
      void lifetime.track(publish(update));
    }
  };
  const publish = async (update: PodStatusUpdate): Promise<void> => {
    const podUid = update.pod.metadata?.uid ?? '';
    const call = { forgotten: false };
    inFlight.set(podUid, call);
    try {
      await sink.publish(update, lifetime.signal);
      backoff.reset(podUid);
    } catch (error) {
      if (!lifetime.signal.aborted && !call.forgotten) retryLater(podUid, update, error);
    }
    inFlight.delete(podUid);
    enqueue(podUid);
    pump();
  };
  const retryLater = (podUid: string, update: PodStatusUpdate, error: unknown): void => {
    const delayMs = backoff.next(podUid, clock.monotonicNow());
    logger.warn('status could not be published, will be repeated', {
      pod: formatPod(update.pod),
      version: update.version,
      delayMs,
      error: errorMessage(error),
    });
    if (!pending.has(podUid)) pending.set(podUid, update);
    backingOff.add(podUid);
    retries.set(podUid, delayMs);
  };

  return {
    submit(update) {
      if (lifetime.signal.aborted) return;
      const podUid = update.pod.metadata?.uid ?? '';
      pending.set(podUid, update);
      enqueue(podUid);
    },
    forget(podUid) {
      pending.delete(podUid);
      endedPods.delete(podUid);
      otherPods.delete(podUid);
      retries.delete(podUid);
      backingOff.delete(podUid);
      backoff.reset(podUid);
      const call = inFlight.get(podUid);
      if (call !== undefined) call.forgotten = true;
    },
    get backlog() {
      return new Set([...pending.keys(), ...inFlight.keys()]).size;
    },
    [Symbol.asyncDispose]: () => lifetime[Symbol.asyncDispose](),
  };
}
