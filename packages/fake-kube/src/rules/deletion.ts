import { toRfc3339 } from '@rxlet/component-base';
import type { Pod } from '@rxlet/kube-api';
import { conflict } from '../api-error.ts';
import type { StoredMetadata, StoredObject } from '../api-object.ts';
import type { ResourceType } from '../resource-type.ts';
import { uidMismatch } from './object-metadata.ts';

/** Body of a DELETE. */
export interface DeletionOptions {
  readonly gracePeriodSeconds?: number | undefined;
  readonly preconditions?:
    { readonly uid?: string | undefined; readonly resourceVersion?: string | undefined } | undefined;
}

/** Effect of a DELETE on an object: none, its removal, or a mark that it is being deleted. */
export type Deletion =
  | { readonly kind: 'none' }
  | { readonly kind: 'remove' }
  | { readonly kind: 'mark'; readonly metadata: StoredMetadata };

/** Decides what a DELETE does. @throws ApiError when a precondition does not hold */
export function decideDeletion(
  type: ResourceType,
  object: StoredObject,
  options: DeletionOptions,
  nowMs: number,
): Deletion {
  checkPreconditions(type, object, options.preconditions ?? {});
  const { metadata } = object;
  const seconds = type.plural === 'pods' && type.group === '' ? podGraceSeconds(object, options) : 0;
  const pending = metadata.deletionTimestamp === undefined ? undefined : (metadata.deletionGracePeriodSeconds ?? 0);
  // A deletion in progress can only be shortened.
  const effective = pending === undefined ? seconds : Math.min(pending, seconds);
  const hasFinalizers = (metadata.finalizers ?? []).length > 0;
  if (effective === 0 && !hasFinalizers) return { kind: 'remove' };
  if (pending === effective) return { kind: 'none' };
  return {
    kind: 'mark',
    metadata: {
      ...metadata,
      deletionTimestamp: toRfc3339(nowMs + effective * 1000),
      deletionGracePeriodSeconds: effective,
      ...(metadata.generation !== undefined && { generation: metadata.generation + (pending === undefined ? 1 : 0) }),
    },
  };
}

/** Reports whether an object that is being deleted can go: its last finalizer is gone, and it has no grace period left. */
export function isDeletionDone({ metadata }: StoredObject): boolean {
  return (
    metadata.deletionTimestamp !== undefined &&
    (metadata.finalizers ?? []).length === 0 &&
    (metadata.deletionGracePeriodSeconds ?? 0) === 0
  );
}

/** A pod that no node runs has no grace period. */
function podGraceSeconds(object: StoredObject, { gracePeriodSeconds }: DeletionOptions): number {
  const { spec, status } = object as unknown as Pod;
  const isFinished = status?.phase === 'Succeeded' || status?.phase === 'Failed';
  if (isFinished || !spec?.nodeName) return 0;
  return Math.max(gracePeriodSeconds ?? spec.terminationGracePeriodSeconds ?? 30, 0);
}

function checkPreconditions(
  type: ResourceType,
  object: StoredObject,
  { uid, resourceVersion }: NonNullable<DeletionOptions['preconditions']>,
): void {
  const { metadata } = object;
  if (uid !== undefined && uid !== metadata.uid) throw conflict(type, metadata.name, uidMismatch(uid, object));
  if (resourceVersion !== undefined && resourceVersion !== metadata.resourceVersion) {
    const cause = `Precondition failed: ResourceVersion in precondition: ${resourceVersion}, ResourceVersion in object meta: ${metadata.resourceVersion}`;
    throw conflict(type, metadata.name, cause);
  }
}
