import { errorMessage } from '@rxlet/component-base';
import type { LogDirectory } from './log-directories.ts';
import { LogRotationError } from './log-rotation-error.ts';
import { planRotation, rotatedName } from './plan-rotation.ts';

/** What one rotation works with. */
export interface RotateLogRequest {
  readonly directory: LogDirectory;
  /** Name of the log in the directory. */
  readonly log: string;
  /** Files to have at most, the log included. */
  readonly maxFiles: number;
  readonly nowMs: number;
  /** Has the runtime open the log's path anew. */
  reopen(): Promise<void>;
  /** Compresses a file; what fails is dealt with there, as a log must be rotated all the same. */
  compress(name: string): Promise<void>;
  readonly signal: AbortSignal;
}

/**
 * Rotates a log: makes room among the files of earlier rotations, compresses those that are left, gives the log another name, and has the runtime begin a
 * new file. The file that was the log is compressed by the next rotation only: readers may still be at its end.
 *
 * Whatever the process is killed in, the next rotation finds a state it knows: temporary files, both a file and its compressed form, a log without its
 * name (the rotator has the runtime reopen that), or two names of one file.
 * @returns the name that the log has now
 */
export async function rotateLog(request: RotateLogRequest): Promise<string> {
  const { directory, log, signal } = request;
  const { remove, compress } = planRotation(await rotatedFiles(directory, log), request.maxFiles);
  for (const name of remove) await directory.remove(name);
  for (const name of compress) await request.compress(name);
  signal.throwIfAborted();
  const rotated = rotatedName(log, await directory.list(), request.nowMs);
  await directory.rename(log, rotated);
  try {
    await request.reopen();
  } catch (error) {
    if (await moveBack(directory, rotated, log, error)) {
      throw new LogRotationError('ReopenFailed', `the runtime did not reopen the log: ${errorMessage(error)}`, {
        cause: error,
      });
    }
  }
  return rotated;
}

/** Names of the files of earlier rotations. What is no regular file is nobody's rotated log, and stays. */
async function rotatedFiles(directory: LogDirectory, log: string): Promise<string[]> {
  const current = await directory.lstat(log);
  const files: string[] = [];
  for (const name of await directory.list()) {
    if (!name.startsWith(`${log}.`)) continue;
    const entry = await directory.lstat(name);
    if (entry?.isFile !== true) continue;
    // A second name of the log, from a move back that was interrupted: the container still writes to it.
    if (entry.identity === current?.identity) await directory.remove(name);
    else files.push(name);
  }
  return files;
}

/** Gives a log its name back. @returns false when there is one by now: then the runtime did reopen it, and only its reply was lost. */
async function moveBack(directory: LogDirectory, rotated: string, log: string, cause: unknown): Promise<boolean> {
  try {
    return await directory.renameUnlessTaken(rotated, log);
  } catch (error) {
    const message = `the runtime did not reopen the log (${errorMessage(cause)}), and ${rotated} could not be moved back (${errorMessage(error)}); it is asked again`;
    throw new LogRotationError('ReopenFailed', message, { cause: error });
  }
}
