/**
 * Returns a deep copy of a message, which is plain data: objects, lists, bytes, numbers and texts. Protobuf's own `clone` reads the schema for each field, which takes
 * several times as long.
 */
export function copyMessage<T>(message: T): T {
  return copy(message) as T;
}

function copy(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (value instanceof Uint8Array) return value.slice();
  if (Array.isArray(value)) return value.map(copy);
  // As own fields, whatever labels are named.
  return Object.fromEntries(Object.entries(value).map(([name, field]) => [name, copy(field)]));
}
