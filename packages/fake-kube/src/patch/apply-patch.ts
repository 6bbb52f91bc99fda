import { applyStrategicMerge, isObject, StrategicMergeError } from '@rxlet/kube-api/strategic-merge';
import { ApiError } from '../api-error.ts';
import type { IncomingObject, StoredObject } from '../api-object.ts';
import { type ResourceType, shapeOfType } from '../resource-type.ts';
import { applyJsonPatch } from './json-patch.ts';
import { applyMergePatch } from './merge-patch.ts';

const JSON_PATCH = 'application/json-patch+json';
const MERGE_PATCH = 'application/merge-patch+json';
const STRATEGIC_MERGE_PATCH = 'application/strategic-merge-patch+json';

/** Returns the object that a patch makes of a stored one. @throws ApiError when the patch is of another type, or cannot be applied */
export function applyPatch(
  type: ResourceType,
  object: StoredObject,
  contentType: string,
  patch: unknown,
): IncomingObject {
  const shape = shapeOfType(type);
  if (contentType === JSON_PATCH) return checkObject(applyJsonPatch(object, patch));
  if (contentType === MERGE_PATCH) return checkObject(applyMergePatch(object, checkObject(patch)));
  const isStrategic = shape !== undefined || type.specParts !== undefined;
  if (contentType !== STRATEGIC_MERGE_PATCH || !isStrategic) {
    const supported = [JSON_PATCH, MERGE_PATCH, ...(isStrategic ? [STRATEGIC_MERGE_PATCH] : [])];
    throw new ApiError(
      'UnsupportedMediaType',
      `the body of the request was in an unknown format - accepted media types include: ${supported.join(', ')}`,
    );
  }
  try {
    const merged = applyStrategicMerge(object, checkObject(patch), shape);
    return type.specParts === undefined ? merged : withSpecParts(merged, object, patch, type.specParts);
  } catch (error) {
    if (error instanceof StrategicMergeError) throw new ApiError('BadRequest', error.message);
    throw error;
  }
}

/** Returns a merged object whose typed parts are merged by their types: without these, lists are replaced. */
function withSpecParts(
  merged: IncomingObject,
  { spec: before }: StoredObject,
  patch: unknown,
  parts: NonNullable<ResourceType['specParts']>,
): IncomingObject {
  const { spec: change } = patch as IncomingObject;
  if (!isObject(change) || !isObject(merged.spec)) return merged;
  const changed = Object.entries(parts).flatMap(([name, shape]) => {
    const [from, to] = [isObject(before) ? before[name] : undefined, change[name]];
    return isObject(from) && isObject(to) ? [[name, applyStrategicMerge(from, to, shape)] as const] : [];
  });
  return { ...merged, spec: { ...merged.spec, ...Object.fromEntries(changed) } };
}

function checkObject(value: unknown): IncomingObject {
  if (isObject(value)) return value;
  throw new ApiError('BadRequest', 'error decoding patch: expected an object');
}
