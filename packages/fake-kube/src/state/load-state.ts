import { errorMessage, type Logger } from '@rxlet/component-base';
import type { StateStore } from '@rxlet/node-files/state-file';
import { apiVersionOfType, type ResourceType } from '../resource-type.ts';
import type { StoredEntry } from '../store/object-store.ts';
import { parseSavedState, type SavedState } from './saved-state.ts';

/** Loads the state of an earlier run. Unreadable state is moved away with one warning. @returns `undefined` when there is none */
export function loadState(store: StateStore, logger: Logger): SavedState | undefined {
  const text = store.load();
  if (text === undefined) return undefined;
  try {
    return parseSavedState(text);
  } catch (error) {
    const movedTo = store.setAside();
    logger.warn('the saved state cannot be read, so the server starts empty', { movedTo, error: errorMessage(error) });
    return undefined;
  }
}

/** Returns the saved objects with their resources. Objects of a resource that the server does not offer are left out, with a warning. */
export function savedEntries(
  { objects }: SavedState,
  types: readonly ResourceType[],
  logger: Logger,
): readonly StoredEntry[] {
  return objects.flatMap((object): readonly StoredEntry[] => {
    const type = types.find((each) => each.kind === object.kind && apiVersionOfType(each) === object.apiVersion);
    if (type !== undefined) return [{ type, object }];
    const { apiVersion, kind, metadata } = object;
    logger.warn('a saved object has an unknown kind and is dropped', { apiVersion, kind, name: metadata.name });
    return [];
  });
}
