import { isJsonObject, type JsonValue } from '../decode/json-value.ts';
import type { FieldType, StructFields } from './field-types.ts';
import { kubeletConfigurationFields } from './kubelet-configuration-fields.ts';

/** Paths of all fields of a KubeletConfiguration, such as `maxPods` and `authentication.webhook.enabled`. */
export function allFieldPaths(): string[] {
  const below = (fields: StructFields, prefix: string): string[] =>
    Object.entries(fields).flatMap(([name, type]) => {
      const nested = structOf(type);
      return nested === undefined ? [`${prefix}${name}`] : below(nested, `${prefix}${name}.`);
    });
  return below(kubeletConfigurationFields, '');
}

/** Returns the paths of the fields that are set in a decoded object, or in the JSON of one. */
export function setFieldPaths(object: object): string[] {
  const below = (fields: StructFields, values: object, prefix: string): string[] =>
    entriesOf(values).flatMap(([name, value]) => {
      const type = Object.hasOwn(fields, name) ? fields[name] : undefined;
      if (type === undefined || value === undefined || value === null) return [];
      const nested = structOf(type);
      if (nested === undefined || typeof value !== 'object') return [`${prefix}${name}`];
      return below(nested, value, `${prefix}${name}.`);
    });
  return below(kubeletConfigurationFields, object, '');
}

function entriesOf(values: object): readonly (readonly [string, unknown])[] {
  return isJsonObject(values as JsonValue) ? [...(values as ReadonlyMap<string, unknown>)] : Object.entries(values);
}

function structOf(type: FieldType): StructFields | undefined {
  if (type.kind === 'struct') return type.fields;
  return type.kind === 'pointer' ? structOf(type.of) : undefined;
}
