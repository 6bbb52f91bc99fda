/** An open container log. */
export interface LogFile {
  /** Appends whole lines. Must not throw: a runtime goes on when a log disk is full. */
  append(lines: string): void;
  /** Closes it; nothing is appended afterwards. */
  close(): void;
}

/** Where container logs go: {@link createFileLogs} (the default), {@link createMemoryLogs} or {@link discardLogs}. */
export interface LogSink {
  /** Opens the log at `path` for appending and creates what is missing of its directories. Throws when that cannot be done. */
  open(path: string): LogFile;
}

/** Drops all output. */
export const discardLogs: LogSink = {
  open: () => ({ append: () => undefined, close: () => undefined }),
};

/** Logs held in memory, for tests. */
export interface MemoryLogs extends LogSink {
  /** The content of the log at `path`; empty when nothing was written. */
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
