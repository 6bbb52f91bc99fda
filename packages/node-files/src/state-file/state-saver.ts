import type { StateStore } from './state-store.ts';

/** Saves a program's state after changes, one save at a time: a save covers all changes before it. */
export interface StateSaver {
  /** Requests a save after a change. */
  touch(): void;
  /** Resolves when all changes so far are saved, or a failure was reported. */
  saved(): Promise<void>;
}

/**
 * Creates a {@link StateSaver}.
 *
 * @param capture returns the state as text
 * @param onFailure receives the error of a save; the next change is saved again
 */
export function createStateSaver(
  store: Pick<StateStore, 'save'>,
  capture: () => string,
  onFailure: (error: unknown) => void,
): StateSaver {
  let isDirty = false;
  let saving: Promise<void> | undefined;

  const save = async (): Promise<void> => {
    // Changes of one turn are saved together.
    await Promise.resolve();
    while (isDirty) {
      isDirty = false;
      try {
        await store.save(capture());
      } catch (error) {
        onFailure(error);
      }
    }
    saving = undefined;
  };
  return {
    touch() {
      isDirty = true;
      saving ??= save();
    },
    saved: () => saving ?? Promise.resolve(),
  };
}
