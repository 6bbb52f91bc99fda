import { fieldOf, tables, type ValueTable } from '@rxlet/kube-api/tables';
import { isNothing, sameValue } from '../status-equality.ts';

/** An object as JSON has it. */
export type JsonObject = Readonly<Record<string, unknown>>;

/**
 * What a strategic merge patch has to say so that `before` becomes `after`: fields that changed with their new values, `null` for those that went.
 * Objects are told field by field. Lists are told as a whole, save those that merge by a key: of these come the items that changed, with the fields
 * of theirs that did, `$patch: delete` for items that went, and in `$setElementOrder/<field>` the order of all. Whether something is absent or empty
 * makes no difference.
 *
 * @param shape what the values are, which decides how lists merge; undefined for a plain dictionary
 * @returns undefined when they say the same
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
      patch[key] = strategicDiff(from, to, shapeOf(shape, key)) ?? {};
    } else {
      const mergeKey = mergeKeyOf(shapeOf(shape, key));
      if (mergeKey === undefined || !isList(from) || !isList(to)) patch[key] = to;
      else Object.assign(patch, listDiff(key, from, to, mergeKey, shapeOf(shape, key)));
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
  const itemShape = shape?.type === 'array' ? shape.items : undefined;
  const beforeByKey = new Map(before.map((item) => [item[mergeKey], item]));
  const kept = new Set(after.map((item) => item[mergeKey]));
  const changed = after.flatMap((item) => {
    const identity = item[mergeKey];
    const former = beforeByKey.get(identity);
    if (former === undefined) return [item];
    const diff = strategicDiff(former, item, itemShape);
    return diff === undefined ? [] : [{ ...diff, [mergeKey]: identity }];
  });
  const gone = [...beforeByKey.keys()].filter((identity) => !kept.has(identity));
  const items = [...changed, ...gone.map((identity) => ({ $patch: 'delete', [mergeKey]: identity }))];
  return {
    [`$setElementOrder/${key}`]: after.map((item) => ({ [mergeKey]: item[mergeKey] })),
    ...(items.length > 0 && { [key]: items }),
  };
}

/** Lists are the same only with all their items in the same order; what is nothing is so in every form. */
function sameItems(a: unknown, b: unknown): boolean {
  return (isNothing(a) && isNothing(b)) || sameValue(a, b);
}

/** What the field of an object is, as far as that is known. */
function shapeOf(shape: ValueTable | undefined, key: string): ValueTable | undefined {
  if (shape?.type === 'map') return shape.items;
  return shape?.type === 'object-ref' ? fieldOf(tables[shape.ref], key) : undefined;
}

function mergeKeyOf(shape: ValueTable | undefined): string | undefined {
  return shape?.type === 'array' && shape.patchStrategies?.includes('merge') === true ? shape.patchMergeKey : undefined;
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isList(value: unknown): value is readonly JsonObject[] {
  return Array.isArray(value) && value.every(isObject);
}
