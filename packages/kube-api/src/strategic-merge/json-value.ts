/** A JSON object. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** Reports whether a value is a JSON object, not a list. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Reports deep equality of JSON values, where `undefined`, `null`, `{}` and `[]` are equal. */
export function sameValue(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (isNothing(a) || isNothing(b)) return isNothing(a) && isNothing(b);
  if (typeof a !== 'object' || typeof b !== 'object') return false;
  if (Array.isArray(a) || Array.isArray(b)) {
    return (
      Array.isArray(a) &&
      Array.isArray(b) &&
      a.length === b.length &&
      a.every((item, index) => sameValue(item, b[index]))
    );
  }
  const [left, right] = [a as JsonObject, b as JsonObject];
  return (
    Object.keys(left).every((key) => sameValue(left[key], right[key])) &&
    Object.keys(right).every((key) => key in left || isNothing(right[key]))
  );
}

/** Reports whether a value is `undefined`, `null`, `{}` or `[]`. */
export function isNothing(value: unknown): boolean {
  return value === undefined || value === null || (typeof value === 'object' && Object.keys(value).length === 0);
}
