/** An open log file. */
export interface LogFile extends AsyncDisposable {
  /** Tells this file from one that took its place under the same name. */
  readonly identity: string;
  /** Reads up to `length` bytes at `offset`; none at the end of the file. What was read stays as it is when more is read. */
  read(offset: number, length: number): Promise<Uint8Array>;
  /** Bytes in the file now. */
  size(): Promise<number>;
}

/** Reading access to log files. Unlike with the files of pods, links are followed: runtimes may put links there. */
export interface LogFiles {
  /** Opens the file that is at `path` now; `undefined` when there is none. */
  open(path: string): Promise<LogFile | undefined>;
  /**
   * Calls `onChange` when something may have happened to the file at `path`, until it is disposed of. It may call too often or, where the system cannot
   * tell of changes, never.
   */
  watch?(path: string, onChange: () => void): Disposable;
}
