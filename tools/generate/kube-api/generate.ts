import { emitIndex } from './emit-index.ts';
import { emitTables, emitTypeName } from './emit-tables.ts';
import { emitTypes } from './emit-types.ts';
import { nameEnums } from './name-enums.ts';
import { readSchema } from './read-schema.ts';

/**
 * Returns everything that is generated from the OpenAPI document, by path below `packages/kube-api/src`.
 * The same document gives the same bytes.
 */
export function generate(openapi: string): ReadonlyMap<string, string> {
  const model = readSchema(openapi);
  const enums = nameEnums(model);
  return new Map([
    ['index.ts', emitIndex(model, enums)],
    ...[...emitTypes(model, enums)].map(([file, text]) => [`gen/${file}`, text] as const),
    ['gen/tables.ts', emitTables(model, enums)],
    ['gen/type-name.ts', emitTypeName(model)],
  ]);
}
