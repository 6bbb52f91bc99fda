import { isJsonObject, type JsonObject, type JsonValue } from './json-value.ts';

/** Applies a JSON merge patch (RFC 7386): objects are merged, null removes a key, everything else replaces. */
export function mergePatch(target: JsonObject, patch: JsonObject): JsonObject {
  const merged = new Map(target);
  for (const [key, value] of patch) {
    const current = merged.get(key);
    if (value === null) merged.delete(key);
    else if (isJsonObject(value)) merged.set(key, mergePatch(isJsonObject(current) ? current : noEntries, value));
    else merged.set(key, value);
  }
  return merged;
}

const noEntries: JsonObject = new Map<string, JsonValue>();
