import { isObject, type JsonObject } from '@rxlet/kube-api/strategic-merge';

/** Applies a JSON merge patch (RFC 7386). */
export function applyMergePatch(target: unknown, patch: unknown): unknown {
  if (!isObject(patch)) return patch;
  const result = new Map<string, unknown>(Object.entries(isObject(target) ? target : ({} satisfies JsonObject)));
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) result.delete(key);
    else result.set(key, applyMergePatch(result.get(key), value));
  }
  return Object.fromEntries(result);
}
