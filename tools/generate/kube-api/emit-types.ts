import type { ApiModel, FieldModel, ScalarType, TypeModel, ValueModel } from './model.ts';
import type { EnumsByField, NamedEnum } from './name-enums.ts';
import { refOf } from './read-schema.ts';

/** First line of every file that the generator writes. */
export function banner(model: ApiModel): string {
  return `// Generated from Kubernetes ${model.version} by tools/generate/kube-api; do not edit.\n`;
}

/** Returns the file of a package: `io.k8s.api.core.v1` is in `core-v1.ts`, types without an API group in `apimachinery.ts`. */
export function fileOf(packageName: string): string {
  const match = /([^.]+)\.(v\d\w*)$/.exec(packageName);
  return match === null ? 'apimachinery.ts' : `${match[1]}-${match[2]}.ts`;
}

/** TypeScript of each scalar. 64-bit integers are numbers, exact up to 2^53, as `JSON.parse` returns them. */
const scalars: Readonly<Record<ScalarType, string>> = {
  string: 'string',
  integer: 'number',
  number: 'number',
  boolean: 'boolean',
  quantity: 'string | number',
  'int-or-string': 'number | string',
  'date-time': 'string',
  any: 'unknown',
};

/** Docstrings of the generated names for values. */
const aliasDocs: Readonly<Record<string, string>> = {
  FieldsV1: 'The set of fields that a manager owns: nested objects with keys such as `f:metadata`.',
  IntOrString: 'A number, or a string that stands for one: the name of a port, or a percentage.',
  MicroTime: 'RFC 3339 with six digits after the second, such as `2026-01-02T15:04:05.000000Z`.',
  Quantity: 'An amount with an optional suffix, such as `100m`, `1.5`, `64Mi`; a bare number is accepted on input.',
  RawExtension: 'JSON of a kind this package does not know.',
  Time: 'RFC 3339 in whole seconds, such as `2026-01-02T15:04:05Z`.',
};

/** Returns a file of declarations for each API group and version, by file name. */
export function emitTypes(model: ApiModel, enums: EnumsByField): ReadonlyMap<string, string> {
  const files = new Map<string, TypeModel[]>();
  for (const type of model.types) {
    const file = fileOf(type.packageName);
    files.set(file, [...(files.get(file) ?? []), type]);
  }
  const entries = [...files].map(([file, types]) => [file, emitFile(model, file, types, enums)] as const);
  return new Map(entries.sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** Returns the names that a file declares, sorted: its types and its enums. */
export function declaredNames(model: ApiModel, enums: EnumsByField, file: string): readonly string[] {
  const types = model.types.filter((type) => fileOf(type.packageName) === file);
  return [...types, ...enumsOf(enums, file)].map((declaration) => declaration.name).sort();
}

function emitFile(model: ApiModel, file: string, types: readonly TypeModel[], enums: EnumsByField): string {
  const declarations = new Map([
    ...types.map((type) => [type.name, emitType(type, enums)] as const),
    ...enumsOf(enums, file).map((named) => [named.name, emitEnum(named)] as const),
  ]);
  const names = [...declarations.keys()].sort();
  if (names.length !== types.length + enumsOf(enums, file).length) throw new Error(`${file}: a name is declared twice`);
  const imports = emitImports(file, types);
  const blocks = [banner(model), imports, ...names.map((name) => declarations.get(name))];
  return blocks.filter((block) => block !== '').join('\n');
}

function enumsOf(enums: EnumsByField, file: string): readonly NamedEnum[] {
  return [...new Set(enums.values())].filter((named) => fileOf(named.packageName) === file);
}

function emitImports(file: string, types: readonly TypeModel[]): string {
  const imported = new Map<string, Set<string>>();
  for (const type of types) {
    for (const field of type.shape.type === 'object' ? type.shape.fields : []) {
      const target = refOf(field.value);
      if (target === undefined) continue;
      const { packageName, name } = splitName(target);
      const from = fileOf(packageName);
      if (from !== file) imported.set(from, (imported.get(from) ?? new Set()).add(name));
    }
  }
  return [...imported.keys()]
    .sort()
    .map((from) => `import type { ${[...(imported.get(from) ?? [])].sort().join(', ')} } from './${from}';\n`)
    .join('');
}

function emitType(type: TypeModel, enums: EnumsByField): string {
  const doc = type.description ?? aliasDocs[type.name];
  if (type.shape.type === 'alias') {
    // In itself any JSON, but always an object in practice, and read as one.
    const target = type.name === 'FieldsV1' ? 'Readonly<Record<string, unknown>>' : scalars[type.shape.value.type];
    return `${emitDoc(doc, '')}export type ${type.name} = ${target};\n`;
  }
  const fields = type.shape.fields.map((field) => emitField(field, enums.get(`${type.schemaName}.${field.name}`)));
  return `${emitDoc(type.description, '')}export interface ${type.name} {\n${fields.join('')}}\n`;
}

function emitField(field: FieldModel, named: NamedEnum | undefined): string {
  const name = /^[A-Za-z_$][\w$]*$/.test(field.name) ? field.name : `'${field.name}'`;
  const target = emitValue(field.value, named);
  return `${emitDoc(field.description, '  ')}  readonly ${name}${field.required ? '' : '?'}: ${target};\n`;
}

function emitValue(value: ValueModel, named: NamedEnum | undefined): string {
  switch (value.type) {
    case 'ref':
      return splitName(value.schemaName).name;
    case 'array': {
      const items = emitValue(value.items, named);
      return `readonly ${items.includes(' ') ? `(${items})` : items}[]`;
    }
    case 'map':
      return `Readonly<Record<string, ${emitValue(value.items, named)}>>`;
    default:
      return named === undefined ? scalars[value.type] : named.name;
  }
}

/** In the layout of prettier: on one line if it fits, else on the next one, else a line each. */
function emitEnum(named: NamedEnum): string {
  const values = named.values.map((value) => `'${value}'`);
  const head = `export type ${named.name} =`;
  const union = `${values.join(' | ')};`;
  if (head.length + 1 + union.length <= 120) return `${head} ${union}\n`;
  return 2 + union.length <= 120 ? `${head}\n  ${union}\n` : `${head}\n  | ${values.join('\n  | ')};\n`;
}

function emitDoc(text: string | undefined, indent: string): string {
  if (text === undefined) return '';
  const lines = text.replaceAll('*/', '*\\/').split('\n');
  if (lines.length === 1) return `${indent}/** ${lines[0]} */\n`;
  return `${indent}/**\n${lines.map((line) => `${indent} * ${line}`.trimEnd()).join('\n')}\n${indent} */\n`;
}

function splitName(schemaName: string): { packageName: string; name: string } {
  const dot = schemaName.lastIndexOf('.');
  return { packageName: schemaName.slice(0, dot), name: schemaName.slice(dot + 1) };
}
