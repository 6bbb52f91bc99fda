import type { Clock } from '@rxlet/component-base';
import type { ContainerState, Pod } from '@rxlet/kube-api';
import { type LogQuery, RequestError } from '@rxlet/kubelet-server';
import type { PodStatusCache } from '@rxlet/pleg';
import { findPodContainer, type RuntimeContainerStatus } from '@rxlet/pod-model';
import { type LogChunk, type LogFiles, LogReadError, readContainerLog } from '@rxlet/runtime-manager';
import type { PodView } from '../outputs/pod-view.ts';

/** What reading logs of the agent's pods needs. */
export interface ContainerLogsPorts {
  readonly view: Pick<PodView, 'list'>;
  readonly cache: Pick<PodStatusCache, 'get'>;
  readonly logFiles: LogFiles;
  readonly clock: Clock;
}

/** Reads the log that a query names. Rejects with a RequestError when there is none. */
export type ContainerLogs = (query: LogQuery, signal: AbortSignal) => Promise<AsyncIterable<Uint8Array>>;

/** Creates a reader for the logs of the agent's pods. */
export function createContainerLogs({ view, cache, logFiles, clock }: ContainerLogsPorts): ContainerLogs {
  return async (query, signal) => {
    const pod = findPod(view.list(), query);
    const uid = pod.metadata?.uid ?? '';
    const container = chooseInstance(pod, cache.get(uid).containers, query);
    const isRunning = (): boolean =>
      cache.get(uid).containers.find(({ id }) => id.id === container.id.id)?.state === 'running';
    const { follow, timestamps, tailLines, sinceMs, sinceTime, limitBytes } = query;
    const options = { follow, timestamps, tailLines, sinceMs, sinceTime, limitBytes, signal };
    const chunks = readContainerLog({ files: logFiles, clock, isRunning }, container.logPath, options);
    // The first piece tells whether the file can be read at all, before an answer has begun.
    const first = await chunks.next().catch((error: unknown) => {
      if (!(error instanceof LogReadError)) throw error;
      throw new RequestError(error.reason === 'InvalidSinceTime' ? 422 : 404, error.message);
    });
    return bytesOf(first, chunks);
  };
}

/** The pieces of a log of which the first one has been read. Closing the iteration, even before it begins, closes the log. */
function bytesOf(
  first: IteratorResult<LogChunk>,
  rest: AsyncGenerator<LogChunk, void>,
): AsyncIterableIterator<Uint8Array> {
  let pending: IteratorResult<LogChunk> | undefined = first;
  return {
    async next() {
      const result = pending ?? (await rest.next());
      pending = undefined;
      return result.done ? { done: true, value: undefined } : { done: false, value: result.value.bytes };
    },
    async return() {
      await rest.return();
      return { done: true, value: undefined };
    },
    [Symbol.asyncIterator]() {
      return this;
    },
  };
}

function findPod(pods: readonly Pod[], { namespace, podName }: LogQuery): Pod {
  const found = pods.filter(({ metadata }) => metadata?.namespace === namespace && metadata.name === podName);
  // While a changed manifest replaces a pod, both have the name: the newer one is meant.
  const pod = found.findLast(({ metadata }) => metadata?.deletionTimestamp === undefined) ?? found.at(-1);
  if (pod === undefined) throw new RequestError(404, `pod "${podName}" does not exist in namespace "${namespace}"`);
  return pod;
}

/**
 * The instance whose log is meant: the newest one that was started; with `previous`, the one that ended before the container came to its present state,
 * which is the newest one while the container waits for its restart (kubelet: validateContainerLogStatus).
 */
function chooseInstance(
  pod: Pod,
  containers: readonly RuntimeContainerStatus[],
  query: LogQuery,
): RuntimeContainerStatus {
  const { containerName, podName, previous } = query;
  if (findPodContainer(pod, containerName) === undefined) {
    throw new RequestError(404, `container "${containerName}" not found in pod "${podName}"`);
  }
  const instances = containers.filter(({ name, state }) => name === containerName && state !== 'created');
  const state = stateOf(pod, containerName);
  if (previous) {
    const isPresent = instances[0]?.state === 'running' || state?.terminated !== undefined;
    const instance = instances.slice(isPresent ? 1 : 0).find((candidate) => candidate.state === 'exited');
    if (instance === undefined) {
      throw new RequestError(400, `previous terminated container "${containerName}" in pod "${podName}" not found`);
    }
    return instance;
  }
  const [newest] = instances;
  if (newest === undefined) {
    throw new RequestError(400, `container "${containerName}" in pod "${podName}" is ${whyNoLog(state)}`);
  }
  return newest;
}

function stateOf({ status }: Pod, containerName: string): ContainerState | undefined {
  const statuses = [
    ...(status?.containerStatuses ?? []),
    ...(status?.initContainerStatuses ?? []),
    ...(status?.ephemeralContainerStatuses ?? []),
  ];
  return statuses.find(({ name }) => name === containerName)?.state;
}

function whyNoLog(state: ContainerState | undefined): string {
  const reason = state?.waiting?.reason;
  switch (reason) {
    case undefined:
      return 'waiting to start - no logs yet';
    case 'ErrImagePull':
      return "waiting to start: image can't be pulled";
    case 'ImagePullBackOff':
      return 'waiting to start: trying and failing to pull image';
    default:
      return `waiting to start: ${reason}`;
  }
}
