import { type PodStep, PodStepError, type TerminatingPod } from '@rxlet/agent-api';
import { inSpan, type Journal } from '@rxlet/agent-api/journal';
import type { MirrorPods } from '@rxlet/agent-api/statuses';
import { type Clock, DeadlineExceededError, errorMessage, type Logger } from '@rxlet/component-base';
import type { EventRecorder } from '@rxlet/component-base/events';
import type { Pod } from '@rxlet/kube-api';
import { formatPod, podEventObject } from '@rxlet/pod-model';
import { mirrorPodStep } from './mirror-pod-step.ts';

/** Ports of {@link createPodSteps}. */
export interface PodStepsPorts {
  readonly clock: Clock;
  readonly events: EventRecorder;
  readonly journal: Journal;
  readonly logger: Logger;
}

/** Pod steps of modules, run with the failure rules of {@link PodStep}. */
export interface PodSteps {
  /** Prepares the node for a pod's containers. Returns the first failure, after which no further step runs. */
  prepare(pod: Pod, signal: AbortSignal): Promise<Error | undefined>;
  /** Prepares a new sandbox. Rejects with the first failure, after which no further step runs. */
  prepareSandbox(pod: Pod, signal: AbortSignal): Promise<void>;
  terminating(pod: TerminatingPod): void;
  stopped(pod: TerminatingPod): void;
  /** Releases what `prepareSandbox` has prepared. Rejects with the first failure after all steps have run. */
  release(pod: TerminatingPod, signal: AbortSignal): Promise<void>;
  /** Runs all teardowns in reverse order, each for 30 s at most. Rejects only when `signal` aborts. */
  tearDown(pod: TerminatingPod, signal: AbortSignal): Promise<void>;
}

/** Creates the steps of an agent: mirrors of static pods first, then the modules in their order. */
export function podStepsOf(
  steps: readonly PodStep[],
  mirrorPods: readonly MirrorPods[],
  ports: PodStepsPorts,
): PodSteps {
  return createPodSteps([...mirrorPods.map((one) => mirrorPodStep(one, ports.logger)), ...steps], ports);
}

/** Maximum time for which a teardown delays the end of a pod. */
const TEAR_DOWN_TIMEOUT_MS = 30_000;

/** Creates {@link PodSteps}. */
export function createPodSteps(steps: readonly PodStep[], { clock, events, journal, logger }: PodStepsPorts): PodSteps {
  const reversed = steps.toReversed();

  /** Runs a step whose failure is only logged. */
  const attempt = (name: string, subject: TerminatingPod, work: () => void): void => {
    try {
      work();
    } catch (error) {
      logger.error('a step of a terminating pod failed', {
        step: name,
        ...identityOf(subject),
        error: errorMessage(error),
      });
    }
  };

  const reportFailure = (step: PodStep, pod: Pod, error: unknown): void => {
    if (error instanceof PodStepError) events.event(podEventObject(pod), 'Warning', error.reason, error.message);
    logger.warn('cannot prepare a pod', { step: step.name, pod: formatPod(pod), error: errorMessage(error) });
  };

  const tearDownOne = async (step: PodStep, subject: TerminatingPod, signal: AbortSignal): Promise<void> => {
    const deadline = new AbortController();
    using _timer = clock.setTimer(TEAR_DOWN_TIMEOUT_MS, () => {
      deadline.abort(new DeadlineExceededError(TEAR_DOWN_TIMEOUT_MS));
    });
    const { name } = step;
    const span = { kind: 'pod.tear-down', subject: name, isQuiet: true } as const;
    try {
      const ownSignal = AbortSignal.any([signal, deadline.signal]);
      await inSpan(
        journal,
        subject.pod?.metadata ?? subject.status,
        span,
        () => step.tearDown?.(subject, ownSignal),
        signal,
      );
    } catch (error) {
      signal.throwIfAborted();
      const message = `error tearing down ${name} of the pod after it stopped, will be retried: ${errorMessage(error)}`;
      events.event(podEventObject(subject.pod ?? { metadata: subject.status }), 'Warning', 'FailedKillPod', message);
      logger.warn('cannot tear down a step of a stopped pod', {
        step: name,
        ...identityOf(subject),
        error: errorMessage(error),
      });
    }
  };

  return {
    async prepare(pod, signal) {
      for (const step of steps) {
        if (step.prepare === undefined) continue;
        const span = { kind: 'pod.prepare', subject: step.name, isQuiet: true } as const;
        try {
          await inSpan(journal, pod.metadata, span, () => step.prepare?.(pod, signal), signal);
        } catch (error) {
          signal.throwIfAborted();
          reportFailure(step, pod, error);
          return error instanceof Error ? error : new Error(errorMessage(error));
        }
      }
      return undefined;
    },
    async prepareSandbox(pod, signal) {
      for (const step of steps) {
        if (step.prepareSandbox === undefined) continue;
        const span = { kind: 'sandbox.prepare', subject: step.name, isQuiet: true } as const;
        try {
          await inSpan(journal, pod.metadata, span, () => step.prepareSandbox?.(pod, signal), signal);
        } catch (error) {
          signal.throwIfAborted();
          reportFailure(step, pod, error);
          throw error;
        }
      }
    },
    terminating(subject) {
      for (const step of steps) attempt(step.name, subject, () => step.terminating?.(subject));
    },
    stopped(subject) {
      for (const step of steps) attempt(step.name, subject, () => step.stopped?.(subject));
    },
    async release(subject, signal) {
      const failures: unknown[] = [];
      for (const step of steps) {
        if (step.release === undefined) continue;
        const span = { kind: 'pod.release', subject: step.name, isQuiet: true } as const;
        try {
          const pod = subject.pod?.metadata ?? subject.status;
          await inSpan(journal, pod, span, () => step.release?.(subject, signal), signal);
        } catch (error) {
          signal.throwIfAborted();
          failures.push(error);
          logger.warn('cannot release the resources of a terminating pod, will be retried', {
            step: step.name,
            ...identityOf(subject),
            error: errorMessage(error),
          });
        }
      }
      if (failures.length > 0) throw failures[0];
    },
    async tearDown(subject, signal) {
      for (const step of reversed) if (step.tearDown !== undefined) await tearDownOne(step, subject, signal);
    },
  };
}

function identityOf({ status }: TerminatingPod): { readonly pod: string } {
  return { pod: formatPod({ metadata: status }) };
}
