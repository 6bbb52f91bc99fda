import type { ApiModel, FieldModel, KindModel, ScalarValue, TypeModel, ValueModel } from './model.ts';

type Json = Readonly<Record<string, unknown>>;

const refPrefix = '#/components/schemas/';

/** Keywords with a meaning to the generator, per place; any other one stops it, so that nothing is lost silently. */
const schemaKeywords = ['type', 'format', 'oneOf', 'description', 'properties', 'required'];
const kindKeyword = 'x-kubernetes-group-version-kind';
const valueKeywords = ['type', 'format', 'enum', '$ref', 'allOf', 'items', 'additionalProperties', 'default'];
const fieldKeywords = [
  'description',
  'x-kubernetes-list-type',
  'x-kubernetes-list-map-keys',
  'x-kubernetes-patch-strategy',
  'x-kubernetes-patch-merge-key',
];
/** Only used by an API server: it owns server-side apply and the validation of unions. */
const ignoredKeywords = ['x-kubernetes-unions', 'x-kubernetes-map-type'];

/**
 * Reads an OpenAPI v3 document as the Kubernetes API server publishes it.
 *
 * @throws Error naming the schema and field, for anything the generator has no rule for.
 */
export function readSchema(text: string): ApiModel {
  const document = asObject(JSON.parse(text), 'document');
  const schemas = asObject(asObject(document['components'], 'components')['schemas'], 'components.schemas');
  const types = Object.keys(schemas)
    .sort()
    .map((schemaName) => readType(schemaName, asObject(schemas[schemaName], schemaName)));
  const known = new Set(types.map((type) => type.schemaName));
  for (const type of types) {
    for (const field of type.shape.type === 'object' ? type.shape.fields : []) {
      const target = refOf(field.value);
      if (target !== undefined && !known.has(target)) {
        throw new Error(`${type.schemaName}.${field.name}: reference to ${target}, which is not in the document`);
      }
    }
  }
  return { version: String(asObject(document['info'], 'info')['version']), types };
}

/** Returns the schema that a value refers to, directly or as the element of arrays and maps. */
export function refOf(value: ValueModel): string | undefined {
  if (value.type === 'ref') return value.schemaName;
  return value.type === 'array' || value.type === 'map' ? refOf(value.items) : undefined;
}

function readType(schemaName: string, schema: Json): TypeModel {
  checkKeywords(schemaName, schema, [...schemaKeywords, kindKeyword]);
  const dot = schemaName.lastIndexOf('.');
  return {
    schemaName,
    packageName: schemaName.slice(0, dot),
    name: schemaName.slice(dot + 1),
    ...readDescription(schema),
    kinds: asArray(schema[kindKeyword] ?? [], schemaName).map((entry) => readKind(asObject(entry, schemaName))),
    shape:
      schema['properties'] === undefined
        ? { type: 'alias', value: readAlias(schemaName, schema) }
        : { type: 'object', fields: readFields(schemaName, schema) },
  };
}

function readKind(entry: Json): KindModel {
  const group = String(entry['group']);
  const version = String(entry['version']);
  return { apiVersion: group === '' ? version : `${group}/${version}`, kind: String(entry['kind']) };
}

/** The schemas without properties: dates, quantities, numbers-or-strings, and JSON of any shape. */
function readAlias(schemaName: string, schema: Json): ScalarValue {
  if (schema['format'] === 'int-or-string') return { type: 'int-or-string' };
  if (schema['type'] === 'string' && schema['format'] === 'date-time') {
    // The document has one format for both of them, yet what they accept and how they are written differs.
    return schemaName.endsWith('.MicroTime') ? { type: 'date-time', format: 'micro-time' } : { type: 'date-time' };
  }
  if (schema['type'] === 'object') return { type: 'any' };
  const alternatives = asArray(schema['oneOf'] ?? [], schemaName).map((entry) => asObject(entry, schemaName)['type']);
  if (alternatives.join() === 'string,number') return { type: 'quantity' };
  throw new Error(`${schemaName}: no rule for a schema without properties such as ${JSON.stringify(schema)}`);
}

function readFields(where: string, schema: Json): readonly FieldModel[] {
  const properties = asObject(schema['properties'], where);
  const required = new Set(asArray(schema['required'] ?? [], where).map(String));
  for (const name of required) {
    if (properties[name] === undefined) throw new Error(`${where}: required field ${name} does not exist`);
  }
  return Object.keys(properties)
    .sort()
    .map((name) => readField(`${where}.${name}`, name, asObject(properties[name], name), required.has(name)));
}

function readField(where: string, name: string, field: Json, required: boolean): FieldModel {
  checkKeywords(where, field, [...valueKeywords, ...fieldKeywords]);
  const listType = field['x-kubernetes-list-type'];
  const listMapKeys = field['x-kubernetes-list-map-keys'];
  const patchStrategy = field['x-kubernetes-patch-strategy'];
  const patchMergeKey = field['x-kubernetes-patch-merge-key'];
  return {
    name,
    ...readDescription(field),
    required,
    value: readValue(where, field),
    ...(field['default'] !== undefined && { default: field['default'] }),
    ...(listType !== undefined && { listType: asString(listType, where) }),
    ...(listMapKeys !== undefined && { listMapKeys: asArray(listMapKeys, where).map(String) }),
    ...(patchStrategy !== undefined && { patchStrategies: asString(patchStrategy, where).split(',') }),
    ...(patchMergeKey !== undefined && { patchMergeKey: asString(patchMergeKey, where) }),
  };
}

function asString(value: unknown, where: string): string {
  if (typeof value !== 'string') throw new Error(`${where}: expected a string, not ${JSON.stringify(value)}`);
  return value;
}

function readValue(where: string, value: Json): ValueModel {
  // A reference with a default beside it is published as a list of one, since OpenAPI forbids siblings of $ref.
  const [only, ...others] = asArray(value['allOf'] ?? [value], where);
  const reference = asObject(only, where)['$ref'];
  if (typeof reference === 'string' && reference.startsWith(refPrefix) && others.length === 0) {
    return { type: 'ref', schemaName: reference.slice(refPrefix.length) };
  }
  switch (value['type']) {
    case 'array':
      return { type: 'array', items: readElement(`${where}[]`, value['items']) };
    case 'object':
      return { type: 'map', items: readElement(`${where}{}`, value['additionalProperties']) };
    case 'string':
    case 'integer':
    case 'number':
    case 'boolean':
      return {
        type: value['type'],
        ...(value['format'] !== undefined && { format: asString(value['format'], where) }),
        ...(value['enum'] !== undefined && { enum: asArray(value['enum'], where).map(String) }),
      };
    default:
      throw new Error(`${where}: no rule for ${JSON.stringify(value)}`);
  }
}

function readElement(where: string, element: unknown): ValueModel {
  const value = asObject(element, where);
  checkKeywords(where, value, valueKeywords);
  return readValue(where, value);
}

function readDescription(schema: Json): { description?: string } {
  const description = schema['description'];
  return typeof description === 'string' && description.trim() !== '' ? { description: description.trim() } : {};
}

function checkKeywords(where: string, value: Json, known: readonly string[]): void {
  const unknown = Object.keys(value).filter((key) => !known.includes(key) && !ignoredKeywords.includes(key));
  if (unknown.length > 0) throw new Error(`${where}: no rule for the keyword ${unknown.join(', ')}`);
}

function asObject(value: unknown, where: string): Json {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Json;
  throw new Error(`${where}: expected an object, found ${JSON.stringify(value)}`);
}

function asArray(value: unknown, where: string): readonly unknown[] {
  if (Array.isArray(value)) return value;
  throw new Error(`${where}: expected an array, found ${JSON.stringify(value)}`);
}
