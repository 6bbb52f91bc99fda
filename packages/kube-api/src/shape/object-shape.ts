import type { ObjectTable, ValueTable } from '../field-table.ts';
import { fieldOf } from '../find-table.ts';
import { tables } from '../gen/tables.ts';

/** Half of an object, and no part of a node reads it. */
const UNREAD = 'managedFields';

/**
 * Returns a description of the first field whose value does not fit its type, such as `spec.containers is a string, expected a list`; `undefined` for an object that can be
 * used. Only shapes are checked, not values: fields that the type does not have, and fields without a value, are of no account.
 */
export function shapeProblem(object: object, table: ObjectTable, at = ''): string | undefined {
  for (const [name, value] of Object.entries(object)) {
    const field = name === UNREAD ? undefined : fieldOf(table, name);
    if (field === undefined || value === null || value === undefined) continue;
    const problem = valueProblem(value, field, at === '' ? name : `${at}.${name}`);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

function valueProblem(value: unknown, table: ValueTable, at: string): string | undefined {
  switch (table.type) {
    case 'any':
      return undefined;
    case 'string':
    case 'date-time':
      return typeof value === 'string' ? undefined : mismatch(at, value, 'a string');
    case 'boolean':
      return typeof value === 'boolean' ? undefined : mismatch(at, value, 'true or false');
    case 'integer':
    case 'number':
      return typeof value === 'number' ? undefined : mismatch(at, value, 'a number');
    case 'quantity':
    case 'int-or-string':
      return typeof value === 'string' || typeof value === 'number'
        ? undefined
        : mismatch(at, value, 'a number or a string');
    case 'array':
      if (!Array.isArray(value)) return mismatch(at, value, 'a list');
      return firstProblem(value.entries(), (item, index) => valueProblem(item, table.items, `${at}[${String(index)}]`));
    case 'map':
      if (!isMapping(value)) return mismatch(at, value, 'a mapping');
      return firstProblem(Object.entries(value), (item, key) => valueProblem(item, table.items, `${at}[${key}]`));
    case 'object-ref':
      return isMapping(value) ? shapeProblem(value, tables[table.ref], at) : mismatch(at, value, 'a mapping');
  }
}

function firstProblem<K>(
  entries: Iterable<[K, unknown]>,
  check: (item: unknown, key: K) => string | undefined,
): string | undefined {
  for (const [key, item] of entries) {
    const problem = check(item, key);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

function isMapping(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The value itself may be a secret. */
function mismatch(at: string, value: unknown, expected: string): string {
  const found =
    value === null ? 'null' : Array.isArray(value) ? 'a list' : isMapping(value) ? 'a mapping' : typeof value;
  return `${at} is ${/^(a |null)/.test(found) ? found : `a ${found}`}, expected ${expected}`;
}
