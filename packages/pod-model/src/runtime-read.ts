import { type CallOptions, ContainerState, isNotFound, PodSandboxState, type RuntimeService } from '@rxlet/cri-api';
import { PodLabel } from './labels.ts';
import { byContainerAge, convertContainerStatus, convertSandboxStatus, groupRuntimePods } from './runtime-convert.ts';
import type { RuntimePod, RuntimePodStatus } from './runtime-status.ts';

/** How the runtime is asked. */
export interface RuntimeReadOptions {
  /** The runtime's name as CRI Version reports it; it becomes the type of container ids. */
  readonly runtimeName: string;
  readonly signal?: AbortSignal | undefined;
  /** Deadline of each call, see CallOptions. */
  readonly timeoutMs?: number | undefined;
}

/** Which pods are listed. */
export interface ReadRuntimePodsOptions extends RuntimeReadOptions {
  /** Ready sandboxes and running containers only. */
  readonly runningOnly?: boolean | undefined;
  /** This pod only. */
  readonly uid?: string | undefined;
}

const callOptions = ({ signal, timeoutMs }: RuntimeReadOptions): CallOptions => ({ signal, timeoutMs });

/**
 * Asks the runtime which pods it holds, by one list of sandboxes and one of containers, both at once; ordered as {@link groupRuntimePods} says.
 * Rejects with the error of a failed call.
 */
export async function readRuntimePods(
  runtime: Pick<RuntimeService, 'listPodSandbox' | 'listContainers'>,
  options: ReadRuntimePodsOptions,
): Promise<RuntimePod[]> {
  const call = callOptions(options);
  const { runningOnly = false, uid } = options;
  const labels = uid === undefined ? undefined : { labelSelector: { [PodLabel.podUid]: uid } };
  const [sandboxes, containers] = await Promise.all([
    runtime.listPodSandbox(
      { filter: { ...labels, ...(runningOnly && { state: { state: PodSandboxState.SANDBOX_READY } }) } },
      call,
    ),
    runtime.listContainers(
      { filter: { ...labels, ...(runningOnly && { state: { state: ContainerState.CONTAINER_RUNNING } }) } },
      call,
    ),
  ]);
  return groupRuntimePods(sandboxes.items, containers.containers, options.runtimeName);
}

/**
 * Asks the runtime for all about one listed pod: the status of each of its sandboxes and containers, all at once. What is gone meanwhile
 * (NotFound) is left out. Any other failed call rejects, as half a picture would look like containers to be started.
 *
 * @throws RuntimeResponseError (as a rejection) when an answer lacks a required field
 */
export async function readRuntimePodStatus(
  runtime: Pick<RuntimeService, 'podSandboxStatus' | 'containerStatus'>,
  pod: RuntimePod,
  options: RuntimeReadOptions,
): Promise<RuntimePodStatus> {
  const call = callOptions(options);
  const { runtimeName } = options;
  const [sandboxes, containers] = await Promise.all([
    Promise.all(
      pod.sandboxes.map(async ({ id }) => {
        const response = await unlessGone(runtime.podSandboxStatus({ podSandboxId: id }, call));
        return response && convertSandboxStatus(response.status);
      }),
    ),
    Promise.all(
      pod.containers.map(async ({ id, sandboxId }) => {
        const response = await unlessGone(runtime.containerStatus({ containerId: id.id }, call));
        return response && convertContainerStatus(response.status, { runtimeName, sandboxId });
      }),
    ),
  ]);
  const newest = sandboxes[0];
  return {
    uid: pod.uid,
    name: pod.name,
    namespace: pod.namespace,
    // Not of the next one when the newest is gone: a pod's IPs are never those of a former sandbox.
    ips: newest?.state === 'ready' ? newest.ips : [],
    sandboxes: sandboxes.filter((sandbox) => sandbox !== undefined),
    containers: containers.filter((container) => container !== undefined).sort(byContainerAge),
  };
}

/** Undefined when the runtime does not know what was asked about any more. */
async function unlessGone<T>(call: Promise<T>): Promise<T | undefined> {
  try {
    return await call;
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}
