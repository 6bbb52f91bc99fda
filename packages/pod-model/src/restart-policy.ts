import type { Container, ContainerRestartRule, Pod, PodStatus, RestartPolicy } from '@rxlet/kube-api';
import { newestContainerStatus } from './runtime-lookup.ts';
import type { RuntimePodStatus } from './runtime-status.ts';

/** What of a container decides over its restarts. */
export type RestartableContainer = Pick<Container, 'restartPolicy' | 'restartPolicyRules'>;

const isRestartPolicy = (policy: string | undefined): policy is RestartPolicy =>
  policy === 'Always' || policy === 'OnFailure' || policy === 'Never';

/** The container's own restart policy if it has one (KEP-5307), else the pod's. */
export function effectiveRestartPolicy(container: RestartableContainer, pod: Pod): RestartPolicy {
  if (isRestartPolicy(container.restartPolicy)) return container.restartPolicy;
  return pod.spec?.restartPolicy ?? 'Always';
}

/** The first of the container's rules that speaks about the exit code. Rules count only beside a restart policy of the container's own. */
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

/** Whether a container that exited with this code is to run again: its rules first, then the policy. */
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

/** Whether the container is to be started, by what its newest instance is doing. Never in a pod that is being deleted. */
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

/** Whether there is any exit code after which the container would run again. */
export function isContainerRestartable(container: RestartableContainer, pod: Pod): boolean {
  if (
    container.restartPolicy !== undefined &&
    container.restartPolicyRules?.some(({ action }) => action === 'Restart') === true
  ) {
    return true;
  }
  return effectiveRestartPolicy(container, pod) !== 'Never';
}

/** Whether an exit of any container could lead to a restart of all (KEP-5532). */
export function allContainersCouldRestart(pod: Pod): boolean {
  return restartingContainers(pod).some(
    ({ restartPolicyRules }) => restartPolicyRules?.some(({ action }) => action === 'RestartAllContainers') === true,
  );
}

/** Whether the container, exiting with this code, asks for a restart of all containers of its pod. */
export function matchesRestartAllRule(container: RestartableContainer, exitCode: number): boolean {
  return matchingRule(container, exitCode)?.action === 'RestartAllContainers';
}

/**
 * Whether all containers of the pod are to be restarted: such a restart is under way by the pod's own conditions, or the newest instance of some
 * container exited with a code that asks for one. Where the runtime no longer knows an exited instance, the reported status tells.
 */
export function shouldAllContainersRestart(pod: Pod, status: RuntimePodStatus, reported?: PodStatus): boolean {
  if (!allContainersCouldRestart(pod)) return false;
  const underWay = reported?.conditions?.some(
    (condition) => condition.type === 'AllContainersRestarting' && condition.status === 'True',
  );
  if (underWay === true) return true;
  const reportedContainers = [...(reported?.initContainerStatuses ?? []), ...(reported?.containerStatuses ?? [])];
  return restartingContainers(pod).some((container) => {
    const newest = newestContainerStatus(status, container.name);
    const exitCode =
      newest === undefined
        ? reportedContainers.find(({ name }) => name === container.name)?.state?.terminated?.exitCode
        : newest.state === 'exited'
          ? newest.exitCode
          : undefined;
    return exitCode !== undefined && matchesRestartAllRule(container, exitCode);
  });
}

/** Ephemeral containers are never restarted. */
function restartingContainers(pod: Pod): readonly Container[] {
  return [...(pod.spec?.initContainers ?? []), ...(pod.spec?.containers ?? [])];
}
