/** A number as it was written: whether Go reads it as an integer depends on its text. */
export class JsonNumber {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** A JSON object in the order of its text. */
export type JsonObject = ReadonlyMap<string, JsonValue>;

/** A JSON value whose numbers and key order are those of its text. */
export type JsonValue = null | boolean | string | JsonNumber | readonly JsonValue[] | JsonObject;

/** Reports whether a value is a {@link JsonObject}. */
export function isJsonObject(value: JsonValue | undefined): value is JsonObject {
  return value instanceof Map;
}

/** Returns the name of the type of a value, as Go's errors have it. */
export function jsonType(value: JsonValue): string {
  if (value === null) return 'null';
  if (value instanceof JsonNumber) return 'number';
  if (Array.isArray(value)) return 'array';
  if (isJsonObject(value)) return 'object';
  return typeof value === 'boolean' ? 'bool' : 'string';
}

/** Returns the value as `JSON.parse` would have. */
export function toPlainJson(value: JsonValue): unknown {
  if (value instanceof JsonNumber) return Number(value.text);
  if (isJsonObject(value)) return Object.fromEntries([...value].map(([key, item]) => [key, toPlainJson(item)]));
  return Array.isArray(value) ? value.map(toPlainJson) : value;
}
