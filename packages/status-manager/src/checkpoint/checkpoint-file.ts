/** The file that statuses are kept in. */
export interface CheckpointFile {
  /** For messages to people. */
  readonly path: string;
  /** The text last written, or undefined when there is none. */
  read(): Promise<string | undefined>;
  /** Replaces the text. After a crash the file has either the old text or the new one, and once this has resolved, the new one. */
  write(text: string): Promise<void>;
  /** Moves a file that cannot be used out of the way. @returns where it is now */
  setAside(): Promise<string>;
}
