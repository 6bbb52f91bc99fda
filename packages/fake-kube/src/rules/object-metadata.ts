import { toRfc3339, uuid } from '@rxlet/component-base';
import { isNothing, sameValue } from '@rxlet/kube-api/strategic-merge';
import { ApiError, conflict, invalid } from '../api-error.ts';
import type { IncomingObject, StoredMetadata, StoredObject } from '../api-object.ts';
import type { ResourceType } from '../resource-type.ts';
import type { RuleContext } from './rule-context.ts';

/** Metadata of an object that is not stored yet. */
export type NewMetadata = Omit<StoredMetadata, 'resourceVersion'>;

/** Letters and digits of generated names: none that could form words, or that look alike. */
const SUFFIX_ALPHABET = 'bcdfghjklmnpqrstvwxz2456789';
const SUFFIX_LENGTH = 5;
const MAX_GENERATED_NAME_LENGTH = 63;
const MAX_NAME_LENGTH = 253;

/** Returns the metadata of a new object. @throws ApiError when name or namespace are missing, not valid or not those of the request */
export function newMetadata(
  type: ResourceType,
  object: IncomingObject,
  namespace: string | undefined,
  { clock, random }: RuleContext,
): NewMetadata {
  const given = object.metadata ?? {};
  if (isPresent(given.namespace) && given.namespace !== (namespace ?? '')) {
    throw new ApiError(
      'BadRequest',
      'the namespace of the provided object does not match the namespace sent on the request',
    );
  }
  if (isPresent(given.resourceVersion)) {
    throw new ApiError('BadRequest', 'resourceVersion should not be set on objects to be created');
  }
  const { generateName = '' } = given;
  const name = isPresent(given.name) ? given.name : generateName && generatedName(generateName, () => random.next());
  if (name === '') throw invalid(type, '', required('metadata.name', 'name or generateName is required'));
  checkName(type, name);
  const { deletionTimestamp: _, deletionGracePeriodSeconds: __, selfLink: ___, ...kept } = given;
  return {
    ...kept,
    name,
    ...(namespace !== undefined && { namespace }),
    uid: uuid(random),
    creationTimestamp: toRfc3339(clock.now()),
    ...(type.hasGeneration === true ? { generation: 1 } : {}),
  };
}

/**
 * Returns the metadata of a changed object: labels, annotations, owners and finalizers are the client's, everything else stays.
 *
 * @throws ApiError when the client's object is another one, or of another version
 */
export function nextMetadata(
  type: ResourceType,
  next: IncomingObject,
  previous: StoredObject,
  isPatch: boolean,
): StoredMetadata {
  const given = next.metadata ?? {};
  const { name } = previous.metadata;
  if (isPresent(given.name) && given.name !== name) {
    throw new ApiError(
      'BadRequest',
      `the name of the object (${given.name}) does not match the name on the URL (${name})`,
    );
  }
  if (isPresent(given.namespace) && given.namespace !== previous.metadata.namespace) {
    throw new ApiError(
      'BadRequest',
      'the namespace of the provided object does not match the namespace sent on the request',
    );
  }
  if (isPresent(given.uid) && given.uid !== previous.metadata.uid) {
    // A replaced object has preconditions; a patched one is only validated.
    if (!isPatch) throw conflict(type, name, uidMismatch(given.uid, previous));
    const message = `Invalid value: ${JSON.stringify(given.uid)}: field is immutable`;
    throw invalid(type, name, { reason: 'FieldValueInvalid', field: 'metadata.uid', message });
  }
  if (isPresent(given.resourceVersion) && given.resourceVersion !== previous.metadata.resourceVersion) {
    throw conflict(
      type,
      name,
      'the object has been modified; please apply your changes to the latest version and try again',
    );
  }
  const {
    labels: _,
    annotations: __,
    ownerReferences: ___,
    finalizers: ____,
    managedFields: _____,
    ...kept
  } = previous.metadata;
  const { labels, annotations, ownerReferences, finalizers, managedFields } = given;
  const added = (finalizers ?? []).filter((finalizer) => previous.metadata.finalizers?.includes(finalizer) !== true);
  if (previous.metadata.deletionTimestamp !== undefined && added.length > 0) {
    const message = 'Forbidden: no new finalizers can be added if the object is being deleted';
    throw invalid(type, name, { reason: 'FieldValueForbidden', field: 'metadata.finalizers', message });
  }
  const changeable = { labels, annotations, ownerReferences, finalizers, managedFields };
  const present = Object.entries(changeable).filter(([, value]) => !isNothing(value));
  return { ...kept, ...Object.fromEntries(present) };
}

/** Counts a change of the spec in `metadata.generation`. */
export function withGeneration(type: ResourceType, next: StoredObject, previous: StoredObject): StoredObject {
  if (type.hasGeneration !== true || sameValue(next.spec, previous.spec)) return next;
  return { ...next, metadata: { ...next.metadata, generation: (previous.metadata.generation ?? 0) + 1 } };
}

/** Returns the cause of a rejected UID. */
export function uidMismatch(uid: string, { metadata }: StoredObject): string {
  return `Precondition failed: UID in precondition: ${uid}, UID in object meta: ${metadata.uid}`;
}

function generatedName(prefix: string, next: () => number): string {
  const letter = (): string => SUFFIX_ALPHABET[Math.floor(next() * SUFFIX_ALPHABET.length)]!;
  const suffix = Array.from({ length: SUFFIX_LENGTH }, letter).join('');
  return `${prefix.slice(0, MAX_GENERATED_NAME_LENGTH - SUFFIX_LENGTH)}${suffix}`;
}

function checkName(type: ResourceType, name: string): void {
  if (type.hasPathNames === true && /^[^/%]+$/.test(name) && name !== '.' && name !== '..') return;
  const isSubdomain = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/.test(name);
  if (isSubdomain && name.length <= MAX_NAME_LENGTH) return;
  throw invalid(type, name, {
    reason: 'FieldValueInvalid',
    field: 'metadata.name',
    message: `Invalid value: ${JSON.stringify(name)}: a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')`,
  });
}

function required(field: string, message: string): { reason: string; field: string; message: string } {
  return { reason: 'FieldValueRequired', field, message: `Required value: ${message}` };
}

function isPresent(text: string | undefined): text is string {
  return text !== undefined && text !== null && text !== '';
}
