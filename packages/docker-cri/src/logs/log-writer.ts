import type { LogEntry } from './log-entries.ts';
import type { LogFile, LogFiles } from './log-files.ts';
import { advance, formatLine, type LogPosition, positionOf, reachBeyond } from './log-position.ts';

/** Storage of the positions of logs that were rotated before their container wrote again. */
export interface PositionStore {
  read(containerId: string): Promise<LogPosition | undefined>;
  write(containerId: string, position: LogPosition): Promise<void>;
  remove(containerId: string): Promise<void>;
}

/** Writes the log of a container in the CRI's format. */
export interface LogWriter extends AsyncDisposable {
  /** Returns the end of the log, from which Docker's log is read. */
  position(): Promise<LogPosition | undefined>;
  /** Appends entries; those up to the position must have been dropped. */
  write(entries: readonly LogEntry[]): Promise<void>;
  /** Continues in a new file at the path, after the old one was renamed. */
  reopen(): Promise<void>;
}

const TAIL_BYTES = 256 * 1024;
const MAX_TAIL_BYTES = 16 * 1024 * 1024;

/** Creates a {@link LogWriter}. The file is opened with the first call. */
export function createLogWriter(
  files: LogFiles,
  path: string,
  containerId: string,
  positions: PositionStore,
): LogWriter {
  let file: LogFile | undefined;
  let position: LogPosition | undefined;
  /** Whether a write failed, so that any part of it may be in the file. */
  let isEndUnknown = false;
  let queue: Promise<unknown> = Promise.resolve();

  const enqueue = <T>(task: () => Promise<T>): Promise<T> => {
    const result = queue.then(task);
    queue = result.catch(() => undefined);
    return result;
  };
  const opened = async (): Promise<LogFile> => {
    if (file !== undefined) {
      if (isEndUnknown) position = (await readPosition(file)) ?? position;
      isEndUnknown = false;
      return file;
    }
    const next = await files.open(path);
    try {
      position = (await readPosition(next)) ?? (await positions.read(containerId));
    } catch (error) {
      await next[Symbol.asyncDispose]();
      throw error;
    }
    return (file = next);
  };
  const close = async (): Promise<void> => {
    const old = file;
    file = undefined;
    await old?.[Symbol.asyncDispose]();
  };
  return {
    position: () =>
      enqueue(async () => {
        await opened();
        return position;
      }),
    write: (entries) =>
      enqueue(async () => {
        const target = await opened();
        isEndUnknown = true;
        await target.append(Buffer.concat(entries.map(formatLine)));
        isEndUnknown = false;
        for (const entry of entries) position = advance(position, entry);
      }),
    reopen: () =>
      enqueue(async () => {
        await opened();
        // A killed shim would otherwise find an empty file and start again from the first line.
        if (position !== undefined) await positions.write(containerId, position);
        const next = await files.open(path);
        await close();
        file = next;
      }),
    [Symbol.asyncDispose]: () => enqueue(close),
  };
}

/** Returns the position at the end of a file, after cutting off a line that a killed process or a full disk has left unfinished. */
async function readPosition(file: LogFile): Promise<LogPosition | undefined> {
  for (let bytes = TAIL_BYTES; ; bytes *= 4) {
    const tail = await file.tail(bytes);
    const end = tail.lastIndexOf('\n') + 1;
    const lines = tail.toString('utf8', 0, end);
    const position = positionOf(lines);
    // All parts of a long line have one time.
    if (!reachBeyond(lines, position) && tail.length === bytes && bytes < MAX_TAIL_BYTES) continue;
    if (end < tail.length) await file.cut(tail.length - end);
    return position;
  }
}
