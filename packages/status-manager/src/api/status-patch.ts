import type { PodCondition, PodStatus } from '@rxlet/kube-api';
import { isSharedCondition, ownedConditionTypes } from '../condition-types.ts';
import { withForeignFieldsOf } from './foreign-fields.ts';
import { type JsonObject, strategicDiff } from './strategic-diff.ts';

/**
 * The body of a PATCH of a pod's subresource `status` with content type `application/strategic-merge-patch+json`: what changes from the status that the
 * API has to the next one (see `mergePodStatus`), and nothing of what others own.
 *
 * @param old the status that the API has
 * @param ownedConditions the types of the conditions that the caller writes; those of other types, and fields like the statuses of resource claims,
 *   are left as the API has them, whatever `next` says
 * @returns undefined when nothing changes: then there is nothing to send
 */
export function statusPatch(
  old: PodStatus,
  next: PodStatus,
  ownedConditions: ReadonlySet<string> = ownedConditionTypes,
): { readonly status: JsonObject } | undefined {
  const conditions = ownedChanges(old.conditions ?? [], next.conditions ?? [], ownedConditions);
  const wanted = { ...withForeignFieldsOf(old, next), conditions };
  const status = strategicDiff({ ...old }, { ...wanted }, { type: 'object-ref', ref: 'io.k8s.api.core.v1.PodStatus' });
  return status && { status };
}

/**
 * The patch of {@link statusPatch} for one pod and no other: the API server refuses it when a pod of another UID has come in the place of this one.
 */
export function podStatusPatch(
  podUid: string,
  ...statuses: Parameters<typeof statusPatch>
): { readonly metadata: { readonly uid: string }; readonly status: JsonObject } | undefined {
  const patch = statusPatch(...statuses);
  return patch && { metadata: { uid: podUid }, ...patch };
}

/** The conditions wanted: owned ones as `next` has them, all others as `old` does. One that is shared is not taken back for being absent from `next`. */
function ownedChanges(
  old: readonly PodCondition[],
  next: readonly PodCondition[],
  owned: ReadonlySet<string>,
): readonly PodCondition[] {
  const oldByType = new Map(old.map((condition) => [condition.type, condition]));
  const nextTypes = new Set(next.map(({ type }) => type));
  const stays = ({ type }: PodCondition): boolean =>
    !nextTypes.has(type) && (!owned.has(type) || isSharedCondition(type));
  const wanted = next.map((condition) => (owned.has(condition.type) ? condition : oldByType.get(condition.type)));
  return [...old.filter(stays), ...wanted.filter((condition) => condition !== undefined)];
}
