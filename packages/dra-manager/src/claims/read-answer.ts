import type { ClaimRecord } from './claim-record.ts';

/** Calls of the service `DRAPlugin`. */
export type PluginMethod = 'NodePrepareResources' | 'NodeUnprepareResources';

/** Outcome of a call for several claims. */
export interface BatchOutcome<Result> {
  /** Results of the claims that succeeded, by UID. */
  readonly succeeded: ReadonlyMap<string, Result>;
  /** First problem, with the kubelet's message. */
  readonly error?: Error | undefined;
}

/** Reads the answer of a plugin: by UID, a result for each claim of the request. Claims without one have failed. */
export function readAnswer<Result extends { readonly error: string }>(
  method: PluginMethod,
  requested: readonly Pick<ClaimRecord, 'uid' | 'name'>[],
  answer: ReadonlyMap<string, Result>,
): BatchOutcome<Result> {
  const succeeded = new Map<string, Result>();
  const problems: string[] = [];
  for (const [uid, result] of answer) {
    const claim = requested.find((one) => one.uid === uid);
    if (claim === undefined) problems.push(`${method} returned result for unknown claim UID ${uid}`);
    else if (result.error !== '') problems.push(`${method} failed for ResourceClaim ${claim.name}: ${result.error}`);
    else succeeded.set(uid, result);
  }
  const skipped = requested.filter(({ uid }) => !answer.has(uid)).length;
  if (skipped > 0) problems.push(`${method} skipped ${String(skipped)} ResourceClaims`);
  const [first] = problems;
  return { succeeded, error: first === undefined ? undefined : new Error(first) };
}
