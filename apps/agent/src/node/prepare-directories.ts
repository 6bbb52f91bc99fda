import { mkdir, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { errorMessage } from '@rxlet/component-base';
import { findUntrustedDirectory } from '@rxlet/node-files';
import { ConfigError } from '../config/config-error.ts';

const POD_LOGS_SETTING = 'podLogsDir of the configuration file';

/** Directories of the agent. */
export interface AgentDirectories {
  readonly rootDirectory: string;
  readonly podLogsDirectory: string;
  /** Default: no links to the logs. */
  readonly containerLogsDirectory?: string | undefined;
  /** Directory of certificates and keys. Default: there are none. */
  readonly certificateDirectory?: string | undefined;
}

/**
 * Creates the agent's own directories with the kubelet's modes where they are missing.
 * @throws ConfigError naming the directory and the setting it comes from; also for a directory of state or keys that another user could change
 */
export async function prepareDirectories({
  rootDirectory,
  podLogsDirectory,
  containerLogsDirectory,
  certificateDirectory,
}: AgentDirectories): Promise<void> {
  await makeDirectory(rootDirectory, 0o750, '--root-dir');
  await rejectUntrusted(rootDirectory, 'root directory', '--root-dir');
  if (certificateDirectory !== undefined) {
    await makeDirectory(certificateDirectory, 0o755, '--cert-dir');
    await rejectUntrusted(certificateDirectory, 'directory of certificates', '--cert-dir');
  }
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

/**
 * Rejects a directory that another user could replace, or in which he could create the agent's files and sockets before the agent does.
 * @throws ConfigError naming the directory and the setting it comes from
 */
export async function rejectUntrusted(directory: string, noun: string, setting: string): Promise<void> {
  const found = await findUntrustedDirectory(directory);
  if (found === undefined) return;
  const { path, problem, remedy } = found;
  const subject = path === directory ? 'it' : `"${path}" on its way`;
  throw new ConfigError(
    `cannot use the ${noun} "${directory}": ${subject} ${problem}; run ${remedy}, or choose another with ${setting}`,
  );
}
