import type { ValueTable } from '../field-table.ts';
import { isObject, type JsonObject, sameValue } from './json-value.ts';
import { mergedInOrder } from './merged-order.ts';
import { mergeKeyOf, mergesItems, shapeOfField, shapeOfItems } from './value-shape.ts';

const ELEMENT_ORDER = '$setElementOrder/';
const DELETE_FROM_LIST = '$deleteFromPrimitiveList/';

/** Thrown for a strategic merge patch that cannot be applied. */
export class StrategicMergeError extends Error {
  override readonly name = 'StrategicMergeError';
}

/**
 * Applies a strategic merge patch as an API server does. `null` deletes, objects merge, lists with a merge key merge by item, other lists are replaced. The directives
 * `$patch`, `$retainKeys`, `$setElementOrder` and `$deleteFromPrimitiveList` are honoured.
 *
 * @param shape types of the values, which decide how lists merge; `undefined` for a plain dictionary
 * @throws StrategicMergeError when the patch is malformed
 */
export function applyStrategicMerge(object: JsonObject, patch: JsonObject, shape: ValueTable | undefined): JsonObject {
  const directive = patch['$patch'];
  if (directive === 'delete') return {};
  if (directive === 'replace') return withoutDirectives(patch);
  if (directive !== undefined && directive !== 'merge') {
    throw new StrategicMergeError(`unknown patch type: ${JSON.stringify(directive)}`);
  }
  const result: Record<string, unknown> = retained(object, patch['$retainKeys']);
  for (const [key, value] of Object.entries(patch)) {
    if (key.startsWith('$')) continue;
    if (value === null) delete result[key];
    else setOwn(result, key, mergedValue(result[key], value, shapeOfField(shape, key), orderOf(patch, key)));
  }
  for (const [key, value] of Object.entries(patch)) {
    if (key.startsWith(DELETE_FROM_LIST)) {
      const name = key.slice(DELETE_FROM_LIST.length);
      const gone = listOf(value, key);
      if (Array.isArray(result[name])) result[name] = result[name].filter((item) => !includes(gone, item));
    } else if (key.startsWith(ELEMENT_ORDER)) {
      const name = key.slice(ELEMENT_ORDER.length);
      const merged = result[name];
      // A patch may have only the order; with the list, the order was applied with it.
      if (Array.isArray(merged) && !Object.hasOwn(patch, name)) {
        const mergeKey = mergeKeyOf(shapeOfField(shape, name));
        result[name] = mergedInOrder(merged, merged, listOf(value, key), mergeKey);
      }
    }
  }
  return result;
}

function mergedValue(
  before: unknown,
  value: unknown,
  shape: ValueTable | undefined,
  order: readonly unknown[] | undefined,
): unknown {
  if (isObject(value)) return applyStrategicMerge(isObject(before) ? before : {}, value, shape);
  if (!Array.isArray(value) || !mergesItems(shape)) return value;
  const [list, patch] = [Array.isArray(before) ? (before as unknown[]) : [], value as unknown[]];
  const mergeKey = mergeKeyOf(shape);
  const merged =
    mergeKey === undefined ? mergedScalars(list, patch) : mergedItems(list, patch, mergeKey, shapeOfItems(shape));
  return order === undefined ? merged : mergedInOrder(merged, list, order, mergeKey);
}

function mergedScalars(list: readonly unknown[], patch: readonly unknown[]): readonly unknown[] {
  return [...list, ...patch.filter((item) => !includes(list, item))];
}

function mergedItems(
  list: readonly unknown[],
  patch: readonly unknown[],
  mergeKey: string,
  shape: ValueTable | undefined,
): readonly unknown[] {
  if (patch.some((item) => isObject(item) && item['$patch'] === 'replace')) {
    return patch.filter((item) => !isObject(item) || item['$patch'] === undefined);
  }
  return patch.reduce<readonly unknown[]>((merged, item) => {
    if (!isObject(item)) throw new StrategicMergeError('expected an object in a list that merges by a key');
    if (item[mergeKey] === undefined) {
      throw new StrategicMergeError(`map: ${JSON.stringify(item)} does not contain declared merge key: ${mergeKey}`);
    }
    const isSame = (other: unknown): other is JsonObject => isObject(other) && other[mergeKey] === item[mergeKey];
    if (item['$patch'] === 'delete') return merged.filter((other) => !isSame(other));
    if (!merged.some(isSame)) return [...merged, applyStrategicMerge({}, item, shape)];
    return merged.map((other) => (isSame(other) ? applyStrategicMerge(other, item, shape) : other));
  }, list);
}

function retained(object: JsonObject, keys: unknown): Record<string, unknown> {
  if (keys === undefined) return { ...object };
  const kept = listOf(keys, '$retainKeys');
  return Object.fromEntries(Object.entries(object).filter(([key]) => kept.includes(key)));
}

function withoutDirectives(patch: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(patch).filter(([key]) => !key.startsWith('$')));
}

function orderOf(patch: JsonObject, key: string): readonly unknown[] | undefined {
  const order = patch[`${ELEMENT_ORDER}${key}`];
  return order === undefined ? undefined : listOf(order, `${ELEMENT_ORDER}${key}`);
}

function listOf(value: unknown, key: string): readonly unknown[] {
  if (!Array.isArray(value)) throw new StrategicMergeError(`expected a list in ${key}`);
  return value as unknown[];
}

function includes(list: readonly unknown[], item: unknown): boolean {
  return list.some((other) => sameValue(other, item));
}

/** Sets a field as data, `__proto__` included. */
function setOwn(target: Record<string, unknown>, key: string, value: unknown): void {
  Object.defineProperty(target, key, { value, writable: true, enumerable: true, configurable: true });
}
