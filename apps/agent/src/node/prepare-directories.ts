import { mkdir, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { errorMessage } from '@rxlet/component-base';
import { ConfigError } from '../config/config-error.ts';

const POD_LOGS_SETTING = 'podLogsDir of the configuration file';

/** Directories of the agent. */
export interface AgentDirectories {
  readonly rootDirectory: string;
  readonly podLogsDirectory: string;
  /** Default: no links to the logs. */
  readonly containerLogsDirectory?: string | undefined;
}

/**
 * Creates the agent's own directories with the kubelet's modes where they are missing.
 * @throws ConfigError naming the directory and the setting it comes from; also for a root directory that everyone may write to
 */
export async function prepareDirectories({
  rootDirectory,
  podLogsDirectory,
  containerLogsDirectory,
}: AgentDirectories): Promise<void> {
  await makeDirectory(rootDirectory, 0o750, '--root-dir');
  await rejectWorldWritable(rootDirectory);
  await makeDirectory(podLogsDirectory, 0o750, POD_LOGS_SETTING);
  if (containerLogsDirectory !== undefined) await makeDirectory(containerLogsDirectory, 0o755, POD_LOGS_SETTING);
}

async function makeDirectory(path: string, mode: number, setting: string): Promise<void> {
  try {
    await makeTree(path, mode);
  } catch (error) {
    throw new ConfigError(`cannot create the directory "${path}" of ${setting}: ${errorMessage(error)}`, {
      cause: error,
    });
  }
}

/** Unlike a recursive `mkdir`, reports the cause of a failure: Node.js turns EROFS into ENOENT there. */
async function makeTree(path: string, mode: number): Promise<void> {
  try {
    await mkdir(path, { mode });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST' && (await stat(path)).isDirectory()) return;
    if (code !== 'ENOENT' || dirname(path) === path) throw error;
    await makeTree(dirname(path), mode);
    await mkdir(path, { mode });
  }
}

/** Rejects a world-writable root directory, even with the sticky bit: any user could create the agent's files and sockets before the agent does. */
async function rejectWorldWritable(rootDirectory: string): Promise<void> {
  const { mode } = await stat(rootDirectory);
  if ((mode & 0o002) === 0) return;
  throw new ConfigError(
    `cannot use the root directory "${rootDirectory}": every user may write to it (mode ${(mode & 0o7777).toString(8)}); ` +
      `run chmod o-w "${rootDirectory}", or choose another with --root-dir`,
  );
}
