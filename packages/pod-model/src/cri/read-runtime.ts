import { type CallOptions, ContainerState, isNotFound, PodSandboxState, type RuntimeService } from '@rxlet/cri-api';
import { PodLabel } from '../labels.ts';
import type { RuntimePod, RuntimePodStatus } from '../runtime-status.ts';
import { convertContainerStatus } from './convert-container.ts';
import { convertSandboxStatus } from './convert-sandbox.ts';
import { groupRuntimePods } from './group-runtime-pods.ts';

/** Options of calls to the runtime. */
export interface RuntimeReadOptions {
  /** Name of the runtime from CRI Version; the type of container ids. */
  readonly runtimeName: string;
  readonly signal?: AbortSignal | undefined;
  /** Timeout of each call, see CallOptions. */
  readonly timeoutMs?: number | undefined;
}

/** Options of {@link readRuntimePods}. */
export interface ReadRuntimePodsOptions extends RuntimeReadOptions {
  /** Lists only ready sandboxes and running containers. */
  readonly runningOnly?: boolean | undefined;
  /** Lists only this pod. */
  readonly uid?: string | undefined;
}

const callOptions = ({ signal, timeoutMs }: RuntimeReadOptions): CallOptions => ({ signal, timeoutMs });

/**
 * Lists the pods of a runtime by one call for sandboxes and one for containers, in the order of {@link groupRuntimePods}. Rejects with the error of a failed
 * call.
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
 * Reads the status of each sandbox and container of a listed pod, concurrently. Those that have disappeared (NotFound) are left out. Any other failed call
 * rejects, because a missing container would look like one to be started.
 *
 * @throws RuntimeResponseError (as a rejection) when a message lacks a field that CRI requires
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
    // Never those of an earlier sandbox, even when the newest has disappeared.
    ips: newest?.state === 'ready' ? newest.ips : [],
    sandboxes: sandboxes.filter((sandbox) => sandbox !== undefined),
    containers: containers.filter((container) => container !== undefined),
  };
}

/** Returns the result of a call; `undefined` for NotFound. */
async function unlessGone<T>(call: Promise<T>): Promise<T | undefined> {
  try {
    return await call;
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}
