/** An open container log. */
export interface LogFile {
  /** Appends whole lines. Must not throw: a runtime continues when a log disk is full. */
  append(lines: string): void;
  /** Closes it; nothing is appended afterwards. */
  close(): void;
}

/** Destination of container logs: {@link createMemoryLogs} (the default), {@link createFileLogs} or {@link discardLogs}. */
export interface LogSink {
  /** Opens the log at `path` for appending, and creates missing directories. Throws when that fails. */
  open(path: string): LogFile;
}

/** Drops all output. */
export const discardLogs: LogSink = {
  open: () => ({ append: () => undefined, close: () => undefined }),
};

/** Logs held in memory, for tests. */
export interface MemoryLogs extends LogSink {
  /** Returns the content of the log at `path`; empty when nothing was written. */
  read(path: string): string;
}

/** Creates {@link MemoryLogs}. Of each log it keeps the last `maxLength` characters (default: one million). */
export function createMemoryLogs(maxLength = 1_000_000): MemoryLogs {
  const contents = new Map<string, string>();
  return {
    open: (path) => ({
      append: (lines) => void contents.set(path, `${contents.get(path) ?? ''}${lines}`.slice(-maxLength)),
      close: () => undefined,
    }),
    read: (path) => contents.get(path) ?? '',
  };
}
