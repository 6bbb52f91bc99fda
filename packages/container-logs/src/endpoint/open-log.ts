import type { AgentCore } from '@rxlet/agent-api';
import type { Clock } from '@rxlet/component-base';
import { callErrorCode, ContainerState, type ContainerStatus, type RuntimeService, StatusCode } from '@rxlet/cri-api';
import type { HostFiles } from '@rxlet/node-files';
import { LogReadError } from '../read/log-read-error.ts';
import { readContainerLog } from '../read/read-container-log.ts';
import { chooseContainerId, findPod } from './choose-container.ts';
import type { OpenLog } from './container-logs-endpoint.ts';
import type { LogQuery } from './log-query.ts';

/** Dependencies of {@link createOpenLog}. */
export interface OpenLogPorts {
  readonly core: Pick<AgentCore, 'pods' | 'runtimeStatus'>;
  readonly runtime: Pick<RuntimeService, 'containerStatus'>;
  readonly hostFiles: Pick<HostFiles, 'open' | 'watch'>;
  readonly clock: Clock;
}

/** Creates the function that opens logs of the agent's pods. */
export function createOpenLog(ports: OpenLogPorts): OpenLog {
  return async (query, signal) => {
    const pod = findPod(ports.core.pods.list(), query);
    const containerId = chooseContainerId(pod, query);
    return readLog(ports, { podUid: pod.metadata?.uid ?? '', containerId, query }, signal);
  };
}

/** A container's log and the part of it that is read. */
interface LogPart {
  readonly podUid: string;
  readonly containerId: string;
  readonly query: LogQuery;
}

/** Reads a log. As in the kubelet, a log that cannot be read ends with the reason as its last line: the status of the answer has been sent by then. */
async function* readLog(
  { core, runtime, hostFiles, clock }: OpenLogPorts,
  { podUid, containerId, query }: LogPart,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array, void> {
  const id = containerId.replace(/^.*?:\/\//, '');
  const statusOf = async (): Promise<ContainerStatus | undefined> => {
    const { status } = await runtime.containerStatus({ containerId: id }, { signal });
    return status;
  };
  const isRunning = async (): Promise<boolean> => {
    const known = core.runtimeStatus(podUid).containers.find((container) => container.id.id === id);
    if (known !== undefined) return known.state === 'running';
    // A container that has just been created, or that is gone. A runtime that does not answer says nothing of it: its containers run on while it restarts.
    return statusOf().then(
      (status) => status?.state === ContainerState.CONTAINER_RUNNING,
      (error: unknown) => callErrorCode(error) !== StatusCode.NotFound,
    );
  };
  const status = await statusOf().catch(() => undefined);
  if (status === undefined) {
    yield Buffer.from(`unable to retrieve container logs for ${containerId}`);
    return;
  }
  const { stream, follow, timestamps, tailLines, sinceMs, sinceTime, limitBytes } = query;
  const streams = stream && [stream];
  const options = { follow, timestamps, tailLines, sinceMs, sinceTime, limitBytes, streams, signal };
  try {
    for await (const { bytes } of readContainerLog({ files: hostFiles, clock, isRunning }, status.logPath, options)) {
      yield bytes;
    }
  } catch (error) {
    if (!(error instanceof LogReadError)) throw error;
    yield Buffer.from(explain(error, status.logPath));
  }
}

function explain({ reason, message }: LogReadError, path: string): string {
  if (reason !== 'NotFound') return message;
  return `failed to try resolving symlinks in path "${path}": lstat ${path}: no such file or directory`;
}
