import type { Clock } from '@rxlet/component-base';
import type { ContainerStatus, Pod } from '@rxlet/kube-api';
import { type LogQuery, RequestError } from '@rxlet/kubelet-server';
import type { PodStatusCache } from '@rxlet/pleg';
import type { RuntimeContainerStatus } from '@rxlet/pod-model';
import { type LogFiles, LogReadError, readContainerLog } from '@rxlet/runtime-manager';
import type { PodView } from './pod-view.ts';

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
    const { follow, timestamps, tailLines, sinceMs, limitBytes } = query;
    const options = { follow, timestamps, tailLines, sinceMs, limitBytes, signal };
    const chunks = readContainerLog({ files: logFiles, clock, isRunning }, container.logPath, options);
    // The first piece tells whether the file can be read at all, before an answer has begun.
    const first = await chunks.next().catch((error: unknown) => {
      throw error instanceof LogReadError ? new RequestError(404, error.message) : error;
    });
    return (async function* () {
      if (!first.done) yield first.value.bytes;
      for await (const { bytes } of chunks) yield bytes;
    })();
  };
}

function findPod(pods: readonly Pod[], { namespace, podName }: LogQuery): Pod {
  const found = pods.filter(({ metadata }) => metadata?.namespace === namespace && metadata.name === podName);
  // While a changed manifest replaces a pod, both have the name: the newer one is meant.
  const pod = found.findLast(({ metadata }) => metadata?.deletionTimestamp === undefined) ?? found.at(-1);
  if (pod === undefined) throw new RequestError(404, `pod "${podName}" does not exist in namespace "${namespace}"`);
  return pod;
}

/** The instance whose log is meant; of a container that waits for a restart, the one that ended last (kubelet: validateContainerLogStatus). */
function chooseInstance(
  pod: Pod,
  containers: readonly RuntimeContainerStatus[],
  query: LogQuery,
): RuntimeContainerStatus {
  const { containerName, podName, previous } = query;
  const specs = [
    ...(pod.spec?.containers ?? []),
    ...(pod.spec?.initContainers ?? []),
    ...(pod.spec?.ephemeralContainers ?? []),
  ];
  if (!specs.some(({ name }) => name === containerName)) {
    throw new RequestError(404, `container "${containerName}" not found in pod "${podName}"`);
  }
  const instances = containers.filter(({ name, state }) => name === containerName && state !== 'created');
  if (previous) {
    const earlier = instances.filter(({ state }) => state === 'exited');
    const instance = instances[0]?.state === 'running' ? earlier[0] : earlier[1];
    if (instance === undefined) {
      throw new RequestError(400, `previous terminated container "${containerName}" in pod "${podName}" not found`);
    }
    return instance;
  }
  const [newest] = instances;
  if (newest === undefined)
    throw new RequestError(400, `container "${containerName}" in pod "${podName}" is ${whyNoLog(pod, containerName)}`);
  return newest;
}

function whyNoLog(pod: Pod, containerName: string): string {
  const { status } = pod;
  const statuses: readonly ContainerStatus[] = [
    ...(status?.containerStatuses ?? []),
    ...(status?.initContainerStatuses ?? []),
    ...(status?.ephemeralContainerStatuses ?? []),
  ];
  const reason = statuses.find(({ name }) => name === containerName)?.state?.waiting?.reason;
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
