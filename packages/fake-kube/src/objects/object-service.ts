import { toRfc3339 } from '@rxlet/component-base';
import { sameValue } from '@rxlet/kube-api/strategic-merge';
import { alreadyExists, ApiError, notFound } from '../api-error.ts';
import type { IncomingObject, StoredObject } from '../api-object.ts';
import { applyPatch } from '../patch/apply-patch.ts';
import { apiVersionOfType, type ResourceType } from '../resource-type.ts';
import { decideDeletion, type DeletionOptions, isDeletionDone } from '../rules/deletion.ts';
import { newMetadata, type NewMetadata, nextMetadata, withGeneration } from '../rules/object-metadata.ts';
import type { RuleContext } from '../rules/rule-context.ts';
import { rulesOf } from '../rules/rules-of.ts';
import type { ObjectStore } from '../store/object-store.ts';

/** Identifies an object of a resource. */
export interface ObjectName {
  readonly namespace?: string | undefined;
  readonly name: string;
}

/** Reads and changes single objects, with the rules that an API server applies to every writer. Each call throws an `ApiError` when it is rejected. */
export interface ObjectService {
  get(type: ResourceType, name: ObjectName): StoredObject;
  create(type: ResourceType, namespace: string | undefined, object: IncomingObject, context: RuleContext): StoredObject;
  update(
    type: ResourceType,
    name: ObjectName,
    object: IncomingObject,
    subresource: string | undefined,
    context: RuleContext,
  ): StoredObject;
  patch(
    type: ResourceType,
    name: ObjectName,
    patch: IncomingPatch,
    subresource: string | undefined,
    context: RuleContext,
  ): StoredObject;
  /** @returns the object as it is after the call, or as it was removed */
  delete(
    type: ResourceType,
    name: ObjectName,
    options: DeletionOptions,
    context: RuleContext,
  ): { readonly object: StoredObject; readonly isRemoved: boolean };
}

/** A patch and its media type. */
export interface IncomingPatch {
  readonly contentType: string;
  readonly body: unknown;
}

/** Number of names that are generated for an object, as by a real API server, until one is not in use. */
const MAX_NAME_ATTEMPTS = 8;

/** Creates an {@link ObjectService}. `namespaces` is the resource of namespaces, in which objects must be. */
export function createObjectService(store: ObjectStore, namespaces: ResourceType): ObjectService {
  const get = (type: ResourceType, name: ObjectName): StoredObject => {
    const object = store.get(type, name);
    if (object === undefined) throw notFound(type, name.name);
    return object;
  };

  const checkNamespace = (type: ResourceType, name: string | undefined, object: IncomingObject): void => {
    if (!type.isNamespaced) return;
    if (name === undefined) throw new ApiError('BadRequest', 'an empty namespace may not be set during creation');
    const namespace = get(namespaces, { name });
    if (namespace.metadata.deletionTimestamp === undefined) return;
    const message = `${type.plural} "${object.metadata?.name ?? ''}" is forbidden: unable to create new content in namespace ${name} because it is being terminated`;
    const causes = [
      { reason: 'NamespaceTerminating', message: `namespace ${name} is being terminated`, field: 'metadata.namespace' },
    ];
    throw new ApiError('Forbidden', message, { type, name: object.metadata?.name, causes });
  };

  const remove = (type: ResourceType, object: StoredObject): StoredObject => {
    const removed = store.remove(type, object);
    if (object.metadata.namespace !== undefined) finishNamespace(object.metadata.namespace);
    return removed;
  };

  const replace = (type: ResourceType, next: StoredObject, previous: StoredObject): StoredObject => {
    if (isDeletionDone(next) && type !== namespaces) return remove(type, next);
    // A change of nothing is no change: no new version, no event.
    return sameValue(next, previous) ? previous : store.write(type, next);
  };

  /** Removes a namespace that is being deleted, once it is empty. */
  const finishNamespace = (name: string): void => {
    const namespace = store.get(namespaces, { name });
    if (namespace?.metadata.deletionTimestamp === undefined || store.inNamespace(name).length > 0) return;
    store.remove(namespaces, namespace);
  };

  /** Deletes what is in a namespace, and the namespace after the last object of it (a cluster's namespace controller). */
  const deleteNamespace = (namespace: StoredObject, nowMs: number): { object: StoredObject; isRemoved: boolean } => {
    const metadata = { ...namespace.metadata, deletionTimestamp: toRfc3339(nowMs) };
    const object = store.write(namespaces, { ...namespace, metadata, status: { phase: 'Terminating' } });
    for (const content of store.inNamespace(metadata.name)) deleteObject(content.type, content.object, {}, nowMs);
    finishNamespace(metadata.name);
    return { object, isRemoved: store.get(namespaces, metadata) === undefined };
  };

  const deleteObject = (
    type: ResourceType,
    object: StoredObject,
    options: DeletionOptions,
    nowMs: number,
  ): { object: StoredObject; isRemoved: boolean } => {
    const deletion = decideDeletion(type, object, options, nowMs);
    if (type === namespaces && object.metadata.deletionTimestamp === undefined) return deleteNamespace(object, nowMs);
    if (deletion.kind === 'none' || type === namespaces) return { object, isRemoved: false };
    if (deletion.kind === 'remove') return { object: remove(type, object), isRemoved: true };
    return { object: store.write(type, { ...object, metadata: deletion.metadata }), isRemoved: false };
  };

  const change = (
    type: ResourceType,
    previous: StoredObject,
    incoming: IncomingObject,
    { subresource, isPatch }: { readonly subresource: string | undefined; readonly isPatch: boolean },
    context: RuleContext,
  ): StoredObject => {
    checkKind(type, incoming);
    const metadata = nextMetadata(type, incoming, previous, isPatch);
    const hasStatus = type.subresources?.includes('status') === true;
    const next: StoredObject = {
      ...(subresource === 'status' ? { ...previous, status: incoming.status } : incoming),
      ...(subresource === undefined && hasStatus && { status: previous.status }),
      apiVersion: previous.apiVersion,
      kind: previous.kind,
      metadata,
    };
    const ruled = rulesOf(type).update?.(next, previous, subresource, context) ?? next;
    return replace(type, withGeneration(type, withoutEmptyStatus(ruled), previous), previous);
  };

  const metadataOfNew = (
    type: ResourceType,
    object: IncomingObject,
    namespace: string | undefined,
    context: RuleContext,
  ): NewMetadata => {
    const isGenerated = !object.metadata?.name;
    for (let attempt = 1; ; attempt += 1) {
      const metadata = newMetadata(type, object, type.isNamespaced ? namespace : undefined, context);
      if (store.get(type, metadata) === undefined) return metadata;
      if (!isGenerated || attempt === MAX_NAME_ATTEMPTS) throw alreadyExists(type, metadata.name);
    }
  };

  return {
    get,
    create(type, namespace, object, context) {
      checkKind(type, object);
      checkNamespace(type, namespace, object);
      const hasStatus = type.subresources?.includes('status') === true;
      const given = hasStatus && type.keepsStatusOnCreate !== true ? { ...object, status: undefined } : object;
      const metadata = metadataOfNew(type, given, namespace, context);
      const complete = { ...given, apiVersion: apiVersionOfType(type), kind: type.kind, metadata };
      return store.write(type, withoutEmptyStatus(rulesOf(type).create?.(complete, context) ?? complete));
    },
    update: (type, name, object, subresource, context) =>
      change(type, get(type, name), object, { subresource, isPatch: false }, context),
    patch(type, name, { contentType, body }, subresource, context) {
      const previous = get(type, name);
      return change(
        type,
        previous,
        applyPatch(type, previous, contentType, body),
        { subresource, isPatch: true },
        context,
      );
    },
    delete: (type, name, options, { clock }) => deleteObject(type, get(type, name), options, clock.now()),
  };
}

function checkKind(type: ResourceType, { apiVersion = '', kind = '' }: IncomingObject): void {
  const expected = apiVersionOfType(type);
  if ((kind === '' || kind === type.kind) && (apiVersion === '' || apiVersion === expected)) return;
  throw new ApiError(
    'BadRequest',
    `${type.kind} in version ${JSON.stringify(type.version)} cannot be handled as a ${type.kind}: the object is of kind ${JSON.stringify(kind)} in ${JSON.stringify(apiVersion)}`,
  );
}

function withoutEmptyStatus<T extends { readonly status?: unknown }>(object: T): T {
  if (object.status !== undefined) return object;
  const { status: _, ...rest } = object;
  return rest as T;
}
