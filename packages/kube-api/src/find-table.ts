import type { FieldTable, ObjectTable } from './field-table.ts';
import { tables } from './gen/tables.ts';
import type { TypeName } from './gen/type-name.ts';

/**
 * Returns the schema name of a kind: `('v1', 'Pod')` gives `io.k8s.api.core.v1.Pod`.
 *
 * @returns undefined for a kind that this package does not know, in that version.
 */
export function findTypeName(apiVersion: string, kind: string): TypeName | undefined {
  return typeNames.get(keyOf(apiVersion, kind));
}

/** Returns the table of a kind: `tables[findTypeName(apiVersion, kind)]`, or undefined for an unknown kind. */
export function findTable(apiVersion: string, kind: string): ObjectTable | undefined {
  const name = findTypeName(apiVersion, kind);
  return name === undefined ? undefined : tables[name];
}

/** Returns the field of an object type by its JSON name; undefined for any other name, `__proto__` included. */
export function fieldOf(table: ObjectTable, name: string): FieldTable | undefined {
  return Object.hasOwn(table.fields, name) ? table.fields[name] : undefined;
}

function keyOf(apiVersion: string, kind: string): string {
  return `${apiVersion} ${kind}`;
}

const typeNames: ReadonlyMap<string, TypeName> = new Map(
  (Object.keys(tables) as TypeName[]).flatMap((name) =>
    (tables[name].kinds ?? []).map(({ apiVersion, kind }) => [keyOf(apiVersion, kind), name]),
  ),
);
