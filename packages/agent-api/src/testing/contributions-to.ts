import type { ModuleParts } from '../agent-module.ts';
import type { CollectionKey } from '../collection-key.ts';

/** Returns what the parts of a module contribute to a collection. */
export function contributionsTo<T>(parts: ModuleParts | undefined, key: CollectionKey<T>): readonly T[] {
  return (parts?.contributions ?? []).filter((each) => each.key === key).flatMap(({ items }) => items as readonly T[]);
}
