import type { Clock } from '@rxlet/component-base';
import { findTailStart } from './find-tail-start.ts';
import { createChangeSignal } from './log-change-signal.ts';
import type { LogFile, LogFiles } from './log-files.ts';
import { createLogLineReader } from './log-line-reader.ts';
import type { LogChunk } from './log-output.ts';
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

const READ_SIZE = 256 * 1024;
/** A runtime that made a new log file writes to it after this time. */
const TURN_MS = 1000;

/**
 * Reads a container's log file. Rotated files are not read, but a reader that follows goes on across a rotation, with all that was written to the file
 * before the runtime turned to the next one. The format is that of the first line; later lines that are not of it are left out, and so are lines of more
 * than 1 MiB, which no runtime writes unless it is configured to (they are split at 16 KiB).
 *
 * @throws LogReadError when there is no file, it is not of a known format, or `sinceTime` is no time; what comes before a bad line is given first.
 */
export async function* readContainerLog(
  ports: ReadLogPorts,
  path: string,
  options: ReadLogOptions = {},
): AsyncGenerator<LogChunk, void, undefined> {
  const { files, clock } = ports;
  const { tailLines, follow = false, signal } = options;
  signal?.throwIfAborted();
  const lines = createLogLineReader(path, {
    ...options,
    // Later lines are wanted too when following, however many there were at first.
    maxLines: tailLines !== undefined && !follow ? tailLines : undefined,
  });
  let file = await files.open(path);
  if (file === undefined) throw new LogReadError('NotFound', `there is no log file ${path}`);
  await using handles = new AsyncDisposableStack();
  handles.defer(() => file?.[Symbol.asyncDispose]());
  const changes = follow ? createChangeSignal(files, clock, path) : undefined;
  if (changes !== undefined) handles.use(changes);

  let offset = tailLines === undefined ? 0 : await findTailStart(file, tailLines);
  let successor: LogFile | undefined;
  let rotatedMs = 0;
  handles.defer(() => successor?.[Symbol.asyncDispose]());
  /** Whether no more is written to the file, so that it is complete when its end is reached once more. */
  let complete = false;

  for (;;) {
    if (lines.done) return;
    signal?.throwIfAborted();
    const block = await file.read(offset, READ_SIZE);
    if (block.length > 0) {
      offset += block.length;
      yield* lines.feed(block);
      if (lines.error !== undefined) throw lines.error;
      continue;
    }
    if (changes === undefined || complete) {
      yield* lines.finish();
      if (lines.error !== undefined) throw lines.error;
      if (successor === undefined) return;
      await file[Symbol.asyncDispose]();
      file = successor;
      successor = undefined;
      complete = false;
      offset = 0;
      continue;
    }
    if (successor !== undefined) {
      // A runtime makes the new file first and turns to it then. It surely has when there is something in it, or a while later.
      const mayWriteHere = (await successor.size()) === 0 && clock.monotonicNow() - rotatedMs < TURN_MS;
      if (mayWriteHere && (await ports.isRunning())) {
        await changes.next(signal);
        continue;
      }
      complete = true;
      continue;
    }
    if ((await file.size()) < offset) {
      lines.reset();
      offset = 0;
      continue;
    }
    successor = await successorOf(files, path, file);
    rotatedMs = clock.monotonicNow();
    if (successor !== undefined) continue;
    // What was written before the container ended may have come after the last read.
    complete = !(await ports.isRunning());
    if (!complete) await changes.next(signal);
  }
}

/** The file that took the place of another under its name, if one did. */
async function successorOf(files: LogFiles, path: string, current: LogFile): Promise<LogFile | undefined> {
  const now = await files.open(path);
  if (now === undefined || now.identity !== current.identity) return now;
  await now[Symbol.asyncDispose]();
  return undefined;
}
