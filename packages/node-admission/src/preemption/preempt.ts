import type { AgentCore } from '@rxlet/agent-api';
import { type Clock, errorMessage, type Logger, toRfc3339 } from '@rxlet/component-base';
import type { EventRecorder } from '@rxlet/component-base/events';
import type { Metrics } from '@rxlet/component-base/metrics';
import type { Pod, PodCondition, PodStatus } from '@rxlet/kube-api';
import { formatPod, podEventObject } from '@rxlet/pod-model';

/** Ports of {@link createPreemption}. */
export interface PreemptionPorts extends Pick<AgentCore, 'killPod'> {
  readonly clock: Clock;
  readonly events: EventRecorder;
  readonly logger: Logger;
  readonly metrics: Metrics;
}

/** Kills pods in favour of a critical one. */
export interface Preemption {
  /**
   * Kills the victims, all at once and each within its own grace period. A victim that cannot be killed is logged and does not reject the critical pod, because
   * its worker continues to stop it.
   *
   * @param resource the first resource that the node has too little of, for the metric
   */
  kill(victims: readonly Pod[], resource: string, signal: AbortSignal): Promise<void>;
}

const REASON = 'Preempting';
const MESSAGE = 'Preempted in order to admit critical pod';
const CONDITION_TYPE = 'DisruptionTarget';

/** Creates a {@link Preemption}. */
export function createPreemption({ clock, events, logger, metrics, killPod }: PreemptionPorts): Preemption {
  const preemptions = metrics.counter({
    name: 'kubelet_preemptions',
    help: 'Number of pods that were preempted, by the resource that was missing.',
    labelNames: ['preemption_signal'],
  });
  const killOne = async (victim: Pod, resource: string, signal: AbortSignal): Promise<void> => {
    const amendStatus = (status: PodStatus): PodStatus => preemptedStatus(victim, status, toRfc3339(clock.now()));
    try {
      await killPod(victim, { reason: 'evicted', amendStatus }, signal);
      preemptions.inc({ preemption_signal: resource });
    } catch (error) {
      logger.error('cannot preempt a pod', { pod: formatPod(victim), error: errorMessage(error) });
    }
  };
  return {
    async kill(victims, resource, signal) {
      for (const victim of victims) events.event(podEventObject(victim), 'Warning', REASON, MESSAGE);
      await Promise.all(victims.map((victim) => killOne(victim, resource, signal)));
    },
  };
}

function preemptedStatus({ metadata }: Pod, status: PodStatus, now: string): PodStatus {
  const conditions = status.conditions ?? [];
  const before = conditions.find(({ type }) => type === CONDITION_TYPE);
  const { generation } = metadata ?? {};
  const condition: PodCondition = {
    type: CONDITION_TYPE,
    status: 'True',
    reason: 'TerminationByKubelet',
    message: 'Pod was preempted by Kubelet to accommodate a critical pod.',
    lastTransitionTime: before?.status === 'True' ? (before.lastTransitionTime ?? now) : now,
    ...(generation !== undefined && generation !== 0 && { observedGeneration: generation }),
  };
  const disrupted = { ...status, conditions: [...conditions.filter(({ type }) => type !== CONDITION_TYPE), condition] };
  if (!hasSucceeded(status)) return { ...disrupted, phase: 'Failed', reason: REASON, message: MESSAGE };
  // As in the kubelet: the exit codes decide on the phase, and the reason of the preemption belongs to a failure.
  const { reason: _reason, message: _message, ...succeeded } = disrupted;
  return { ...succeeded, phase: 'Succeeded' };
}

/** Reports whether every container has exited with 0. */
function hasSucceeded({ containerStatuses = [] }: PodStatus): boolean {
  return containerStatuses.length > 0 && containerStatuses.every(({ state }) => state?.terminated?.exitCode === 0);
}

/** Shortest time that a kill is given. */
const MIN_KILL_TIMEOUT_MS = 10_000;
/** Time beyond the last kill's own timeout. */
const SLACK_MS = 5_000;

/** Returns the time within which the kills of all victims have settled. */
export function preemptionTimeoutMs(victims: readonly Pod[]): number {
  const graceMs = victims.map(({ spec }) => (spec?.terminationGracePeriodSeconds ?? 0) * 1000);
  return Math.max(MIN_KILL_TIMEOUT_MS, ...graceMs.map((ms) => ms * 1.5)) + SLACK_MS;
}
