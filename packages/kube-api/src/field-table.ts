import type { TypeName } from './gen/type-name.ts';

/** Fields of the JSON of one object type: enough to decode it strictly and to patch it strategically. */
export interface ObjectTable {
  /** Every field by its JSON name. Look up names from outside with `fieldOf`, which does not find `constructor`. */
  readonly fields: Readonly<Record<string, FieldTable>>;
  /** The kinds under which the object travels on its own; absent for the parts of other objects. */
  readonly kinds?: readonly ObjectKind[];
}

/** Value in the head of each object: `{ apiVersion: 'coordination.k8s.io/v1', kind: 'Lease' }`. */
export interface ObjectKind {
  readonly apiVersion: string;
  readonly kind: string;
}

/** A value in the place of a field. */
export type FieldTable = ValueTable & FieldTraits;

export interface FieldTraits {
  /**
   * The object is invalid without the field. Decoding does not enforce it: the API server decodes an object that
   * lacks it, fills in `default`, and leaves the rest to validation.
   */
  readonly required?: true;
  /**
   * Stands in for a field that is absent. For a required field it is mostly the zero value of the type in Go (`""`, 0),
   * which does not imply that the field is valid. Defaults that the API server sets by code, such as `restartPolicy: Always`, are
   * in no schema and thus not here; neither is the `{}` of nested objects.
   */
  readonly default?: string | number | boolean;
}

/** Permitted values at one place of an object. `type` is the discriminator. */
export type ValueTable = ScalarTable | ReferenceTable | ArrayTable | MapTable;

export interface ScalarTable {
  /**
   * - `integer`, `number`, `boolean`, `string`: as in JSON
   * - `quantity`: a string such as `100m` or `64Mi`, or a number
   * - `int-or-string`: a 32-bit integer or a string
   * - `date-time`: an RFC 3339 string
   * - `any`: JSON of any shape, kept as it is
   */
  readonly type: 'string' | 'integer' | 'number' | 'boolean' | 'quantity' | 'int-or-string' | 'date-time' | 'any';
  /**
   * - `int32`, `int64`: the range of an integer
   * - `byte`: a string in standard base64
   * - `micro-time`: a date-time with six digits after the second
   */
  readonly format?: 'int32' | 'int64' | 'byte' | 'micro-time';
  /** Valid strings. Other strings decode too, and fail validation. */
  readonly enum?: readonly string[];
}

/** An object with a table of its own. */
export interface ReferenceTable {
  readonly type: 'object-ref';
  readonly ref: TypeName;
}

export interface ArrayTable {
  readonly type: 'array';
  readonly items: ValueTable;
  /**
   * `set`: no two items are equal; `map`: no two items agree in all of `listMapKeys`.
   * Absent for lists with one owner, which server-side apply replaces as a whole.
   */
  readonly listType?: 'set' | 'map';
  readonly listMapKeys?: readonly string[];
  /**
   * Effect of a strategic merge patch on the list; absent: it replaces the list.
   * `merge`: it merges items that agree in `patchMergeKey`, or the lists as sets where there is no merge key.
   * `retainKeys`: of a merged item only the fields remain that its `$retainKeys` names.
   */
  readonly patchStrategies?: readonly ('merge' | 'retainKeys')[];
  /** One field, even where `listMapKeys` has two: container ports merge by `containerPort` alone. */
  readonly patchMergeKey?: string;
}

/** An object used as a dictionary: any keys, values of one sort. */
export interface MapTable {
  readonly type: 'map';
  readonly items: ValueTable;
}
