import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { errorMessage, type Logger } from '@rxlet/component-base';

/** Number of files that the agent may have open (KubeletConfiguration `maxOpenFiles`). */
export interface OpenFileLimit {
  readonly maxOpenFiles: number;
  /** Whether the number was configured. A default raises the limit and never lowers it. */
  readonly isConfigured: boolean;
}

/** The parts of the machine that {@link applyOpenFileLimit} uses. */
export interface OpenFileLimitPorts {
  readonly logger: Logger;
  /** Returns the text of `/proc/self/limits`. */
  readonly readLimits?: () => Promise<string>;
  /** Sets the limit of this process, soft and hard. */
  readonly setLimit?: (files: number) => Promise<void>;
}

const TIMEOUT_MS = 5000;

/** Sets the agent's own limit of open files. A failure is logged and no more, as in the kubelet: without privileges the limit cannot be raised. */
export async function applyOpenFileLimit(
  { maxOpenFiles, isConfigured }: OpenFileLimit,
  { logger, readLimits = () => readFile('/proc/self/limits', 'latin1'), setLimit = byPrlimit }: OpenFileLimitPorts,
): Promise<void> {
  try {
    const [, soft, hard] = /^Max open files\s+(\d+|unlimited)\s+(\d+|unlimited)/m.exec(await readLimits()) ?? [];
    const isHighEnough = !isConfigured && soft !== undefined && !(Number(soft) < maxOpenFiles);
    if (isHighEnough || [soft, hard].every((limit) => Number(limit) === maxOpenFiles)) return;
    await setLimit(maxOpenFiles);
  } catch (error) {
    const log = isConfigured ? logger.error : logger.info;
    log('cannot set the limit of open files', { maxOpenFiles, error: lastLine(errorMessage(error)) });
  }
}

/** The program's own message follows its command line. */
function lastLine(text: string): string {
  return text.trim().split('\n').at(-1) ?? text;
}

/** Node.js has no system call for limits. */
async function byPrlimit(files: number): Promise<void> {
  const limit = `${String(files)}:${String(files)}`;
  await promisify(execFile)('prlimit', ['--pid', String(process.pid), `--nofile=${limit}`], { timeout: TIMEOUT_MS });
}
