import { banner } from './emit-types.ts';
import type { ApiModel, FieldModel, TypeModel, ValueModel } from './model.ts';
import type { EnumsByField, NamedEnum } from './name-enums.ts';

/**
 * Returns `src/gen/tables.ts`: the field tables as data. A reference to a mere name for a value (`Time`, `Quantity`)
 * becomes that value, so that each remaining reference leads to a table.
 */
export function emitTables(model: ApiModel, enums: EnumsByField): string {
  checkKinds(model);
  const objects = model.types.filter((type) => type.shape.type === 'object');
  const types = new Map(model.types.map((type) => [type.schemaName, type]));
  return [
    banner(model),
    `import type { ObjectTable } from '../field-table.ts';`,
    `import type { TypeName } from './type-name.ts';\n`,
    `/** The values of the enums, which several fields share. */`,
    `const enums = {\n${[...new Set(enums.values())].map(emitEnum).join('')}} as const;\n`,
    `/** The table of each object type, by schema name. */`,
    `export const tables: Readonly<Record<TypeName, ObjectTable>> = {`,
    ...objects.map((type) => emitTable(type, types, enums)),
    `};\n`,
  ].join('\n');
}

/** Returns `src/gen/type-name.ts`: the names by which tables refer to each other. */
export function emitTypeName(model: ApiModel): string {
  const objects = model.types.filter((type) => type.shape.type === 'object');
  return [
    banner(model),
    `/** The schema names of the types that have a table. */`,
    `export type TypeName =\n${objects.map((type) => `  | '${type.schemaName}'`).join('\n')};\n`,
  ].join('\n');
}

function checkKinds(model: ApiModel): void {
  const kinds = model.types.flatMap((type) => type.kinds.map(({ apiVersion, kind }) => `${apiVersion} ${kind}`));
  const twice = kinds.find((kind, index) => kinds.indexOf(kind) !== index);
  if (twice !== undefined) throw new Error(`two schemas have the kind ${twice}`);
}

function emitEnum({ name, values }: NamedEnum): string {
  const line = `  ${name}: [${values.map(quote).join(', ')}],\n`;
  return line.length <= 121 ? line : `  ${name}: [\n${values.map((value) => `    ${quote(value)},\n`).join('')}  ],\n`;
}

function emitTable(type: TypeModel, types: ReadonlyMap<string, TypeModel>, enums: EnumsByField): string {
  const fields = type.shape.type === 'object' ? type.shape.fields : [];
  const lines = fields.map((field) => {
    const named = enums.get(`${type.schemaName}.${field.name}`);
    return `      ${emitKey(field.name)}: { ${emitField(type, field, types, named).join(', ')} },\n`;
  });
  const kinds = type.kinds.map((entry) => `{ apiVersion: ${quote(entry.apiVersion)}, kind: ${quote(entry.kind)} }`);
  return [
    `  ${quote(type.schemaName)}: {\n`,
    ...(kinds.length === 0 ? [] : [`    kinds: [${kinds.join(', ')}],\n`]),
    `    fields: {\n${lines.join('')}    },\n`,
    `  },`,
  ].join('');
}

function emitField(
  type: TypeModel,
  field: FieldModel,
  types: ReadonlyMap<string, TypeModel>,
  named: NamedEnum | undefined,
): readonly string[] {
  const { listType, listMapKeys, patchStrategies, patchMergeKey } = field;
  const ofLists = [
    ...(listType === undefined || listType === 'atomic' ? [] : [`listType: ${quote(listType)}`]),
    ...(listMapKeys === undefined ? [] : [`listMapKeys: [${listMapKeys.map(quote).join(', ')}]`]),
    ...(patchStrategies === undefined ? [] : [`patchStrategies: [${patchStrategies.map(quote).join(', ')}]`]),
    ...(patchMergeKey === undefined ? [] : [`patchMergeKey: ${quote(patchMergeKey)}`]),
  ];
  if (ofLists.length > 0 && field.value.type !== 'array') {
    throw new Error(`${type.schemaName}.${field.name}: not a list, yet it has ${ofLists.join(', ')}`);
  }
  return [
    ...emitValue(field.value, types, named),
    ...(field.required ? ['required: true'] : []),
    ...emitDefault(field.default),
    ...ofLists,
  ];
}

function emitValue(
  value: ValueModel,
  types: ReadonlyMap<string, TypeModel>,
  named: NamedEnum | undefined,
): readonly string[] {
  switch (value.type) {
    case 'ref': {
      const shape = types.get(value.schemaName)?.shape;
      if (shape?.type === 'alias') return emitValue(shape.value, types, named);
      return [`type: 'object-ref'`, `ref: ${quote(value.schemaName)}`];
    }
    case 'array':
    case 'map':
      return [`type: ${quote(value.type)}`, `items: { ${emitValue(value.items, types, named).join(', ')} }`];
    default:
      return [
        `type: ${quote(value.type)}`,
        ...(value.format === undefined ? [] : [`format: ${quote(value.format)}`]),
        ...(named === undefined ? [] : [`enum: enums.${named.name}`]),
      ];
  }
}

/** `{}` stands for a nested object that Go embeds by value: it has no use for a reader of the table. */
function emitDefault(value: unknown): readonly string[] {
  switch (typeof value) {
    case 'string':
      return [`default: ${quote(value)}`];
    case 'number':
    case 'boolean':
      return [`default: ${value}`];
    default:
      return [];
  }
}

function emitKey(name: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(name) ? name : quote(name);
}

function quote(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
}
