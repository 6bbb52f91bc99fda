/**
 * A directory of small private files, all the disk that pull records need. Names are plain file names. Implementations keep both the directory and its files
 * from other users (modes 0700 and 0600).
 */
export interface RecordDirectory {
  /** Where it is, for messages. */
  readonly path: string;
  /** The names of the files; empty when the directory does not exist. What is left of a write that was cut short is not among them. */
  list(): Promise<readonly string[]>;
  /** The text of a file, or `undefined` when there is none. Rejects when it cannot be read, or is no plain file of sensible size. */
  read(name: string): Promise<string | undefined>;
  /** Replaces the file as a whole: whenever the machine stops, there is the old text or the new one, and the new one from when the promise resolves. */
  write(name: string, text: string): Promise<void>;
  /** Removes a file; one that is not there is no error. */
  remove(name: string): Promise<void>;
}

/** Where pull records are kept: a kubelet's `<root>/image_manager/pulling` and `<root>/image_manager/pulled`. */
export interface RecordDirectories {
  readonly pulling: RecordDirectory;
  readonly pulled: RecordDirectory;
}
