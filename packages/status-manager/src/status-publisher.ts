import {
  type Clock,
  createBackoff,
  createDeadlineQueue,
  createLifetime,
  errorMessage,
  type Logger,
  noopLogger,
  withDeadline,
} from '@rxlet/component-base';
import { formatPod, isTerminalPhase } from '@rxlet/pod-model';
import type { PodStatusUpdate, StatusSink } from './status-sink.ts';

/** Brings statuses to a sink that is slower than they change, that fails now and then, and that may hang. */
export interface StatusPublisher extends AsyncDisposable {
  /**
   * Hands over the latest status of a pod; an earlier one that was not published yet is dropped.
   *
   * @param urgent whether it must not wait for others to come
   */
  submit(update: PodStatusUpdate, urgent: boolean): void;
  /** Gives up on what was not published of a pod. A call under way is not stopped, but not repeated either. */
  forget(podUid: string): void;
  /** How many pods have a status that is not published yet. */
  readonly backlog: number;
}

/** What a {@link StatusPublisher} works with. */
export interface StatusPublisherPorts {
  readonly clock: Clock;
  readonly sink: StatusSink;
  /** Told of each status that the sink has taken, and how long its first unpublished change had waited. */
  readonly onPublished?: ((update: PodStatusUpdate, waitedMs: number) => void) | undefined;
  readonly logger?: Logger | undefined;
}

/** Options of {@link createStatusPublisher}. */
export interface StatusPublisherOptions {
  /** How long a change that is not urgent waits for others of its pod. Default: 1000, the kubelet's tick. */
  readonly coalesceMs?: number | undefined;
  /** Most calls of the sink at a time, those not counted that are {@link slowCallMs} old. Default: 8. */
  readonly maxConcurrentPublishes?: number | undefined;
  /** After how long a call makes room for those of other pods, so that one that hangs delays only its own. Default: 2000. */
  readonly slowCallMs?: number | undefined;
  /** After how long a call has failed. Default: 30 000. */
  readonly publishTimeoutMs?: number | undefined;
  /** Delay before the first repetition of a failed call; it doubles from there. Default: 200. */
  readonly initialRetryDelayMs?: number | undefined;
  /** Longest such delay. Default: 10 000, the period of the kubelet's own full sync. */
  readonly maxRetryDelayMs?: number | undefined;
  /** How long disposal waits for what is not published yet. Default: 2000. */
  readonly flushTimeoutMs?: number | undefined;
}

/** A status that is not published yet, and since when its pod has changes that are not. */
interface Unpublished {
  readonly update: PodStatusUpdate;
  readonly sinceMs: number;
}

interface Pending extends Unpublished {
  /** It waits for no others of its pod: something in it is urgent, or has waited long enough. */
  readonly due: boolean;
}

interface Call extends Unpublished {
  /** The pod was forgotten meanwhile. */
  forgotten: boolean;
  /** It counts as one of those that the limit allows. */
  holdsSlot: boolean;
}

/**
 * Creates a {@link StatusPublisher}. Of each pod it holds at most the latest status and one call, so that the number of pods bounds it. Pods that
 * have ended go before all others: what waits for them (jobs, nodes being drained) waits for nothing else. Disposing it publishes what is left, once
 * each, for as long as it is given.
 */
export function createStatusPublisher(
  ports: StatusPublisherPorts,
  options: StatusPublisherOptions = {},
): StatusPublisher {
  const { clock, sink, onPublished, logger = noopLogger } = ports;
  const { coalesceMs = 1000, maxConcurrentPublishes = 8, slowCallMs = 2000, publishTimeoutMs = 30_000 } = options;
  const { initialRetryDelayMs = 200, maxRetryDelayMs = 10_000, flushTimeoutMs = 2000 } = options;
  const lifetime = createLifetime();
  const backoff = createBackoff({ initialMs: initialRetryDelayMs, maxMs: maxRetryDelayMs });
  /** The latest status of each pod that no call has been made with, or whose call failed. */
  const pending = new Map<string, Pending>();
  const inFlight = new Map<string, Call>();
  /** Why a pod's status waits: for the end of its delay after a failure, or for others to come. */
  const waiting = new Map<string, 'retry' | 'others'>();
  const endedPods = new Set<string>();
  const otherPods = new Set<string>();
  let closing = false;
  let becameIdle: (() => void) | undefined;
  let disposal: Promise<void> | undefined;

  const delays = createDeadlineQueue<string>(clock, (podUid) => {
    waiting.delete(podUid);
    const waited = pending.get(podUid);
    if (waited !== undefined) pending.set(podUid, { ...waited, due: true });
    enqueue(podUid);
  });
  const slowCalls = createDeadlineQueue<Call>(clock, (call) => {
    call.holdsSlot = false;
    pump();
  });
  lifetime.defer(() => {
    delays[Symbol.dispose]();
    slowCalls[Symbol.dispose]();
  });

  const wait = (podUid: string, reason: 'retry' | 'others', delayMs: number): void => {
    waiting.set(podUid, reason);
    delays.set(podUid, delayMs);
  };
  const stopWaiting = (podUid: string): void => {
    waiting.delete(podUid);
    delays.delete(podUid);
  };
  const enqueue = (podUid: string): void => {
    const update = pending.get(podUid)?.update;
    if (update === undefined || inFlight.has(podUid) || waiting.has(podUid)) return;
    if (isTerminalPhase(update.status.phase) || update.finished) {
      otherPods.delete(podUid);
      endedPods.add(podUid);
    } else if (!endedPods.has(podUid)) {
      otherPods.add(podUid);
    }
    pump();
  };
  const takeNext = (): Unpublished | undefined => {
    for (const queue of [endedPods, otherPods]) {
      for (const podUid of queue) {
        queue.delete(podUid);
        const next = pending.get(podUid);
        pending.delete(podUid);
        if (next !== undefined) return next;
      }
    }
    return undefined;
  };
  const slotsInUse = (): number => [...inFlight.values()].filter(({ holdsSlot }) => holdsSlot).length;
  const pump = (): void => {
    while (slotsInUse() < maxConcurrentPublishes && !lifetime.signal.aborted) {
      const next = takeNext();
      if (next === undefined) break;
      void lifetime.track(publish(next));
    }
    if (pending.size === 0 && inFlight.size === 0) becameIdle?.();
  };
  const publish = async ({ update, sinceMs }: Unpublished): Promise<void> => {
    const podUid = uidOf(update);
    const call: Call = { update, sinceMs, forgotten: false, holdsSlot: true };
    inFlight.set(podUid, call);
    slowCalls.set(call, slowCallMs);
    try {
      await withDeadline(clock, publishTimeoutMs, lifetime.signal, (signal) => sink.publish(update, signal));
      backoff.reset(podUid);
      if (!call.forgotten) onPublished?.(update, clock.monotonicNow() - sinceMs);
    } catch (error) {
      if (!lifetime.signal.aborted && !call.forgotten) retryLater(podUid, call, error);
    }
    slowCalls.delete(call);
    inFlight.delete(podUid);
    enqueue(podUid);
    pump();
  };
  const retryLater = (podUid: string, { update, sinceMs }: Call, error: unknown): void => {
    const delayMs = backoff.next(podUid, clock.monotonicNow());
    logger.warn(closing ? 'status could not be published' : 'status could not be published, will be repeated', {
      pod: formatPod(update.pod),
      version: update.version,
      ...(!closing && { delayMs }),
      error: errorMessage(error),
    });
    if (closing) return;
    pending.set(podUid, { update: pending.get(podUid)?.update ?? update, sinceMs, due: true });
    wait(podUid, 'retry', delayMs);
  };

  /** Publishes what is left, without delays and repetitions. */
  const flush = async (): Promise<void> => {
    closing = true;
    for (const podUid of [...pending.keys()]) {
      stopWaiting(podUid);
      enqueue(podUid);
    }
    if (pending.size === 0 && inFlight.size === 0) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    becameIdle = resolve;
    const deadline = clock.setTimer(flushTimeoutMs, () => {
      const pods = [...pending.values(), ...inFlight.values()].map(({ update }) => formatPod(update.pod));
      logger.warn('statuses could not be published before the end', { pods });
      resolve();
    });
    await promise;
    deadline[Symbol.dispose]();
  };

  return {
    submit(update, urgent) {
      if (closing) return;
      const podUid = uidOf(update);
      const before = pending.get(podUid);
      const due = urgent || before?.due === true;
      pending.set(podUid, { update, sinceMs: before?.sinceMs ?? clock.monotonicNow(), due });
      const reason = waiting.get(podUid);
      if (reason === 'retry') return;
      if (due) {
        stopWaiting(podUid);
        enqueue(podUid);
      } else if (reason === undefined) {
        wait(podUid, 'others', coalesceMs);
      }
    },
    forget(podUid) {
      pending.delete(podUid);
      endedPods.delete(podUid);
      otherPods.delete(podUid);
      stopWaiting(podUid);
      backoff.reset(podUid);
      const call = inFlight.get(podUid);
      if (call !== undefined) call.forgotten = true;
    },
    get backlog() {
      return new Set([...pending.keys(), ...inFlight.keys()]).size;
    },
    [Symbol.asyncDispose]: () => (disposal ??= flush().then(() => lifetime[Symbol.asyncDispose]())),
  };
}

function uidOf({ pod }: PodStatusUpdate): string {
  return pod.metadata?.uid ?? '';
}
