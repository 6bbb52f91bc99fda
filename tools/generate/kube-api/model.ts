/** Input of the emitters: an OpenAPI document whose spelling variants are resolved. */
export interface ApiModel {
  /** Version of the Kubernetes release, such as `1.36.2`. */
  readonly version: string;
  /** Every schema of the document, ordered by schema name. */
  readonly types: readonly TypeModel[];
}

/** One schema. `shape`: an object with named fields, or a name for a value. */
export interface TypeModel {
  /** Name in the document, such as `io.k8s.api.core.v1.Pod`. */
  readonly schemaName: string;
  /** The schema name up to the last dot: `io.k8s.api.core.v1`. */
  readonly packageName: string;
  /** The schema name after the last dot: `Pod`. */
  readonly name: string;
  readonly description?: string;
  /** The kinds under which the object travels on its own; empty for the parts of other objects. */
  readonly kinds: readonly KindModel[];
  readonly shape: ObjectShape | AliasShape;
}

export interface KindModel {
  readonly apiVersion: string;
  readonly kind: string;
}

export interface ObjectShape {
  readonly type: 'object';
  readonly fields: readonly FieldModel[];
}

export interface AliasShape {
  readonly type: 'alias';
  readonly value: ScalarValue;
}

export interface FieldModel {
  readonly name: string;
  readonly description?: string;
  readonly required: boolean;
  readonly value: ValueModel;
  readonly default?: unknown;
  readonly listType?: string;
  readonly listMapKeys?: readonly string[];
  readonly patchStrategies?: readonly string[];
  readonly patchMergeKey?: string;
}

export type ScalarType =
  'string' | 'integer' | 'number' | 'boolean' | 'quantity' | 'int-or-string' | 'date-time' | 'any';

export interface ScalarValue {
  readonly type: ScalarType;
  readonly format?: string;
  readonly enum?: readonly string[];
}

export type ValueModel =
  | ScalarValue
  | { readonly type: 'ref'; readonly schemaName: string }
  | { readonly type: 'array'; readonly items: ValueModel }
  | { readonly type: 'map'; readonly items: ValueModel };
