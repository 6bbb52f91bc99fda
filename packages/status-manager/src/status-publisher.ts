import type { PodStatusUpdate } from '@rxlet/agent-api/statuses';
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
import { formatPod, isTerminalPhase, podUid } from '@rxlet/pod-model';
import { isRejection } from './is-rejection.ts';

/** Publishes statuses to a slow and unreliable destination. */
export interface StatusPublisher extends AsyncDisposable {
  /**
   * Queues the latest status of a pod in place of an earlier unpublished one.
   *
   * @param urgent whether the status must not wait for further changes of the pod
   */
  submit(update: PodStatusUpdate, urgent: boolean): void;
  /** Drops the unpublished status of a pod. A call in flight continues, but is not retried. */
  forget(podUid: string): void;
  /** Reports whether the latest submitted status of a pod is not published yet. */
  isUnpublished(podUid: string): boolean;
  /** Number of pods with an unpublished status. */
  readonly backlog: number;
}

/** Ports of {@link createStatusPublisher}. */
export interface StatusPublisherPorts {
  readonly clock: Clock;
  /** Publishes a status and returns it as published; `undefined` when there was nothing to publish. Calls for one pod never overlap. */
  publish(update: PodStatusUpdate, signal: AbortSignal): Promise<PodStatusUpdate | undefined>;
  /** Called with each published status and the waiting time of its first unpublished change. */
  readonly onPublished?: ((published: PodStatusUpdate, waitedMs: number) => void) | undefined;
  readonly logger?: Logger | undefined;
}

/** Options of {@link createStatusPublisher}. */
export interface StatusPublisherOptions {
  /** Time in which changes of a pod that are not urgent are merged. Default: 0, as in the kubelet. Changes during a call are merged in any case. */
  readonly coalesceMs?: number | undefined;
  /** Maximum number of concurrent calls, without those older than {@link slowCallMs}. Default: 8. */
  readonly maxConcurrentPublishes?: number | undefined;
  /** Age at which a call no longer counts towards the limit, so that a hanging call delays only its own pod. Default: 2000. */
  readonly slowCallMs?: number | undefined;
  /** Timeout of a call. Default: 30 000. */
  readonly publishTimeoutMs?: number | undefined;
  /** Delay before the first retry of a failed call; it doubles with each further retry. Default: 200. */
  readonly initialRetryDelayMs?: number | undefined;
  /** Maximum delay of a retry. Default: 10 000, the period of the kubelet's full sync. */
  readonly maxRetryDelayMs?: number | undefined;
  /** Time that disposal waits for unpublished statuses. Default: 2000. */
  readonly flushTimeoutMs?: number | undefined;
}

/** An unpublished status. */
interface Unpublished {
  readonly update: PodStatusUpdate;
  /** Time of the first unpublished change of the pod. */
  readonly sinceMs: number;
}

interface Pending extends Unpublished {
  /** Whether the status is due, because it is urgent or has waited long enough. */
  readonly due: boolean;
}

interface Call extends Unpublished {
  /** Whether the pod was forgotten during the call. */
  forgotten: boolean;
  /** Whether the call counts towards the limit. */
  holdsSlot: boolean;
}

/**
 * Creates a {@link StatusPublisher}. It holds at most the latest status and one call of each pod. Pods in a terminal phase go first, because jobs and node drains
 * wait for them, and rejected pods last, because there may be thousands. Disposal publishes the remaining statuses, once each, within `flushTimeoutMs`.
 */
export function createStatusPublisher(
  ports: StatusPublisherPorts,
  options: StatusPublisherOptions = {},
): StatusPublisher {
  const { clock, onPublished, logger = noopLogger } = ports;
  const { coalesceMs = 0, maxConcurrentPublishes = 8, slowCallMs = 2000, publishTimeoutMs = 30_000 } = options;
  const { initialRetryDelayMs = 200, maxRetryDelayMs = 10_000, flushTimeoutMs = 2000 } = options;
  const lifetime = createLifetime();
  const backoff = createBackoff({ initialMs: initialRetryDelayMs, maxMs: maxRetryDelayMs });
  /** Latest status of each pod without a call, or with a failed call. */
  const pending = new Map<string, Pending>();
  const inFlight = new Map<string, Call>();
  /** Reason why the status of a pod waits: back-off after a failure, or further changes. */
  const waiting = new Map<string, 'retry' | 'changes'>();
  const endedPods = new Set<string>();
  const otherPods = new Set<string>();
  const rejectedPods = new Set<string>();
  const queues = [endedPods, otherPods, rejectedPods];
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

  const wait = (podUid: string, reason: 'retry' | 'changes', delayMs: number): void => {
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
    const queue = queueOf(update);
    // A pod that was queued with an earlier status keeps its better place.
    for (const later of queues.slice(queues.indexOf(queue) + 1)) later.delete(podUid);
    if (!queues.some((one) => one.has(podUid))) queue.add(podUid);
    pump();
  };
  const queueOf = ({ status, finished }: PodStatusUpdate): Set<string> => {
    if (finished) return endedPods;
    if (isRejection(status)) return rejectedPods;
    return isTerminalPhase(status.phase) ? endedPods : otherPods;
  };
  const takeNext = (): Unpublished | undefined => {
    for (const queue of queues) {
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
    const uid = podUid(update.pod);
    const call: Call = { update, sinceMs, forgotten: false, holdsSlot: true };
    inFlight.set(uid, call);
    slowCalls.set(call, slowCallMs);
    try {
      const published = await withDeadline(clock, publishTimeoutMs, lifetime.signal, (signal) =>
        ports.publish(update, signal),
      );
      backoff.reset(uid);
      if (!call.forgotten && published !== undefined) onPublished?.(published, clock.monotonicNow() - sinceMs);
    } catch (error) {
      if (!lifetime.signal.aborted && !call.forgotten) retryLater(uid, call, error);
    }
    slowCalls.delete(call);
    inFlight.delete(uid);
    enqueue(uid);
    pump();
  };
  const retryLater = (podUid: string, { update, sinceMs }: Call, error: unknown): void => {
    const delayMs = backoff.next(podUid, clock.monotonicNow());
    logger.warn(closing ? 'cannot publish a pod status' : 'cannot publish a pod status, will retry', {
      pod: formatPod(update.pod),
      version: update.version,
      ...(!closing && { delayMs }),
      error: errorMessage(error),
    });
    if (closing) return;
    pending.set(podUid, { update: pending.get(podUid)?.update ?? update, sinceMs, due: true });
    wait(podUid, 'retry', delayMs);
  };

  /** Publishes the remaining statuses without delays and retries. */
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
      logger.warn('cannot publish pod statuses in time before the agent stops', { pods });
      resolve();
    });
    await promise;
    deadline[Symbol.dispose]();
  };

  return {
    submit(update, urgent) {
      if (closing) return;
      const uid = podUid(update.pod);
      const before = pending.get(uid);
      const due = urgent || coalesceMs === 0 || before?.due === true;
      pending.set(uid, { update, sinceMs: before?.sinceMs ?? clock.monotonicNow(), due });
      const reason = waiting.get(uid);
      if (reason === 'retry') return;
      if (due) {
        stopWaiting(uid);
        enqueue(uid);
      } else if (reason === undefined) {
        wait(uid, 'changes', coalesceMs);
      }
    },
    forget(podUid) {
      pending.delete(podUid);
      for (const queue of queues) queue.delete(podUid);
      stopWaiting(podUid);
      backoff.reset(podUid);
      const call = inFlight.get(podUid);
      if (call !== undefined) call.forgotten = true;
    },
    isUnpublished: (podUid) => pending.has(podUid) || inFlight.has(podUid),
    get backlog() {
      return new Set([...pending.keys(), ...inFlight.keys()]).size;
    },
    [Symbol.asyncDispose]: () => (disposal ??= flush().then(() => lifetime[Symbol.asyncDispose]())),
  };
}
