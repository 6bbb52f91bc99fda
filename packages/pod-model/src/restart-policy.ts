import type { Container, ContainerRestartRule, ContainerStatus, Pod, PodStatus, RestartPolicy } from '@rxlet/kube-api';
import { formatContainerId } from './pod-names.ts';
import { newestContainerStatus } from './runtime-lookup.ts';
import type { RuntimePodStatus } from './runtime-status.ts';

/** Fields of a container that decide about its restarts. */
export type RestartableContainer = Pick<Container, 'restartPolicy' | 'restartPolicyRules'>;

const isRestartPolicy = (policy: string | undefined): policy is RestartPolicy =>
  policy === 'Always' || policy === 'OnFailure' || policy === 'Never';

/** Returns the container's restart policy if it has one (KEP-5307), else the pod's. */
export function effectiveRestartPolicy(container: RestartableContainer, pod: Pod): RestartPolicy {
  if (isRestartPolicy(container.restartPolicy)) return container.restartPolicy;
  return pod.spec?.restartPolicy ?? 'Always';
}

/** Returns the container's first rule that matches the exit code. Rules apply only to containers with a restart policy. */
function matchingRule(container: RestartableContainer, exitCode: number): ContainerRestartRule | undefined {
  if (container.restartPolicy === undefined) return undefined;
  return container.restartPolicyRules?.find(({ exitCodes }) => {
    switch (exitCodes?.operator) {
      case 'In':
        return exitCodes.values?.includes(exitCode) === true;
      case 'NotIn':
        return exitCodes.values?.includes(exitCode) !== true;
      default:
        return false;
    }
  });
}

/** Reports whether a container must restart after an exit code: by its rules first, then by the policy. */
export function containerShouldRestart(container: RestartableContainer, pod: Pod, exitCode: number): boolean {
  const action = matchingRule(container, exitCode)?.action;
  if (action === 'Restart' || action === 'RestartAllContainers') return true;
  switch (effectiveRestartPolicy(container, pod)) {
    case 'Always':
      return true;
    case 'OnFailure':
      return exitCode !== 0;
    case 'Never':
      return false;
  }
}

/** Reports whether the container must be started, given the state of its newest instance. Never in a pod that is being deleted. */
export function shouldContainerBeRestarted(
  pod: Pod,
  container: RestartableContainer & Pick<Container, 'name'>,
  status: RuntimePodStatus,
): boolean {
  if (pod.metadata?.deletionTimestamp !== undefined) return false;
  const newest = newestContainerStatus(status, container.name);
  switch (newest?.state) {
    case undefined:
    case 'created':
    case 'unknown':
      return true;
    case 'running':
      return false;
    case 'exited':
      return containerShouldRestart(container, pod, newest.exitCode);
  }
}

/** Reports whether the container would restart after any exit code. */
export function isContainerRestartable(container: RestartableContainer, pod: Pod): boolean {
  if (
    container.restartPolicy !== undefined &&
    container.restartPolicyRules?.some(({ action }) => action === 'Restart') === true
  ) {
    return true;
  }
  return effectiveRestartPolicy(container, pod) !== 'Never';
}

/** Reports whether an exit of a container could restart all containers of the pod (KEP-5532). */
export function allContainersCouldRestart(pod: Pod): boolean {
  return restartingContainers(pod).some(
    ({ restartPolicyRules }) => restartPolicyRules?.some(({ action }) => action === 'RestartAllContainers') === true,
  );
}

/** Reports whether an exit code of the container demands a restart of all containers of its pod. */
export function matchesRestartAllRule(container: RestartableContainer, exitCode: number): boolean {
  return matchingRule(container, exitCode)?.action === 'RestartAllContainers';
}

/**
 * Reports whether all containers of the pod must be restarted: the pod's conditions report such a restart in progress, or the newest instance of a
 * container exited with a code whose rule demands it. The reported status is used for containers without instances in the runtime. A restart in progress is over
 * once the containers that demanded it have instances which the reported status does not know: they are replaced last.
 */
export function shouldAllContainersRestart(pod: Pod, status: RuntimePodStatus, reported?: PodStatus): boolean {
  if (!allContainersCouldRestart(pod)) return false;
  const inProgress = reported?.conditions?.some(
    (condition) => condition.type === 'AllContainersRestarting' && condition.status === 'True',
  );
  const reportedContainers = statusesByName(reported);
  if (inProgress === true && !areDemandsMet(pod, status, reportedContainers)) return true;
  return restartingContainers(pod).some((container) => {
    const newest = newestContainerStatus(status, container.name);
    const exitCode =
      newest === undefined
        ? reportedContainers.get(container.name)?.state?.terminated?.exitCode
        : newest.state === 'exited'
          ? newest.exitCode
          : undefined;
    return exitCode !== undefined && matchesRestartAllRule(container, exitCode);
  });
}

/** Returns the statuses of init and regular containers. Of statuses with the same name, the first one counts. */
function statusesByName(status: PodStatus | undefined): ReadonlyMap<string, ContainerStatus> {
  const all = [...(status?.initContainerStatuses ?? []), ...(status?.containerStatuses ?? [])];
  return new Map(all.toReversed().map((one) => [one.name, one]));
}

/** Reports whether the containers whose reported exit demands a restart of all have been replaced. */
function areDemandsMet(pod: Pod, status: RuntimePodStatus, reported: ReadonlyMap<string, ContainerStatus>): boolean {
  const replaced = restartingContainers(pod).flatMap((container) => {
    const { state, containerID } = reported.get(container.name) ?? {};
    const exitCode = state?.terminated?.exitCode;
    if (exitCode === undefined || !matchesRestartAllRule(container, exitCode)) return [];
    const newest = newestContainerStatus(status, container.name);
    return [newest !== undefined && !!containerID && containerID !== formatContainerId(newest.id)];
  });
  return replaced.length > 0 && replaced.every(Boolean);
}

/** Returns the init and regular containers; ephemeral containers are never restarted. */
function restartingContainers(pod: Pod): readonly Container[] {
  return [...(pod.spec?.initContainers ?? []), ...(pod.spec?.containers ?? [])];
}
