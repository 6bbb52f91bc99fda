import { fieldOf, tables, type ValueTable } from '@rxlet/kube-api/tables';
import type { JsonObject } from '../api/strategic-diff.ts';

/**
 * Applies a strategic merge patch as an API server does, for tests: `null` deletes, objects merge, lists that merge by a key do so item by item with
 * `$patch: delete` and `$setElementOrder`, other lists are replaced.
 */
export function applyStrategicMerge(object: JsonObject, patch: JsonObject, shape: ValueTable | undefined): JsonObject {
  const result: Record<string, unknown> = { ...object };
  for (const [key, value] of Object.entries(patch)) {
    if (key.startsWith('$setElementOrder/')) continue;
    const fieldShape = shapeOf(shape, key);
    const mergeKey = mergeKeyOf(fieldShape);
    if (value === null) delete result[key];
    else if (Array.isArray(value) && mergeKey !== undefined) {
      const itemShape = fieldShape?.type === 'array' ? fieldShape.items : undefined;
      result[key] = mergeList(listOf(result[key]), listOf(value), mergeKey, itemShape);
    } else if (isObject(value)) {
      const before = result[key];
      result[key] = applyStrategicMerge(isObject(before) ? before : {}, value, fieldShape);
    } else result[key] = value;
  }
  for (const [directive, order] of Object.entries(patch)) {
    if (!directive.startsWith('$setElementOrder/')) continue;
    const key = directive.slice('$setElementOrder/'.length);
    const mergeKey = mergeKeyOf(shapeOf(shape, key)) ?? '';
    result[key] = inOrder(
      listOf(result[key]),
      listOf(order).map((item) => item[mergeKey]),
      mergeKey,
    );
  }
  return result;
}

function mergeList(
  list: readonly JsonObject[],
  patch: readonly JsonObject[],
  mergeKey: string,
  itemShape: ValueTable | undefined,
): readonly JsonObject[] {
  return patch.reduce<readonly JsonObject[]>((merged, item) => {
    const isSame = (other: JsonObject): boolean => other[mergeKey] === item[mergeKey];
    if (item['$patch'] === 'delete') return merged.filter((other) => !isSame(other));
    if (!merged.some(isSame)) return [...merged, applyStrategicMerge({}, item, itemShape)];
    return merged.map((other) => (isSame(other) ? applyStrategicMerge(other, item, itemShape) : other));
  }, list);
}

function inOrder(list: readonly JsonObject[], order: readonly unknown[], mergeKey: string): readonly JsonObject[] {
  const place = (item: JsonObject): number => {
    const index = order.indexOf(item[mergeKey]);
    return index < 0 ? order.length : index;
  };
  return [...list].sort((a, b) => place(a) - place(b));
}

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

function listOf(value: unknown): readonly JsonObject[] {
  return Array.isArray(value) ? (value as JsonObject[]) : [];
}
