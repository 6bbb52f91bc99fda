/** A file that was read. */
export interface ConfigFile {
  readonly text: string;
  /** Permission bits, as of `stat`. */
  readonly mode: number;
}

/** The files of the node, as far as credentials are concerned. The machine's own: `nodeConfigFiles`. */
export interface ConfigFiles {
  /**
   * The content of a regular file; `undefined` when nothing is there. Rejects, with a message that quotes nothing of the content, for what is no
   * regular file, what cannot be read, and what is larger than `maxBytes`.
   */
  read(path: string, maxBytes: number): Promise<ConfigFile | undefined>;
}
