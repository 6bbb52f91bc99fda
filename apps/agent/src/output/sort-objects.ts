import { parseQuantity, QuantityError, quantityMilliValue } from '@rxlet/pod-model/quantity';
import { JsonPathError, parseFieldPath, printedValue } from './json-path.ts';

/**
 * Returns the objects in the order of a field, as `--sort-by` of kubectl: numbers and quantities by their value, text naturally (`web-2` before `web-10`).
 * Objects without the field come first.
 * @throws UsageError for a malformed path
 * @throws JsonPathError when no object has the field
 */
export function sortObjects<T>(objects: readonly T[], fieldPath: string): T[] {
  const path = parseFieldPath(fieldPath);
  const keyed = objects.map((object) => ({ object, key: path.find(object)[0] }));
  if (objects.length > 0 && keyed.every(({ key }) => key === undefined))
    throw new JsonPathError(`couldn't find any field with path "${fieldPath}" in the list of objects`);
  return keyed.toSorted((left, right) => compareKeys(left.key, right.key)).map(({ object }) => object);
}

function compareKeys(left: unknown, right: unknown): number {
  if (left === undefined || right === undefined) return left === right ? 0 : left === undefined ? -1 : 1;
  const [a, b] = [numberOf(left), numberOf(right)];
  if (a !== undefined && b !== undefined) return a - b;
  return printedValue(left).localeCompare(printedValue(right), 'en', { numeric: true });
}

function numberOf(value: unknown): number | undefined {
  if (typeof value === 'number') return value;
  if (typeof value !== 'string') return undefined;
  try {
    return Number(quantityMilliValue(parseQuantity(value))) / 1000;
  } catch (error) {
    if (error instanceof QuantityError) return undefined;
    throw error;
  }
}
