import { type AdmissionHandler, type AdmissionRejection, type OtherPods, otherPods } from '@rxlet/agent-api';
import { atEndOfTurn, type Clock, createLifetime, errorMessage, type Logger, sleep } from '@rxlet/component-base';
import { inSpan, type Journal } from '@rxlet/agent-api/journal';
import type { Pod } from '@rxlet/kube-api';
import { formatPod, podFullName, podUid } from '@rxlet/pod-model';
import { admitPod, isAdmittedAsIs } from './admission.ts';

/** Ports of {@link createAdmissionQueue}. */
export interface AdmissionQueuePorts {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly handlers: readonly AdmissionHandler[];
  readonly journal: Journal;
  /** Pods in the queue, by UID, for other parts to read. */
  readonly waiting: Map<string, WaitingPod>;
  /** Returns the pods on the node other than the one with this UID. */
  otherPods(podUid: string): OtherPods;
  /** Reports whether a container or sandbox of the pod runs, as of one that an earlier run of the agent has admitted. */
  isRunning(podUid: string): boolean;
  /** Called with the decision on each pod that was not removed before. `pod` is the latest version, and `judged` that on which the handlers have decided. */
  decided(pod: Pod, rejection: AdmissionRejection | undefined, judged: Pod): void;
}

/**
 * Pods that wait for their admission. Decisions are made one at a time, in order of arrival, because each depends on the pods that were admitted before. The sync
 * loop is not blocked, not even by the preemption of pods for a critical one. Bounded by the number of desired pods.
 *
 * A slow decision does not block pods that need none and fit on the node beside the pending pod: they are admitted first. All others keep their place.
 */
export interface AdmissionQueue extends AsyncDisposable {
  /** Adds a pod, or replaces the version of a waiting one, which keeps its place. @throws TypeError when the pod has no UID */
  add(pod: Pod): void;
  has(podUid: string): boolean;
  /** Removes a pod and cancels the decision on it. */
  remove(podUid: string): void;
}

/** Maximum number of decisions in one turn of the event loop, which take a few milliseconds. */
const MAX_DECISIONS_IN_A_TURN = 32;

/** Time after which a slow decision no longer blocks other pods. */
const OVERTAKING_AFTER_MS = 1_000;

const QUEUED = { kind: 'admission.queue', isQuiet: true } as const;

/** A pod that waits for its admission. */
export interface WaitingPod {
  /** Latest version. */
  pod: Pod;
  /** Cancels the decision. */
  readonly controller: AbortController;
}

/** Creates an {@link AdmissionQueue}. */
export function createAdmissionQueue(ports: AdmissionQueuePorts): AdmissionQueue {
  const { clock, logger, handlers, journal, waiting, decided } = ports;
  const lifetime = createLifetime();
  let isDeciding = false;
  /** Resolves with the next pod that is added. */
  let added = Promise.withResolvers<void>();
  /** A handler that throws counts as one that may: it must not hold up all pods. */
  const mayTakeLong = (pod: Pod): boolean =>
    handlers.some((handler) => {
      try {
        return handler.mayTakeLong?.(pod) === true;
      } catch {
        return true;
      }
    });

  const apply = (uid: string, entry: WaitingPod, judged: Pod, rejection: AdmissionRejection | undefined): void => {
    if (waiting.get(uid) !== entry) return;
    waiting.delete(uid);
    journal.release(entry.pod.metadata, QUEUED);
    try {
      decided(entry.pod, rejection, judged);
    } catch (error) {
      logger.error('cannot apply the admission of a pod', { pod: formatPod(entry.pod), error: errorMessage(error) });
    }
  };

  const decideOn = async (uid: string, entry: WaitingPod): Promise<void> => {
    let rejection: AdmissionRejection | undefined;
    const { pod, controller } = entry;
    const { signal } = controller;
    try {
      const context = { clock, journal, signal };
      journal.release(pod.metadata, QUEUED);
      rejection = await inSpan(
        journal,
        pod.metadata,
        { kind: 'pod.admit', isQuiet: true },
        () => admitPod(handlers, pod, { ...context, others: ports.otherPods(uid) }),
        signal,
      );
      // A pod that runs holds its resources already. Others, which a restart of the agent let come first, must not end it.
      if (rejection !== undefined && ports.isRunning(uid))
        rejection = await admitPod(handlers, pod, { ...context, others: otherPods([]) });
    } catch {
      // The decision was cancelled.
      return;
    }
    apply(uid, entry, pod, rejection);
  };

  /** Admits a pod that fits beside one whose decision is pending. A pod that does not fit keeps its place, because the other one may be rejected. */
  const admitBeside = async (uid: string, entry: WaitingPod, pending: Pod): Promise<void> => {
    const { pod, controller } = entry;
    const { signal } = controller;
    const others = withPod(ports.otherPods(uid), pending);
    try {
      if (await isAdmittedAsIs(handlers, pod, { clock, journal, signal, others })) apply(uid, entry, pod, undefined);
    } catch {
      // The decision was cancelled.
    }
  };

  /** Decides on a pod whose decision may be slow, and on the pods behind it at the same time. */
  const decideOnSlowPod = async (slowUid: string, slow: WaitingPod): Promise<void> => {
    const decision = new AbortController();
    const completion = decideOn(slowUid, slow).finally(() => decision.abort());
    await sleep(clock, OVERTAKING_AFTER_MS, decision.signal).catch(() => undefined);
    const attempted = new Set<WaitingPod>();
    while (!decision.signal.aborted) {
      added = Promise.withResolvers();
      for (const [uid, entry] of waiting) {
        if (entry === slow || attempted.has(entry) || mayTakeLong(entry.pod)) continue;
        attempted.add(entry);
        if (attempted.size % MAX_DECISIONS_IN_A_TURN === 0) await new Promise<void>(atEndOfTurn);
        if (decision.signal.aborted) break;
        await admitBeside(uid, entry, slow.pod);
      }
      await Promise.race([completion, added.promise]);
    }
    await completion;
  };

  const decideOnAll = async (): Promise<void> => {
    isDeciding = true;
    let count = 0;
    // The iteration reaches pods that are added on the way.
    for (const [uid, entry] of waiting) {
      count += 1;
      // Thousands of immediate decisions must not block the event loop.
      if (count % MAX_DECISIONS_IN_A_TURN === 0) await new Promise<void>(atEndOfTurn);
      await (mayTakeLong(entry.pod) ? decideOnSlowPod : decideOn)(uid, entry);
    }
    isDeciding = false;
  };

  return {
    add(pod) {
      const uid = podUid(pod);
      if (uid === '') throw new TypeError(`pod ${podFullName(pod)} has no UID`);
      const entry = waiting.get(uid);
      if (entry !== undefined) {
        entry.pod = pod;
        return;
      }
      if (lifetime.signal.aborted) return;
      waiting.set(uid, { pod, controller: new AbortController() });
      added.resolve();
      if (isDeciding) journal.hold(pod.metadata, QUEUED);
      if (!isDeciding) void lifetime.track(decideOnAll());
    },
    has: (uid) => waiting.has(uid),
    remove(uid) {
      const entry = waiting.get(uid);
      waiting.delete(uid);
      entry?.controller.abort(new Error('the pod is no longer desired'));
    },
    async [Symbol.asyncDispose]() {
      const disposal = lifetime[Symbol.asyncDispose]();
      const entries = [...waiting.values()];
      waiting.clear();
      for (const { controller } of entries) controller.abort(lifetime.signal.reason);
      await disposal;
    },
  };
}

function withPod(others: OtherPods, pod: Pod): OtherPods {
  return {
    get count() {
      return others.count + 1;
    },
    list: () => [...others.list(), pod],
    sum: (amountsOf, name) => others.sum(amountsOf, name) + (amountsOf(pod)[name] ?? 0n),
  };
}
