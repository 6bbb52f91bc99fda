/** What a name in a log directory stands for; links are not followed. */
export interface LogEntry {
  readonly isFile: boolean;
  readonly sizeBytes: number;
  /** The same for two names of one file. */
  readonly identity: string;
}

/**
 * An open directory of container logs. All that is done through it is done in that very directory, whatever has become of its path since, and to names
 * directly in it: a name with a slash is refused.
 */
export interface LogDirectory extends AsyncDisposable {
  list(): Promise<readonly string[]>;
  /** What a name stands for; `undefined` when it is not there. */
  lstat(name: string): Promise<LogEntry | undefined>;
  /** Renames in one step; what `to` stood for is gone. */
  rename(from: string, to: string): Promise<void>;
  /** Renames unless `to` is there. A crash on the way leaves both names to the one file. @returns whether it did. */
  renameUnlessTaken(from: string, to: string): Promise<boolean>;
  /** Removes a file or link; one that is not there is no error. */
  remove(name: string): Promise<void>;
  /**
   * Replaces a file by `<name>.gz`. That is written as `<name>.tmp`, which must not be there, and has its final name only when it is complete and on disk;
   * the file goes last. On failure the temporary file is removed and `name` is as it was. Does nothing when `name` is removed in the meantime.
   */
  compress(name: string, signal: AbortSignal): Promise<void>;
}

/** Access to the directories of container logs, to rotate what is in them. No link below the root of pod logs is followed, but by a glance. */
export interface LogDirectories {
  /** Opens a directory; `undefined` when there is none. Rejects when the path leads out of where logs are. */
  open(path: string): Promise<LogDirectory | undefined>;
  /**
   * The size of the file that a path leads to, in bytes, cheaply: by whatever links there are on the way, so it is good for leaving a log alone only.
   * `undefined` when there is no regular file in the last place. Rejects as {@link LogDirectories.open} does.
   */
  glance(path: string): Promise<number | undefined>;
}
