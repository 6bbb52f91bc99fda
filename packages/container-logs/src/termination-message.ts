import { type Clock, errorMessage } from '@rxlet/component-base';
import type { Container, EphemeralContainer } from '@rxlet/kube-api';
import { absoluteContainerPath } from '@rxlet/pod-model';
import type { RuntimeContainerStatus } from '@rxlet/pod-model/runtime';
import type { HostFiles, NodeFiles } from '@rxlet/node-files';
import { readContainerLog } from './read/read-container-log.ts';

/** Ports of {@link readTerminationMessage}. */
export interface TerminationMessagePorts {
  readonly files: Pick<NodeFiles, 'readTail'>;
  readonly hostFiles: Pick<HostFiles, 'open' | 'watch'>;
  readonly clock: Clock;
}

const MAX_FILE_BYTES = 4096;
const MAX_LOG_BYTES = 2048;
const MAX_LOG_LINES = 80;

/**
 * Returns the termination message of a container: the message of the runtime, then the last 4096 bytes of the container's termination message file. When the file is empty, the container failed and its `terminationMessagePolicy` is `FallbackToLogsOnError`, the end of its log is used instead.
 *
 * Never rejects: the message names files that cannot be read. For a container that has not exited it is the message of the runtime.
 */
export async function readTerminationMessage(
  ports: TerminationMessagePorts,
  container: Pick<Container | EphemeralContainer, 'terminationMessagePath' | 'terminationMessagePolicy'>,
  status: RuntimeContainerStatus,
): Promise<string> {
  if (status.state !== 'exited') return status.message;
  let text = await fileText(ports, container.terminationMessagePath ?? '', status);
  // A container that could not even be started has no log.
  const mayUseLog =
    container.terminationMessagePolicy === 'FallbackToLogsOnError' &&
    status.exitCode !== 0 &&
    status.reason !== 'ContainerCannotRun';
  if (text === '' && mayUseLog) text = await logText(ports, status.logPath);
  return [status.message, text].filter((part) => part !== '').join(': ');
}

async function fileText(
  { files }: TerminationMessagePorts,
  path: string,
  status: RuntimeContainerStatus,
): Promise<string> {
  if (path === '') return '';
  const mountPath = absoluteContainerPath(path);
  const hostPath = status.mounts.find(({ containerPath }) => containerPath === mountPath)?.hostPath;
  if (hostPath === undefined) return '';
  try {
    return decode(await files.readTail(hostPath, MAX_FILE_BYTES));
  } catch (error) {
    return `Error on reading termination log ${hostPath}: ${errorMessage(error)}`;
  }
}

async function logText({ hostFiles, clock }: TerminationMessagePorts, logPath: string): Promise<string> {
  let tail: Uint8Array = new Uint8Array();
  try {
    const chunks = readContainerLog({ files: hostFiles, clock, isRunning: () => false }, logPath, {
      tailLines: MAX_LOG_LINES,
    });
    for await (const { bytes } of chunks) tail = Buffer.concat([tail, bytes]).subarray(-MAX_LOG_BYTES);
    return decode(tail);
  } catch (error) {
    return `Error on reading termination message from logs: ${errorMessage(error)}`;
  }
}

function decode(bytes: Uint8Array = new Uint8Array()): string {
  return new TextDecoder().decode(bytes);
}
