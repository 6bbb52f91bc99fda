import { type Clock, errorMessage } from '@rxlet/component-base';
import type { Container, EphemeralContainer } from '@rxlet/kube-api';
import type { RuntimeContainerStatus } from '@rxlet/pod-model';
import type { LogFiles } from '../logs/log-files.ts';
import { readContainerLog } from '../logs/read-container-log.ts';
import type { FileSystem } from './file-system.ts';

/** What reading a termination message needs. */
export interface TerminationMessagePorts {
  readonly files: Pick<FileSystem, 'readTail'>;
  readonly logFiles: LogFiles;
  readonly clock: Clock;
}

const MAX_FILE_BYTES = 4096;
const MAX_LOG_BYTES = 2048;
const MAX_LOG_LINES = 80;

/**
 * Why a container ended, as far as it said itself: what the runtime reports, then the last 4096 bytes of the file that the container was given for that
 * purpose. When the file is empty, the container failed and its `terminationMessagePolicy` is `FallbackToLogsOnError`, the end of its log stands in.
 *
 * Never rejects: what cannot be read is said in the message. Of a container that has not exited it is what the runtime reports.
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
  const hostPath =
    path === '' ? undefined : status.mounts.find(({ containerPath }) => containerPath === path)?.hostPath;
  if (hostPath === undefined) return '';
  try {
    return decode(await files.readTail(hostPath, MAX_FILE_BYTES));
  } catch (error) {
    return `Error on reading termination log ${hostPath}: ${errorMessage(error)}`;
  }
}

async function logText({ logFiles, clock }: TerminationMessagePorts, logPath: string): Promise<string> {
  let tail: Uint8Array = new Uint8Array();
  try {
    const chunks = readContainerLog({ files: logFiles, clock, isRunning: () => false }, logPath, {
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
