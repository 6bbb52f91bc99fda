/** Store of a program's state between runs. */
export interface StateStore {
  /** Returns the last saved state; `undefined` when there is none. */
  load(): string | undefined;
  /** Replaces the state atomically. */
  save(text: string): Promise<void>;
  /** Moves unreadable state away. @returns its new path */
  setAside(): string;
}
