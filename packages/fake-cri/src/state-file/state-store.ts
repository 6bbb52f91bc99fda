/** Where a runtime's state is kept while nothing runs. */
export interface StateStore {
  /** What was saved last; `undefined` when nothing was. */
  load(): string | undefined;
  /** Replaces it, wholly or not at all. */
  save(text: string): Promise<void>;
  /** Puts what was saved away, since it cannot be read. @returns where it is now. */
  setAside(): string;
}
