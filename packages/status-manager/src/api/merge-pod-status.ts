import { toRfc3339 } from '@rxlet/component-base';
import type { Pod, PodCondition, PodStatus } from '@rxlet/kube-api';
import { isTerminalPhase } from '@rxlet/pod-model';
import { findCondition, isOwnedCondition, isSharedCondition, withCondition } from '../condition-types.ts';
import { endedCondition } from '../pod-conditions.ts';
import { withForeignFieldsOf } from './foreign-fields.ts';

/** What a status is merged from. */
export interface MergePodStatusInput {
  readonly pod: Pod;
  /** What the API has, or whoever the status is published to. */
  readonly published: PodStatus;
  /** What the node agent holds. */
  readonly next: PodStatus;
  /** Whether a container of the pod may still be running. */
  readonly couldHaveRunningContainers: boolean;
  /** Epoch milliseconds. */
  readonly nowMs: number;
}

/**
 * What the API is to have next: the status that the node agent holds, with the conditions and fields of others as the API has them, and as far as the
 * pod's end may be told, see {@link withholdEnd}.
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
 * The status as far as the pod's end may be told. A terminal phase is withheld while containers may run: whoever sees it takes the pod's volumes and
 * devices to be free. Why the pod was disrupted is told together with the end, not before. And a pod that has ended is not ready, whatever its
 * containers last were.
 */
export function withholdEnd(input: MergePodStatusInput): PodStatus {
  const { pod, published, next, couldHaveRunningContainers } = input;
  const ends = isTerminalPhase(next.phase) && !isTerminalPhase(published.phase);
  const withheld = ends && couldHaveRunningContainers;
  const disrupted = withDisruption(next, published, ends && !withheld ? toRfc3339(input.nowMs) : undefined);
  const { phase, reason, message, ...rest } = disrupted;
  const shown = withheld ? { ...published, phase: published.phase ?? 'Pending' } : { phase, reason, message };
  const status: PodStatus = {
    ...(shown.phase !== undefined && { phase: shown.phase }),
    ...(shown.reason !== undefined && { reason: shown.reason }),
    ...(shown.message !== undefined && { message: shown.message }),
    ...rest,
  };
  return withoutReadiness(pod, status, input.nowMs);
}

/** @param endsAt when the pod ends with this status: then the condition holds since now, however long it was kept back */
function withDisruption(next: PodStatus, published: PodStatus, endsAt: string | undefined): PodStatus {
  const type = 'DisruptionTarget';
  const wanted = findCondition(next.conditions, type);
  if (wanted === undefined) return next;
  const before = findCondition(published.conditions, type);
  if (endsAt === undefined) {
    const others = (next.conditions ?? []).filter((condition) => condition.type !== type);
    return { ...next, conditions: before === undefined ? others : withCondition(next.conditions, before) };
  }
  const lastTransitionTime = (before?.status === wanted.status ? before.lastTransitionTime : undefined) ?? endsAt;
  return { ...next, conditions: withCondition(next.conditions, { ...wanted, lastTransitionTime }) };
}

/** The status of a pod that has ended says that it is not ready. */
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
  return { ...status, conditions: ended.reduce<readonly PodCondition[]>(withCondition, conditions ?? []) };
}
