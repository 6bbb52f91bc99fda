import { shapeProblem } from '@rxlet/kube-api/shape';
import { fieldOf, tables, type ValueTable } from '@rxlet/kube-api/tables';
import { ApiError } from '../api-error.ts';
import { apiVersionOfType, type ResourceType, shapeOfType } from '../resource-type.ts';

/** Level of the validation of unknown fields. */
export type FieldValidation = 'Ignore' | 'Warn' | 'Strict';

/**
 * Checks the types of an object's fields as an API server does when it decodes the object.
 *
 * @returns one warning for each field that the type does not have
 * @throws ApiError for a value of another type, and with `Strict` for fields that the type does not have
 */
export function checkFields(type: ResourceType, object: object, validation: FieldValidation): readonly string[] {
  const shape = shapeOfType(type);
  if (shape?.type !== 'object-ref') return checkSpecParts(type, object, validation);
  const reject = (cause: string): never => {
    const version = JSON.stringify(apiVersionOfType(type));
    throw new ApiError(
      'BadRequest',
      `${type.kind} in version ${version} cannot be handled as a ${type.kind}: ${cause}`,
    );
  };
  const problem = shapeProblem(object, tables[shape.ref]);
  if (problem !== undefined) reject(`json: cannot unmarshal: ${problem}`);
  const unknown = unknownFields(object, shape, '').map((field) => `unknown field ${JSON.stringify(field)}`);
  if (unknown.length > 0 && validation === 'Strict') reject(`strict decoding error: ${unknown.join(', ')}`);
  return validation === 'Ignore' ? [] : unknown;
}

/** Checks the fields of the typed parts of a spec. */
function checkSpecParts(type: ResourceType, object: object, validation: FieldValidation): readonly string[] {
  const { spec } = object as { readonly spec?: Readonly<Record<string, unknown>> };
  const unknown = Object.entries(type.specParts ?? {}).flatMap(([name, table]) =>
    unknownFields(spec?.[name], table, `spec.${name}`).map((field) => `unknown field ${JSON.stringify(field)}`),
  );
  if (unknown.length > 0 && validation === 'Strict')
    throw new ApiError(
      'BadRequest',
      `${type.kind} in version ${JSON.stringify(apiVersionOfType(type))} cannot be handled as a ${type.kind}: strict decoding error: ${unknown.join(', ')}`,
    );
  return validation === 'Ignore' ? [] : unknown;
}

/** Reads the parameter `fieldValidation`. @throws ApiError for an unknown value */
export function fieldValidationOf(query: URLSearchParams): FieldValidation {
  const value = query.get('fieldValidation') || 'Warn';
  if (value === 'Ignore' || value === 'Warn' || value === 'Strict') return value;
  throw new ApiError('BadRequest', `fieldValidation: Unsupported value: ${JSON.stringify(value)}`);
}

/** Returns the paths of the fields that a type does not have. The shape of the value is known to fit. */
function unknownFields(value: unknown, table: ValueTable, at: string): readonly string[] {
  if (typeof value !== 'object' || value === null) return [];
  const entries = Object.entries(value) as readonly [string, unknown][];
  switch (table.type) {
    case 'array':
      return entries.flatMap(([index, item]) => unknownFields(item, table.items, `${at}[${index}]`));
    case 'map':
      return entries.flatMap(([key, item]) => unknownFields(item, table.items, `${at}.${key}`));
    case 'object-ref':
      return entries.flatMap(([key, item]) => {
        const path = at === '' ? key : `${at}.${key}`;
        const field = fieldOf(tables[table.ref], key);
        return field === undefined ? [path] : unknownFields(item, field, path);
      });
    default:
      return [];
  }
}
