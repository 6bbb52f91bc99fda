export type {
  ArrayTable,
  FieldTable,
  FieldTraits,
  MapTable,
  ObjectKind,
  ObjectTable,
  ReferenceTable,
  ScalarTable,
  ValueTable,
} from './field-table.ts';
export { fieldOf, findTable, findTypeName } from './find-table.ts';
export { tables } from './gen/tables.ts';
export type { TypeName } from './gen/type-name.ts';
