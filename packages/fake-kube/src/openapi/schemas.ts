import { tables, type TypeName, type ValueTable } from '@rxlet/kube-api/tables';
import { type ResourceType, shapeOfType } from '../resource-type.ts';

/** Group, version and kind of an object. */
export interface GroupVersionKind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

/** A schema in the notation of OpenAPI, as far as this server uses it. */
export interface Schema {
  readonly $ref?: string;
  readonly type?: 'string' | 'integer' | 'number' | 'boolean' | 'array' | 'object';
  readonly format?: string;
  readonly items?: Schema;
  readonly additionalProperties?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly 'x-kubernetes-group-version-kind'?: readonly GroupVersionKind[];
  /** By these, clients compute patches that merge lists. */
  readonly 'x-kubernetes-patch-strategy'?: string;
  readonly 'x-kubernetes-patch-merge-key'?: string;
}

/**
 * Returns the schemas of resources, and of all that their objects consist of.
 *
 * @param prefix begin of references to a schema, such as `#/definitions/`
 */
export function schemasOf(types: readonly ResourceType[], prefix: string): Readonly<Record<string, Schema>> {
  const schemas: Record<string, Schema> = {};
  const pending = types.flatMap((type) => {
    const shape = shapeOfType(type);
    return shape?.type === 'object-ref' ? [shape.ref] : [];
  });
  const refer = (name: TypeName): Schema => {
    pending.push(name);
    return { $ref: `${prefix}${name}` };
  };
  for (let name = pending.pop(); name !== undefined; name = pending.pop()) {
    schemas[name] ??= objectSchema(name, refer);
  }
  return schemas;
}

function objectSchema(name: TypeName, refer: (name: TypeName) => Schema): Schema {
  const { fields, kinds } = tables[name];
  const entries = Object.entries(fields);
  const required = entries.filter(([, field]) => field.required === true).map(([field]) => field);
  return {
    type: 'object',
    properties: Object.fromEntries(entries.map(([field, table]) => [field, schemaOf(table, refer)])),
    ...(required.length > 0 && { required }),
    ...(kinds && { 'x-kubernetes-group-version-kind': kinds.map(groupVersionKindOf) }),
  };
}

function schemaOf(table: ValueTable, refer: (name: TypeName) => Schema): Schema {
  switch (table.type) {
    case 'object-ref':
      return refer(table.ref);
    case 'array': {
      const { patchStrategies, patchMergeKey } = table;
      return {
        type: 'array',
        items: schemaOf(table.items, refer),
        ...(patchStrategies && { 'x-kubernetes-patch-strategy': patchStrategies.join(',') }),
        ...(patchMergeKey !== undefined && { 'x-kubernetes-patch-merge-key': patchMergeKey }),
      };
    }
    case 'map':
      return { type: 'object', additionalProperties: schemaOf(table.items, refer) };
    case 'any':
      return {};
    case 'quantity':
    case 'int-or-string':
    case 'date-time':
      return { type: 'string', format: table.type };
    default:
      return { type: table.type, ...(table.format && { format: table.format }) };
  }
}

function groupVersionKindOf({
  apiVersion,
  kind,
}: {
  readonly apiVersion: string;
  readonly kind: string;
}): GroupVersionKind {
  const [group, version] = apiVersion.includes('/') ? apiVersion.split('/', 2) : ['', apiVersion];
  return { group: group!, version: version!, kind };
}
