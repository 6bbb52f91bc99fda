import type { Clock } from '@rxlet/component-base';
import { findTailStart } from './find-tail-start.ts';
import { createChangeSignal } from './log-change-signal.ts';
import { type HostFiles, type OpenFile, UnsafeFileError } from '@rxlet/node-files';
import { createLogLineReader } from './log-line-reader.ts';
import type { LogChunk } from './log-output.ts';
import { LogReadError } from './log-read-error.ts';
import type { LogSelectionOptions } from './log-selection.ts';

/** Options of {@link readContainerLog}, after PodLogOptions. */
export interface ReadLogOptions extends LogSelectionOptions {
  /** Begins this many lines before the end. Default: at the beginning of the file. */
  readonly tailLines?: number | undefined;
  /** Continues with lines that are written later, while the container runs. */
  readonly follow?: boolean | undefined;
  /** Ends the reading; the iteration rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
}

/** Ports of {@link readContainerLog}. */
export interface ReadLogPorts {
  readonly files: Pick<HostFiles, 'open' | 'watch'>;
  readonly clock: Clock;
  /** Reports whether more may be written; called at the end of a followed file. Returns true while the answer is unknown. */
  isRunning(): boolean | Promise<boolean>;
}

const READ_SIZE = 256 * 1024;
/** Time after which a runtime writes to the log file that it created. */
const TURN_MS = 1000;

/**
 * Reads a container's log file. Rotated files are not read, but a reader that follows continues across a rotation, with everything that was written to the
 * file before the runtime reopened its log. The format is that of the first line; later lines of another format are left out. A line of more than 1 MiB is
 * delivered in pieces; in Docker's format it is left out.
 *
 * @throws LogReadError when there is no file, it is not of a known format, or `sinceTime` is not a time. Lines before a bad one are delivered first.
 *
 * @example
 * ```ts
 * import { systemClock } from '@rxlet/component-base';
 * import { readContainerLog } from '@rxlet/container-logs';
 * import { createHostFiles } from '@rxlet/node-files';
 *
 * const ports = { files: createHostFiles(), clock: systemClock, isRunning: () => true };
 * for await (const { stream, bytes } of readContainerLog(ports, '/var/log/pods/web/0.log', { follow: true, tailLines: 10 }))
 *   console.log(stream, Buffer.from(bytes).toString());
 * ```
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
  let file = await openLog(files, path);
  if (file === undefined) throw new LogReadError('NotFound', `there is no log file ${path}`);
  await using handles = new AsyncDisposableStack();
  handles.defer(() => file?.[Symbol.asyncDispose]());
  const changes = follow ? createChangeSignal(files, clock, path) : undefined;
  if (changes !== undefined) handles.use(changes);

  let offset = tailLines === undefined ? 0 : await findTailStart(file, tailLines);
  let successor: OpenFile | undefined;
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
      const mayWriteHere = (await successor.stat()).sizeBytes === 0 && clock.monotonicNow() - rotatedMs < TURN_MS;
      if (mayWriteHere && (await ports.isRunning())) {
        await changes.next(signal);
        continue;
      }
      complete = true;
      continue;
    }
    if ((await file.stat()).sizeBytes < offset) {
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

/** Opens a log. @throws LogReadError when it is not a regular file */
async function openLog(files: ReadLogPorts['files'], path: string): Promise<OpenFile | undefined> {
  try {
    return await files.open(path);
  } catch (error) {
    if (!(error instanceof UnsafeFileError)) throw error;
    throw new LogReadError('NotAFile', `the log ${error.message}`);
  }
}

/** The file that took the place of another under its name, if one did. */
async function successorOf(
  files: ReadLogPorts['files'],
  path: string,
  current: OpenFile,
): Promise<OpenFile | undefined> {
  const now = await openLog(files, path);
  if (now === undefined || now.identity !== current.identity) return now;
  await now[Symbol.asyncDispose]();
  return undefined;
}
