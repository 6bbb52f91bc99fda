import type { Clock } from '@rxlet/component-base';
import { findTailStart } from './find-tail-start.ts';
import { createChangeSignal } from './log-change-signal.ts';
import type { LogFile, LogFiles } from './log-files.ts';
import { createLogLineReader, type LogChunk } from './log-line-reader.ts';
import { LogReadError } from './log-read-error.ts';
import type { LogSelectionOptions } from './log-selection.ts';

/** What of a container's log is read, after PodLogOptions. */
export interface ReadLogOptions extends LogSelectionOptions {
  /** Begins this many lines before the end. Default: at the beginning of the file. */
  readonly tailLines?: number | undefined;
  /** Goes on with what is written later, for as long as the container runs. */
  readonly follow?: boolean | undefined;
  /** Ends the reading; the iteration rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
}

/** What reading a log needs. */
export interface ReadLogPorts {
  readonly files: LogFiles;
  readonly clock: Clock;
  /** Whether more may be written; asked when following, at the end of the file. If that cannot be told for the moment, the answer is yes. */
  isRunning(): boolean | Promise<boolean>;
}

const READ_SIZE = 64 * 1024;

/**
 * Reads a container's log file. Rotated files are not read, but a reader that follows goes on across a rotation. The format is that of the first
 * line; later lines that are not of it are left out.
 *
 * @throws LogReadError when there is no file, or its first line is of no known format.
 */
export async function* readContainerLog(
  ports: ReadLogPorts,
  path: string,
  options: ReadLogOptions = {},
): AsyncGenerator<LogChunk, void, undefined> {
  const { files, clock } = ports;
  const { tailLines, follow = false, signal } = options;
  signal?.throwIfAborted();
  let file = await files.open(path);
  if (file === undefined) throw new LogReadError('NotFound', `there is no log file ${path}`);
  await using handles = new AsyncDisposableStack();
  handles.defer(() => file?.[Symbol.asyncDispose]());
  const changes = follow ? createChangeSignal(files, clock, path) : undefined;
  if (changes !== undefined) handles.use(changes);

  const lines = createLogLineReader(path, {
    ...options,
    // Later lines are wanted too when following, however many there were at first.
    maxLines: tailLines !== undefined && !follow ? tailLines : undefined,
  });
  let offset = tailLines === undefined ? 0 : await findTailStart(file, tailLines);
  let successor: LogFile | undefined;
  handles.defer(() => successor?.[Symbol.asyncDispose]());
  let ended = false;

  for (;;) {
    if (lines.done) return;
    signal?.throwIfAborted();
    const block = await file.read(offset, READ_SIZE);
    if (block.length > 0) {
      offset += block.length;
      yield* lines.feed(block);
      continue;
    }
    if (changes === undefined || ended) {
      yield* lines.finish();
      return;
    }
    if (successor !== undefined) {
      // The runtime had turned to the new file before the last read, so the old one is complete.
      yield* lines.finish();
      await file[Symbol.asyncDispose]();
      file = successor;
      successor = undefined;
      offset = 0;
      continue;
    }
    if ((await file.size()) < offset) {
      lines.reset();
      offset = 0;
      continue;
    }
    successor = await successorOf(files, path, file);
    if (successor !== undefined) continue;
    // What was written before the container ended may have come after the last read.
    ended = !(await ports.isRunning());
    if (!ended) await changes.next(signal);
  }
}

/** The file that took the place of another under its name, if one did. */
async function successorOf(files: LogFiles, path: string, current: LogFile): Promise<LogFile | undefined> {
  const now = await files.open(path);
  if (now === undefined || now.identity !== current.identity) return now;
  await now[Symbol.asyncDispose]();
  return undefined;
}
