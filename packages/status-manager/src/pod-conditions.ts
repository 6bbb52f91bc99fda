import type { ContainerStatus, Pod, PodCondition, PodPhase, PodStatus } from '@rxlet/kube-api';
import { isSidecar, podContainers } from '@rxlet/pod-model';
import { allContainersCouldRestart } from '@rxlet/pod-model/restart';
import type { RuntimePodStatus } from '@rxlet/pod-model/runtime';
import { findCondition } from './condition-types.ts';
import { hasUsableSandbox } from './usable-sandbox.ts';

/** Input of the conditions of a pod's containers. */
export interface ContainerConditionsInput {
  readonly pod: Pod;
  /** Statuses of the init and regular containers, in any order; empty when unknown. */
  readonly statuses: readonly ContainerStatus[];
  readonly phase: PodPhase | undefined;
}

/** Returns a condition without `lastTransitionTime`, which the status manager sets. */
export function condition(pod: Pod, type: string, status: boolean, reason?: string, message?: string): PodCondition {
  const observedGeneration = pod.metadata?.generation;
  return {
    type,
    ...(observedGeneration !== undefined && observedGeneration !== 0 && { observedGeneration }),
    status: status ? 'True' : 'False',
    ...(reason !== undefined && { reason }),
    ...(message !== undefined && { message }),
  };
}

/** Returns a list in the format of condition messages. */
function formatNames(names: readonly string[]): string {
  return `[${names.join(' ')}]`;
}

/** Returns a false readiness condition of a pod in a terminal phase. */
export function endedCondition(pod: Pod, type: string, phase: PodPhase): PodCondition {
  return condition(pod, type, false, phase === 'Succeeded' ? 'PodCompleted' : 'PodFailed');
}

/** Returns the condition for a usable sandbox with its network (KEP-3085). */
export function podReadyToStartContainersCondition(pod: Pod, runtime: RuntimePodStatus): PodCondition {
  return condition(pod, 'PodReadyToStartContainers', hasUsableSandbox(pod, runtime));
}

/** Returns the condition for completed init containers. An initialized pod stays so, even while its containers restart. */
export function initializedCondition(input: ContainerConditionsInput, previous: PodStatus): PodCondition {
  const { pod, statuses, phase } = input;
  const type = 'Initialized';
  const initContainers = podContainers(pod, ['init']).map(({ container }) => container);
  if (statuses.length === 0 && initContainers.length > 0)
    return condition(pod, type, false, 'UnknownContainerStatuses');

  const byName = new Map(statuses.map((status) => [status.name, status]));
  const unknown = initContainers.filter(({ name }) => !byName.has(name)).map(({ name }) => name);
  const incomplete = initContainers
    .filter((container) => {
      const status = byName.get(container.name);
      if (status === undefined) return false;
      return isSidecar(container) ? status.started !== true : !status.ready;
    })
    .map(({ name }) => name);

  if (phase === 'Succeeded' && unknown.length === 0) return condition(pod, type, true, 'PodCompleted');
  if (anyRegularContainerStarted(pod, byName)) return condition(pod, type, true);
  if (unknown.length === 0 && incomplete.length === 0) return condition(pod, type, true);
  if (findCondition(previous.conditions, type)?.status === 'True') return condition(pod, type, true);
  const message = [
    ...(unknown.length > 0 ? [`containers with unknown status: ${formatNames(unknown)}`] : []),
    ...(incomplete.length > 0 ? [`containers with incomplete status: ${formatNames(incomplete)}`] : []),
  ].join(', ');
  return condition(pod, type, false, 'ContainersNotInitialized', message);
}

function anyRegularContainerStarted(pod: Pod, statuses: ReadonlyMap<string, ContainerStatus>): boolean {
  return podContainers(pod, ['regular']).some(({ container }) => {
    const state = statuses.get(container.name)?.state;
    return state?.running !== undefined || state?.terminated !== undefined;
  });
}

/** Returns the condition for ready sidecars and regular containers. */
export function containersReadyCondition(input: ContainerConditionsInput): PodCondition {
  const { pod, statuses, phase } = input;
  const type = 'ContainersReady';
  if (statuses.length === 0) return condition(pod, type, false, 'UnknownContainerStatuses');

  const byName = new Map(statuses.map((status) => [status.name, status]));
  const names = podContainers(pod, ['init', 'regular'])
    .filter(({ kind, container }) => kind === 'regular' || isSidecar(container))
    .map(({ container }) => container.name);
  const unknown = names.filter((name) => !byName.has(name));
  const unready = names.filter((name) => byName.get(name)?.ready === false);

  if (phase === 'Failed' || (phase === 'Succeeded' && unknown.length === 0)) return endedCondition(pod, type, phase);
  if (unknown.length === 0 && unready.length === 0) return condition(pod, type, true);
  const message = [
    ...(unknown.length > 0 ? [`containers with unknown status: ${formatNames(unknown)}`] : []),
    ...(unready.length > 0 ? [`containers with unready status: ${formatNames(unready)}`] : []),
  ].join(', ');
  return condition(pod, type, false, 'ContainersNotReady', message);
}

/**
 * Returns the condition for a pod that may receive traffic: its containers are ready, and the condition of every readiness gate (KEP-580) is true.
 *
 * @param conditions the conditions with those of the gates
 */
export function readyCondition(
  input: ContainerConditionsInput,
  conditions: readonly PodCondition[] | undefined,
): PodCondition {
  const { pod } = input;
  const type = 'Ready';
  const containersReady = containersReadyCondition(input);
  if (containersReady.status !== 'True') return { ...containersReady, type };

  const missing = (pod.spec?.readinessGates ?? []).flatMap(({ conditionType }) => {
    const gate = JSON.stringify(conditionType);
    const found = findCondition(conditions, conditionType);
    if (found === undefined) return [`corresponding condition of pod readiness gate ${gate} does not exist.`];
    if (found.status === 'True') return [];
    return [`the status of pod readiness gate ${gate} is not "True", but ${found.status}`];
  });
  if (missing.length > 0) return condition(pod, type, false, 'ReadinessGatesNotReady', missing.join(', '));
  return condition(pod, type, true);
}

/** Returns the condition of a pod that is assigned to a node, which is true for every pod of an agent. */
export function podScheduledCondition(pod: Pod): PodCondition {
  return condition(pod, 'PodScheduled', true);
}

/**
 * Returns the condition for a restart of all containers in place (KEP-5532). It is true from the triggering exit until the runtime has no instance left; `undefined`
 * for a pod without such a rule.
 */
export function allContainersRestartingCondition(
  pod: Pod,
  runtime: RuntimePodStatus,
  phase: PodPhase,
  restartingAll: boolean,
): PodCondition | undefined {
  if (!allContainersCouldRestart(pod)) return undefined;
  const type = 'AllContainersRestarting';
  if (phase === 'Succeeded' || phase === 'Failed') return endedCondition(pod, type, phase);
  const names = new Set(podContainers(pod, ['init', 'regular']).map(({ container }) => container.name));
  if (!restartingAll || !runtime.containers.some(({ name }) => names.has(name))) return condition(pod, type, false);
  return condition(pod, type, true, 'RestartAllContainersStarted', 'container exited with restart policy rule');
}
