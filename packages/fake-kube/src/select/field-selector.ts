import { type FieldRequirement, matchesFields } from '@rxlet/kube-api/selectors';
import { ApiError } from '../api-error.ts';
import type { StoredObject } from '../api-object.ts';
import type { ResourceType } from '../resource-type.ts';

/** Returns the test of a field selector for one resource. @throws ApiError when the resource does not support a field */
export function fieldMatcher(
  type: ResourceType,
  requirements: readonly FieldRequirement[],
): (object: StoredObject) => boolean {
  if (requirements.length === 0) return () => true;
  const fields = (object: StoredObject): Readonly<Record<string, string>> => ({
    ...type.selectableFields?.(object),
    'metadata.name': object.metadata.name,
    ...(type.isNamespaced && { 'metadata.namespace': object.metadata.namespace ?? '' }),
  });
  const supported = fields(blankObject(type));
  for (const { field } of requirements) {
    if (Object.hasOwn(supported, field)) continue;
    const apiVersion = type.group === '' ? type.version : `${type.group}/${type.version}`;
    throw new ApiError(
      'BadRequest',
      `Unable to find ${JSON.stringify(`${apiVersion}, Resource=${type.plural}`)} that match label selector "", field selector ${JSON.stringify(
        requirements.map((each) => `${each.field}${each.isNegated ? '!=' : '='}${each.value}`).join(','),
      )}: field label not supported: ${field}`,
    );
  }
  return (object) => matchesFields(requirements, fields(object));
}

/** Returns the value that a selector requires of a field, if it requires one. */
export function requiredValue(requirements: readonly FieldRequirement[], field: string): string | undefined {
  return requirements.find((each) => each.field === field && !each.isNegated)?.value;
}

/** An object without content, to learn the names of selectable fields. */
function blankObject(type: ResourceType): StoredObject {
  const metadata = { name: '', uid: '', resourceVersion: '', creationTimestamp: '' };
  return { apiVersion: '', kind: type.kind, metadata, spec: {}, status: {}, involvedObject: {} };
}
