import { enumNames } from './enum-names.ts';
import type { ApiModel, ScalarValue, ValueModel } from './model.ts';

/** An enum that gets a type of its own in the file of its package. */
export interface NamedEnum {
  readonly packageName: string;
  readonly name: string;
  readonly values: readonly string[];
}

/** The enums by `<schema name>.<field>`. */
export type EnumsByField = ReadonlyMap<string, NamedEnum>;

/**
 * Joins the enums of the document with their names.
 *
 * @throws Error when an enum has no name, a name no enum, or fields that share a name differ in values.
 */
export function nameEnums(
  model: ApiModel,
  names: Readonly<Record<string, readonly string[]>> = enumNames,
): EnumsByField {
  const unnamed = new Map<string, readonly string[]>();
  for (const type of model.types) {
    for (const field of type.shape.type === 'object' ? type.shape.fields : []) {
      const values = scalarOf(field.value)?.enum;
      if (values !== undefined) unnamed.set(`${type.schemaName}.${field.name}`, values);
    }
  }
  const named = new Map<string, NamedEnum>();
  for (const [packageName, lines] of Object.entries(names)) {
    for (const line of lines) {
      const [name = '', fields = ''] = line.split(': ');
      let first: NamedEnum | undefined;
      for (const field of fields.split(' ')) {
        const key = `${packageName}.${field}`;
        const values = unnamed.get(key);
        if (values === undefined) throw new Error(`enum-names.ts: ${key} (${name}) is not an enum without a name`);
        first ??= { packageName, name, values };
        if (first.values.join() !== values.join()) throw new Error(`enum-names.ts: ${name} differs in ${key}`);
        named.set(key, first);
        unnamed.delete(key);
      }
    }
  }
  if (unnamed.size > 0) throw new Error(`enum-names.ts: no name for ${[...unnamed.keys()].join(', ')}`);
  return named;
}

function scalarOf(value: ValueModel): ScalarValue | undefined {
  if (value.type === 'array' || value.type === 'map') return scalarOf(value.items);
  return value.type === 'ref' ? undefined : value;
}
