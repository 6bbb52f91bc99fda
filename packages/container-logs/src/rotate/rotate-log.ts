import { errorMessage } from '@rxlet/component-base';
import type { DirectoryHandle } from '@rxlet/node-files';
import { LogRotationError } from './log-rotation-error.ts';
import { planRotation, rotatedName } from './plan-rotation.ts';

/** A rotation of {@link rotateLog}. */
export interface RotateLogRequest {
  readonly directory: DirectoryHandle;
  /** Name of the log in the directory. */
  readonly log: string;
  /** Maximum number of files, the log included. */
  readonly maxFiles: number;
  readonly nowMs: number;
  /** Makes the runtime reopen the log's path. */
  reopen(): Promise<void>;
  /** Compresses a file. It handles its own failures, because the log must be rotated all the same. */
  compress(name: string): Promise<void>;
  readonly signal: AbortSignal;
}

/**
 * Rotates a log: makes room among the files of earlier rotations, compresses those that are left, gives the log another name, and makes the runtime open
 * a new file. The rotated file is compressed only by the next rotation, because readers may still be at its end.
 *
 * Wherever the process is killed, the next rotation can continue. It handles temporary files, both a file and its compressed form, a log without its
 * name (the rotator makes the runtime reopen it), or two names of one file.
 * @returns the new name of the rotated file
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

/** Lists the files of earlier rotations. Entries that are not regular files stay. */
async function rotatedFiles(directory: DirectoryHandle, log: string): Promise<string[]> {
  const current = await directory.stat(log);
  const files: string[] = [];
  for (const name of await directory.list()) {
    if (!name.startsWith(`${log}.`)) continue;
    const entry = await directory.stat(name);
    if (entry?.kind !== 'file') continue;
    // A second name of the log, from a move back that was interrupted: the container still writes to it.
    if (entry.identity === current?.identity) await directory.remove(name);
    else files.push(name);
  }
  return files;
}

/** Renames a log back. @returns false when the name is taken: the runtime has reopened the log, and only its reply was lost. */
async function moveBack(directory: DirectoryHandle, rotated: string, log: string, cause: unknown): Promise<boolean> {
  try {
    return await directory.renameUnlessTaken(rotated, log);
  } catch (error) {
    const message = `the runtime did not reopen the log (${errorMessage(cause)}), and ${rotated} could not be moved back (${errorMessage(error)}); it is asked again`;
    throw new LogRotationError('ReopenFailed', message, { cause: error });
  }
}
