import { EndpointError } from '@rxlet/agent-api/http';
import type { ContainerStatus, Pod } from '@rxlet/kube-api';
import { findPodContainer } from '@rxlet/pod-model';
import type { LogQuery } from './log-query.ts';

/** Finds the pod that a query names, which has the container of the query. @throws EndpointError 404 */
export function findPod(pods: readonly Pod[], { namespace, podName, containerName }: LogQuery): Pod {
  const found = pods.filter(({ metadata }) => metadata?.namespace === namespace && metadata.name === podName);
  // While a changed manifest replaces a pod, both have the name: take the newer one.
  const pod = found.findLast(({ metadata }) => metadata?.deletionTimestamp === undefined) ?? found.at(-1);
  if (pod === undefined) throw new EndpointError(404, `pod "${podName}" does not exist`);
  if (findPodContainer(pod, containerName) !== undefined) return pod;
  throw new EndpointError(404, `container "${containerName}" not found in pod "${podName}"`);
}

/**
 * Chooses the container whose log is read, by the pod's status: the one that runs, otherwise the last one that ran. With `previous` it is the one before the current
 * state (kubelet: validateContainerLogStatus).
 *
 * @returns the container's id with the name of the runtime: `containerd://…`
 * @throws LogUnavailableError when there is none
 */
export function chooseContainerId(pod: Pod, { containerName, podName, previous }: LogQuery): string {
  const subject = `container "${containerName}" in pod "${podName}"`;
  const status = statusOf(pod, containerName);
  if (status === undefined) throw new LogUnavailableError(`${subject} is not available`);
  const { state: { waiting, running, terminated } = {}, lastState } = status;
  const last = lastState?.terminated;
  if (previous) return last?.containerID || unavailable(`previous terminated ${subject} not found`);
  if (running !== undefined) return status.containerID ?? '';
  if (terminated !== undefined) {
    return terminated.containerID || last?.containerID || unavailable(`${subject} is terminated`);
  }
  if (last !== undefined) return last.containerID || unavailable(`${subject} is terminated`);
  return unavailable(`${subject} is ${missingLogReason(waiting?.reason, waiting !== undefined)}`);
}

function statusOf({ status }: Pod, containerName: string): ContainerStatus | undefined {
  const statuses = [
    ...(status?.containerStatuses ?? []),
    ...(status?.initContainerStatuses ?? []),
    ...(status?.ephemeralContainerStatuses ?? []),
  ];
  return statuses.find(({ name }) => name === containerName);
}

function missingLogReason(reason: string | undefined, isWaiting: boolean): string {
  if (!isWaiting) return 'waiting to start - no logs yet';
  switch (reason) {
    case 'ErrImagePull':
      return "waiting to start: image can't be pulled";
    case 'ImagePullBackOff':
      return 'waiting to start: trying and failing to pull image';
    default:
      return `waiting to start: ${reason ?? ''}`;
  }
}

function unavailable(message: string): never {
  throw new LogUnavailableError(message);
}

/** There is no log of a container, for a reason that the pod's status has. */
export class LogUnavailableError extends Error {
  override readonly name = 'LogUnavailableError';
}
