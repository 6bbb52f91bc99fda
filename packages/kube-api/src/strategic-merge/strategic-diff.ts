import type { ValueTable } from '../field-table.ts';
import { isNothing, isObject, type JsonObject, sameValue } from './json-value.ts';
import { mergeKeyOf, shapeOfField, shapeOfItems } from './value-shape.ts';

/**
 * Returns the strategic merge patch that turns `before` into `after`: changed fields with their new values, `null` for removed ones. Objects are compared field by field.
 * Lists are replaced as a whole, except those that merge by a key: the patch has their changed items with the changed fields, `$patch: delete` for removed items, and
 * the order of all in `$setElementOrder/<field>`. Absent and empty values are equal.
 *
 * @param shape types of the values, which decide how lists merge; `undefined` for a plain dictionary
 * @returns `undefined` when nothing changed
 */
export function strategicDiff(
  before: JsonObject,
  after: JsonObject,
  shape: ValueTable | undefined,
): JsonObject | undefined {
  const patch: Record<string, unknown> = {};
  for (const key of new Set([...Object.keys(before), ...Object.keys(after)])) {
    const [from, to] = [before[key], after[key]];
    if (sameItems(from, to)) continue;
    if (to === undefined || to === null) {
      patch[key] = null;
    } else if (isObject(from) && isObject(to)) {
      patch[key] = strategicDiff(from, to, shapeOfField(shape, key)) ?? {};
    } else {
      const mergeKey = mergeKeyOf(shapeOfField(shape, key));
      if (mergeKey === undefined || !isList(from) || !isList(to)) patch[key] = to;
      else Object.assign(patch, listDiff(key, from, to, mergeKey, shapeOfField(shape, key)));
    }
  }
  return Object.keys(patch).length === 0 ? undefined : patch;
}

function listDiff(
  key: string,
  before: readonly JsonObject[],
  after: readonly JsonObject[],
  mergeKey: string,
  shape: ValueTable | undefined,
): JsonObject {
  const itemShape = shapeOfItems(shape);
  const beforeByKey = new Map(before.map((item) => [item[mergeKey], item]));
  const kept = new Set(after.map((item) => item[mergeKey]));
  const changed = after.flatMap((item) => {
    const identity = item[mergeKey];
    const previousItem = beforeByKey.get(identity);
    if (previousItem === undefined) return [item];
    const diff = strategicDiff(previousItem, item, itemShape);
    return diff === undefined ? [] : [{ ...diff, [mergeKey]: identity }];
  });
  const gone = [...beforeByKey.keys()].filter((identity) => !kept.has(identity));
  const items = [...changed, ...gone.map((identity) => ({ $patch: 'delete', [mergeKey]: identity }))];
  return {
    [`$setElementOrder/${key}`]: after.map((item) => ({ [mergeKey]: item[mergeKey] })),
    ...(items.length > 0 && { [key]: items }),
  };
}

/** Lists are equal only with equal items in the same order. All empty values are equal. */
function sameItems(a: unknown, b: unknown): boolean {
  return (isNothing(a) && isNothing(b)) || sameValue(a, b);
}

function isList(value: unknown): value is readonly JsonObject[] {
  return Array.isArray(value) && value.every(isObject);
}
