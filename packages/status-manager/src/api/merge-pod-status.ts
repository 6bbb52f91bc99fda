import { toRfc3339 } from '@rxlet/component-base';
import type { Pod, PodCondition, PodStatus } from '@rxlet/kube-api';
import { isTerminalPhase } from '@rxlet/pod-model';
import { findCondition, isOwnedCondition, isSharedCondition, withCondition } from '../condition-types.ts';
import { endedCondition } from '../pod-conditions.ts';
import { withForeignFieldsOf } from './foreign-fields.ts';

/** Input of {@link mergePodStatus}. */
export interface MergePodStatusInput {
  readonly pod: Pod;
  /** Status in the API or in another sink. */
  readonly published: PodStatus;
  /** Status of the node agent. */
  readonly next: PodStatus;
  /** Whether a container of the pod may still be running. */
  readonly couldHaveRunningContainers: boolean;
  /** Epoch milliseconds. */
  readonly nowMs: number;
}

/**
 * Returns the next status for the API: that of the node agent, with the conditions and fields of other writers as the API has them. The end of the pod is
 * withheld while a container may still be running.
 */
export function mergePodStatus(input: MergePodStatusInput): PodStatus {
  const { published, next } = input;
  const foreign = (published.conditions ?? []).filter(({ type }) => !isOwnedCondition(type));
  const shared = (next.conditions ?? []).filter(({ type }) => isSharedCondition(type));
  const own = (next.conditions ?? []).filter(({ type }) => isOwnedCondition(type));
  const conditions = [...shared.reduce<readonly PodCondition[]>(withCondition, foreign), ...own];
  return withForeignFieldsOf(published, withholdEnd({ ...input, next: { ...next, conditions } }));
}

/**
 * Withholds the terminal phase of a pod while containers may run, because it releases the volumes and devices of the pod for other pods. The reason of a disruption
 * is published together with the terminal phase. A pod in a terminal phase is never ready.
 */
export function withholdEnd(input: MergePodStatusInput): PodStatus {
  const { pod, published, next, couldHaveRunningContainers } = input;
  const ends = isTerminalPhase(next.phase) && !isTerminalPhase(published.phase);
  const withheld = ends && couldHaveRunningContainers;
  const disrupted = withDisruption(next, published, ends && !withheld ? toRfc3339(input.nowMs) : undefined);
  return withoutReadiness(pod, withheld ? withPhaseOf(published, disrupted) : disrupted, input.nowMs);
}

/** Returns the status with the phase of another one, and the reason and message of that phase. */
function withPhaseOf(published: PodStatus, { reason: _reason, message: _message, ...rest }: PodStatus): PodStatus {
  const { phase = 'Pending', reason, message } = published;
  return { ...rest, phase, ...(reason && { reason }), ...(message && { message }) };
}

/** @param endsAt time of the terminal phase, if this status has it: the condition's transition time, however long it was withheld */
function withDisruption(next: PodStatus, published: PodStatus, endsAt: string | undefined): PodStatus {
  const type = 'DisruptionTarget';
  const disruption = findCondition(next.conditions, type);
  if (disruption === undefined) return next;
  const before = findCondition(published.conditions, type);
  if (endsAt === undefined) {
    const others = (next.conditions ?? []).filter((condition) => condition.type !== type);
    return { ...next, conditions: before === undefined ? others : withCondition(next.conditions, before) };
  }
  const lastTransitionTime = (before?.status === disruption.status ? before.lastTransitionTime : undefined) ?? endsAt;
  return { ...next, conditions: withCondition(next.conditions, { ...disruption, lastTransitionTime }) };
}

/** Returns the status with `Ready` and `ContainersReady` false when the phase is terminal. */
export function withoutReadiness(pod: Pod, status: PodStatus, nowMs: number): PodStatus {
  const { phase, conditions } = status;
  const types = ['Ready', 'ContainersReady'];
  if (phase === undefined || !isTerminalPhase(phase)) return status;
  if (types.every((type) => findCondition(conditions, type)?.status !== 'True')) return status;
  const ended = types.map((type): PodCondition => {
    const before = findCondition(conditions, type);
    const lastTransitionTime = (before?.status === 'False' ? before.lastTransitionTime : undefined) ?? toRfc3339(nowMs);
    return { ...endedCondition(pod, type, phase), lastTransitionTime };
  });
  return { ...status, conditions: ended.reduce<readonly PodCondition[] | undefined>(withCondition, conditions) };
}
