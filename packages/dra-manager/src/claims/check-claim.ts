import type { Pod, ResourceV1ResourceClaim } from '@rxlet/kube-api';
import { podUid } from '@rxlet/pod-model';
import type { UsedClaim } from './pod-claims.ts';

/**
 * Checks that a pod may use a claim, and returns the drivers that must prepare it. Claims with admin access are like any other: who may create them is the API server's
 * decision.
 *
 * @throws Error with the kubelet's message
 */
export function checkClaim(
  pod: Pod,
  { name, isGenerated }: UsedClaim,
  claim: ResourceV1ResourceClaim,
): readonly string[] {
  const { metadata = {}, status = {} } = claim;
  if (isGenerated) checkOwner(pod, claim);
  const uid = podUid(pod);
  if (status.reservedFor?.some((consumer) => consumer.uid === uid) !== true)
    throw new Error(
      `pod ${pod.metadata?.name ?? ''} (${uid}) is not allowed to use ResourceClaim ${name} (${metadata.uid ?? ''})`,
    );
  if (status.allocation === undefined) throw new Error(`ResourceClaim ${name}: not allocated`);
  return [...new Set((status.allocation.devices?.results ?? []).map(({ driver }) => driver))];
}

/** Keeps a pod from using the claim of another one that happens to have the name. */
function checkOwner(pod: Pod, { metadata = {} }: ResourceV1ResourceClaim): void {
  const claimName = `${metadata.namespace ?? ''}/${metadata.name ?? ''}`;
  const podName = `${pod.metadata?.namespace ?? ''}/${pod.metadata?.name ?? ''}`;
  if (metadata.namespace !== pod.metadata?.namespace)
    throw new Error(`ResourceClaim ${claimName} is not in the same namespace as Pod ${podName}`);
  const isOwner = metadata.ownerReferences?.some(({ controller, uid }) => controller === true && uid === podUid(pod));
  if (isOwner !== true)
    throw new Error(`ResourceClaim ${claimName} was not created for Pod ${podName} (Pod is not owner)`);
}
