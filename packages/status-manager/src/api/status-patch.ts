import type { PodCondition, PodStatus } from '@rxlet/kube-api';
import { type JsonObject, strategicDiff } from '@rxlet/kube-api/strategic-merge';
import { isSharedCondition, ownedConditionTypes } from '../condition-types.ts';
import { withForeignFieldsOf } from './foreign-fields.ts';

/**
 * Returns the body of a PATCH of the subresource `status` with content type `application/strategic-merge-patch+json`. It has only the changes from the status in the
 * API to the next one (see `mergePodStatus`), and leaves conditions and fields of other writers alone.
 *
 * @param old the status in the API
 * @param ownedConditions condition types that the caller writes
 * @returns `undefined` when nothing changes
 */
export function statusPatch(
  old: PodStatus,
  next: PodStatus,
  ownedConditions: ReadonlySet<string> = ownedConditionTypes,
): { readonly status: JsonObject } | undefined {
  const conditions = ownedChanges(old.conditions ?? [], next.conditions ?? [], ownedConditions);
  const target = { ...withForeignFieldsOf(old, next), conditions };
  const status = strategicDiff({ ...old }, { ...target }, { type: 'object-ref', ref: 'io.k8s.api.core.v1.PodStatus' });
  if (status === undefined) return undefined;
  // A pod without resources reports an empty object once: it shows that the node agent reports them.
  const reportsResources = old.resources === undefined && next.resources !== undefined;
  return { status: { ...status, ...(reportsResources && { resources: next.resources }) } };
}

/** Returns the patch of {@link statusPatch} with the UID of the pod as precondition: the API server rejects it when another pod has taken the name. */
export function podStatusPatch(
  podUid: string,
  ...statuses: Parameters<typeof statusPatch>
): { readonly metadata: { readonly uid: string }; readonly status: JsonObject } | undefined {
  const patch = statusPatch(...statuses);
  return patch && { metadata: { uid: podUid }, ...patch };
}

/** Fields of a new condition that clients in Go send without a value. */
const UNSET: object = { lastProbeTime: null };

/** Returns the next conditions: owned ones from `next`, all others from `old`. A shared condition that is absent from `next` stays. */
function ownedChanges(
  old: readonly PodCondition[],
  next: readonly PodCondition[],
  owned: ReadonlySet<string>,
): readonly PodCondition[] {
  const oldByType = new Map(old.map((condition) => [condition.type, condition]));
  const nextTypes = new Set(next.map(({ type }) => type));
  const stays = ({ type }: PodCondition): boolean =>
    !nextTypes.has(type) && (!owned.has(type) || isSharedCondition(type));
  const withUnset = (condition: PodCondition): PodCondition =>
    oldByType.has(condition.type) ? condition : { ...UNSET, ...condition };
  const target = next.map((condition) =>
    owned.has(condition.type) ? withUnset(condition) : oldByType.get(condition.type),
  );
  return [...old.filter(stays), ...target.filter((condition) => condition !== undefined)];
}
