import type { ContainerStatus, Pod, PodCondition, PodPhase, PodStatus } from '@rxlet/kube-api';
import { allContainersCouldRestart, isSidecar, podContainers, type RuntimePodStatus } from '@rxlet/pod-model';
import { findCondition } from './condition-types.ts';
import { hasUsableSandbox } from './usable-sandbox.ts';

/** What the conditions about a pod's containers are made from. */
export interface ContainerConditionsInput {
  readonly pod: Pod;
  /** Statuses of the init and regular containers, in any order; empty when nothing is known of any. */
  readonly statuses: readonly ContainerStatus[];
  readonly phase: PodPhase | undefined;
}

/** A condition as generated: it is the status manager that knows since when it holds, and sets `lastTransitionTime`. */
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

/** A list as messages of conditions show it. */
function shownList(names: readonly string[]): string {
  return `[${names.join(' ')}]`;
}

/** That a pod which has ended is not ready, or its containers are not. */
export function endedCondition(pod: Pod, type: string, phase: PodPhase): PodCondition {
  return condition(pod, type, false, phase === 'Succeeded' ? 'PodCompleted' : 'PodFailed');
}

/** Whether a sandbox with its network is there for the containers (KEP-3085). */
export function podReadyToStartContainersCondition(pod: Pod, runtime: RuntimePodStatus): PodCondition {
  return condition(pod, 'PodReadyToStartContainers', hasUsableSandbox(pod, runtime));
}

/** Whether all init containers have done their work. Once a pod is initialized it stays so, also while its containers restart. */
export function initializedCondition(input: ContainerConditionsInput, previous: PodStatus | undefined): PodCondition {
  const { pod, statuses, phase } = input;
  const type = 'Initialized';
  const initContainers = pod.spec?.initContainers ?? [];
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
  if (findCondition(previous?.conditions, type)?.status === 'True') return condition(pod, type, true);
  const message = [
    ...(unknown.length > 0 ? [`containers with unknown status: ${shownList(unknown)}`] : []),
    ...(incomplete.length > 0 ? [`containers with incomplete status: ${shownList(incomplete)}`] : []),
  ].join(', ');
  return condition(pod, type, false, 'ContainersNotInitialized', message);
}

function anyRegularContainerStarted(pod: Pod, statuses: ReadonlyMap<string, ContainerStatus>): boolean {
  return (pod.spec?.containers ?? []).some(({ name }) => {
    const state = statuses.get(name)?.state;
    return state?.running !== undefined || state?.terminated !== undefined;
  });
}

/** Whether all sidecars and regular containers are ready. */
export function containersReadyCondition(input: ContainerConditionsInput): PodCondition {
  const { pod, statuses, phase } = input;
  const type = 'ContainersReady';
  if (statuses.length === 0) return condition(pod, type, false, 'UnknownContainerStatuses');

  const byName = new Map(statuses.map((status) => [status.name, status]));
  const names = [...(pod.spec?.initContainers ?? []).filter(isSidecar), ...(pod.spec?.containers ?? [])].map(
    ({ name }) => name,
  );
  const unknown = names.filter((name) => !byName.has(name));
  const unready = names.filter((name) => byName.get(name)?.ready === false);

  if (phase === 'Failed' || (phase === 'Succeeded' && unknown.length === 0)) return endedCondition(pod, type, phase);
  if (unknown.length === 0 && unready.length === 0) return condition(pod, type, true);
  const message = [
    ...(unknown.length > 0 ? [`containers with unknown status: ${shownList(unknown)}`] : []),
    ...(unready.length > 0 ? [`containers with unready status: ${shownList(unready)}`] : []),
  ].join(', ');
  return condition(pod, type, false, 'ContainersNotReady', message);
}

/**
 * Whether the pod may take traffic: its containers are ready, and every readiness gate (KEP-580) has its condition, set by others, at True.
 *
 * @param conditions the pod's conditions, among which those of the gates are looked up
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

/** That the pod has been assigned to a node, or it would not be here. */
export function podScheduledCondition(pod: Pod): PodCondition {
  return condition(pod, 'PodScheduled', true);
}

/**
 * Whether all containers are being restarted in place (KEP-5532): from the exit that asks for it until the runtime holds no instance any more.
 * Undefined for a pod to which that cannot happen.
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
