import { fieldOf } from '../find-table.ts';
import type { ValueTable } from '../field-table.ts';
import { tables } from '../gen/tables.ts';

/** Returns the type of a field of a value, if it is known. */
export function shapeOfField(shape: ValueTable | undefined, key: string): ValueTable | undefined {
  if (shape?.type === 'map') return shape.items;
  return shape?.type === 'object-ref' ? fieldOf(tables[shape.ref], key) : undefined;
}

/** Returns the type of the items of a list, if it is known. */
export function shapeOfItems(shape: ValueTable | undefined): ValueTable | undefined {
  return shape?.type === 'array' ? shape.items : undefined;
}

/** Reports whether a strategic merge patch merges the list instead of replacing it. */
export function mergesItems(shape: ValueTable | undefined): boolean {
  return shape?.type === 'array' && shape.patchStrategies?.includes('merge') === true;
}

/** Returns the field by which items of a merged list are identified; `undefined` for lists that are replaced and for lists of scalars. */
export function mergeKeyOf(shape: ValueTable | undefined): string | undefined {
  return shape?.type === 'array' && mergesItems(shape) ? shape.patchMergeKey : undefined;
}
