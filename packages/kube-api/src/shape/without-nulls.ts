import type { ObjectTable, ValueTable } from '../field-table.ts';
import { fieldOf } from '../find-table.ts';
import { tables } from '../gen/tables.ts';

/**
 * Returns an object without fields that are null, which mean the same as absent ones; the object itself when it has none. Times stay: an API server writes one that
 * is not set as null. Fields that the type does not have stay, too.
 */
export function withoutNulls<T extends object>(object: T, table: ObjectTable): T {
  const changed = new Map<string, unknown>();
  for (const [name, value] of Object.entries(object) as [string, unknown][]) {
    const field = fieldOf(table, name);
    if (field === undefined || field.type === 'date-time') continue;
    const clean = value === null ? undefined : cleanValue(value, field);
    if (clean !== value) changed.set(name, clean);
  }
  if (changed.size === 0) return object;
  const entries = (Object.entries(object) as [string, unknown][]).map(([name, value]): [string, unknown] => [
    name,
    changed.has(name) ? changed.get(name) : value,
  ]);
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined)) as T;
}

function cleanValue(value: unknown, table: ValueTable): unknown {
  if (typeof value !== 'object' || value === null) return value;
  switch (table.type) {
    case 'object-ref':
      return withoutNulls(value, tables[table.ref]);
    case 'array':
      return Array.isArray(value) ? cleanItems(value, table.items) : value;
    case 'map':
      return cleanMap(value, table.items);
    default:
      return value;
  }
}

function cleanItems(items: readonly unknown[], table: ValueTable): readonly unknown[] {
  const clean = items.map((item) => cleanValue(item, table));
  return clean.some((item, index) => item !== items[index]) ? clean : items;
}

function cleanMap(map: object, table: ValueTable): object {
  const entries = Object.entries(map) as [string, unknown][];
  const clean = entries.map(([key, item]) => [key, cleanValue(item, table)] as const);
  return clean.some(([, item], index) => item !== entries[index]![1]) ? Object.fromEntries(clean) : map;
}
