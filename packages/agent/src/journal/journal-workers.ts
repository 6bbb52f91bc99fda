import { failedOutcome, inSpan, type Journal, type JournalPod } from '@rxlet/agent-api/journal';
import type { Clock } from '@rxlet/component-base';
import type { PodSubject, PodWorkerTransition, RetryObserver, RuntimeStatusSource } from '@rxlet/pod-workers';

/** Journal entries of the pod workers. */
export interface JournalWorkers {
  /** Reports the retries of failed steps. */
  readonly retries: RetryObserver;
  /** Reads statuses from the given source, and reports reads that take long. */
  readonly statuses: RuntimeStatusSource;
  /** Reports a transition of a pod. */
  transition(transition: PodWorkerTransition): void;
}

/** Creates {@link JournalWorkers}. */
export function createJournalWorkers({
  journal,
  clock,
  statuses,
}: {
  readonly journal: Journal;
  readonly clock: Clock;
  readonly statuses: RuntimeStatusSource;
}): JournalWorkers {
  return {
    retries: {
      retryScheduled(uid, error, untilMs) {
        const { result: _, ...failure } = failedOutcome(error);
        journal.hold({ uid }, { kind: 'sync.backoff', attributes: { ...failure, untilMs: Math.round(untilMs) } });
      },
      stepSucceeded: (uid) => journal.release({ uid }, { kind: 'sync.backoff' }),
    },
    statuses: {
      mark: () => statuses.mark(),
      getNewerThan(uid, mark, signal) {
        if (!journal.isRecording) return statuses.getNewerThan(uid, mark, signal);
        const span = { kind: 'runtime.status', within: 'life', isQuiet: true } as const;
        return inSpan(journal, { uid }, span, () => statuses.getNewerThan(uid, mark, signal), signal);
      },
    },
    transition({ uid, subject, to }) {
      const pod = metadataOf(subject);
      if (to.kind === 'waiting') return journal.hold(pod, { kind: 'pod.predecessor' });
      journal.release(pod, { kind: 'pod.predecessor' });
      journal.release(pod, { kind: 'source.ready' });
      if (to.kind === 'syncing') return;
      journal.release(pod, { kind: 'sync.backoff' });
      const { reason, gracePeriodSeconds, sinceMs } = to;
      // One fact, whichever state the termination enters first.
      const attributes = { reason, graceSeconds: gracePeriodSeconds };
      journal.record(pod, { kind: 'pod.terminating', within: 'life', once: `${uid} ${reason}`, attributes });
      if (to.kind !== 'finished') return;
      const tookMs = Math.round(clock.now() - sinceMs);
      journal.record(pod, { kind: 'pod.finished', within: 'life', attributes: { reason, tookMs } });
    },
  };
}

/** Returns the metadata of a worker's subject. */
export function metadataOf(subject: PodSubject): JournalPod | undefined {
  return subject.kind === 'pod' ? subject.pod.metadata : subject.pod;
}
