import { isObject, sameValue } from './json-value.ts';

/**
 * Returns the items of a merged list in the order that a patch sets. Items of the patch follow its order; items that only the object had keep their place
 * relative to those around them.
 *
 * @param merged the items
 * @param before the list in the object, before the patch
 * @param order items or merge keys, in the order of `$setElementOrder`
 */
export function mergedInOrder(
  merged: readonly unknown[],
  before: readonly unknown[],
  order: readonly unknown[],
  mergeKey: string | undefined,
): readonly unknown[] {
  const identity = (item: unknown): unknown => (mergeKey !== undefined && isObject(item) ? item[mergeKey] : item);
  const indexIn = (list: readonly unknown[], item: unknown): number =>
    list.findIndex((other) => sameValue(identity(other), identity(item)));
  const patched = merged
    .filter((item) => indexIn(order, item) >= 0)
    .sort((a, b) => indexIn(order, a) - indexIn(order, b));
  const others = merged.filter((item) => indexIn(order, item) < 0);
  const result: unknown[] = [];
  for (const item of patched) {
    const index = indexIn(before, item);
    // An item that the object did not have goes after all others, as in the API server.
    while (others.length > 0 && !(index >= 0 && index < indexIn(before, others[0]))) result.push(others.shift());
    result.push(item);
  }
  return [...result, ...others];
}
