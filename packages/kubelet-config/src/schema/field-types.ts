/** Type of a field of a configuration: how the field is read and written. */
export type FieldType =
  | { readonly kind: 'boolean' | 'text' | 'float64' | 'duration' | 'logDuration' | 'quantity' | 'time' }
  | { readonly kind: 'integer'; readonly min: bigint; readonly max: bigint; readonly goType: string }
  | { readonly kind: 'list' | 'map' | 'pointer'; readonly of: FieldType }
  | { readonly kind: 'struct'; readonly fields: StructFields };

/** Types of the fields of an object, by name. */
export type StructFields = Readonly<Record<string, FieldType>>;

/** Types of exactly the fields of `T`. */
export type Fields<T> = { readonly [Name in keyof Required<T>]: FieldType };

export const boolean: FieldType = { kind: 'boolean' };
export const text: FieldType = { kind: 'text' };
export const float64: FieldType = { kind: 'float64' };
/** A Go duration in text, kept in milliseconds. */
export const duration: FieldType = { kind: 'duration' };
/** A Go duration in text or a number of nanoseconds, kept in its form. */
export const logDuration: FieldType = { kind: 'logDuration' };
export const quantity: FieldType = { kind: 'quantity' };
/** A point in time as RFC 3339. */
export const time: FieldType = { kind: 'time' };
export const int32: FieldType = { kind: 'integer', min: -(2n ** 31n), max: 2n ** 31n - 1n, goType: 'int32' };
export const uint32: FieldType = { kind: 'integer', min: 0n, max: 2n ** 32n - 1n, goType: 'uint32' };
/** Kept as a JavaScript number: beyond 2^53 rounded to the nearest one. */
export const int64: FieldType = { kind: 'integer', min: -(2n ** 63n), max: 2n ** 63n - 1n, goType: 'int64' };

export function list(of: FieldType): FieldType {
  return { kind: 'list', of };
}

/** An object whose keys are free. */
export function map(of: FieldType): FieldType {
  return { kind: 'map', of };
}

/** A value whose zero (`false`, `0`, the empty text) differs from its absence. */
export function pointer(of: FieldType): FieldType {
  return { kind: 'pointer', of };
}

export function struct<T>(fields: Fields<T>): FieldType {
  return { kind: 'struct', fields };
}
