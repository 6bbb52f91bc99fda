import { goQuote } from '@rxlet/component-base/go';
import type { Container, EphemeralContainer, Pod, PodResourceClaim } from '@rxlet/kube-api';
import { parseQuantity, quantityValue } from '@rxlet/pod-model/quantity';

/** A ResourceClaim that a pod uses. */
export interface UsedClaim {
  /** Name of the ResourceClaim, in the namespace of the pod. */
  readonly name: string;
  /** Whether the claim was created for this pod, so that the pod must own it. */
  readonly isGenerated: boolean;
}

/** Options of the functions about the claims of a pod. */
export interface PodClaimOptions {
  /** Whether the claim of the pod's extended resources counts (feature gate `DRAExtendedResource`). */
  readonly extendedResources: boolean;
}

/**
 * Returns the ResourceClaim of an entry in `spec.resourceClaims`; `undefined` when the entry needs none.
 *
 * @throws Error with the kubelet's message when the claim of a template does not exist yet
 */
export function usedClaim(pod: Pod, entry: PodResourceClaim): UsedClaim | undefined {
  const { name, resourceClaimName, resourceClaimTemplateName } = entry;
  if (resourceClaimName !== undefined) return { name: resourceClaimName, isGenerated: false };
  if (resourceClaimTemplateName === undefined)
    throw new Error(
      `pod ${quotedName(pod)}, spec.resourceClaim ${goQuote(name)}: none of the supported fields are set`,
    );
  const status = pod.status?.resourceClaimStatuses?.find((one) => one.name === name);
  if (status === undefined) throw new Error(`pod ${quotedName(pod)}: ResourceClaim not created yet`);
  const { resourceClaimName: generated } = status;
  return generated === undefined ? undefined : { name: generated, isGenerated: true };
}

/**
 * Returns the ResourceClaims of a pod without duplicates: those of its spec, then that of its extended resources.
 *
 * @throws Error as {@link usedClaim}
 */
export function claimsOfPod(pod: Pod, { extendedResources }: PodClaimOptions): readonly UsedClaim[] {
  const claims = (pod.spec?.resourceClaims ?? []).flatMap((entry) => usedClaim(pod, entry) ?? []);
  const extended = extendedResources ? pod.status?.extendedResourceClaimStatus?.resourceClaimName : undefined;
  const all = extended === undefined ? claims : [...claims, { name: extended, isGenerated: false }];
  const names = new Map<string, UsedClaim>();
  for (const claim of all)
    names.set(claim.name, {
      name: claim.name,
      isGenerated: claim.isGenerated || (names.get(claim.name)?.isGenerated ?? false),
    });
  return [...names.values()];
}

/** Requests of a claim that a container uses; an empty text stands for all. */
export interface ClaimRequests {
  readonly claimName: string;
  readonly requests: readonly string[];
}

/**
 * Returns what a container uses of the pod's claims, in the order of the pod's spec (kubelet: GetResources).
 *
 * @throws Error as {@link usedClaim}
 */
export function requestsOfContainer(
  pod: Pod,
  container: Container | EphemeralContainer,
  { extendedResources }: PodClaimOptions,
): readonly ClaimRequests[] {
  const named = Map.groupBy(container.resources?.claims ?? [], ({ name }) => name);
  const ofSpec = (pod.spec?.resourceClaims ?? []).flatMap((entry): readonly ClaimRequests[] => {
    const requests = named.get(entry.name)?.map(({ request = '' }) => request);
    if (requests === undefined) return [];
    const claim = usedClaim(pod, entry);
    return claim === undefined ? [] : [{ claimName: claim.name, requests }];
  });
  const extended = extendedResources ? extendedRequests(pod, container) : undefined;
  return extended === undefined ? ofSpec : [...ofSpec, extended];
}

/** Returns the requests of the extended resources that DRA drivers provide to a container. */
function extendedRequests(pod: Pod, { name, resources }: Container | EphemeralContainer): ClaimRequests | undefined {
  const status = pod.status?.extendedResourceClaimStatus;
  if (status === undefined) return undefined;
  const wants = (resource: string): boolean => {
    const amount = resources?.requests?.[resource];
    return amount !== undefined && quantityValue(parseQuantity(amount)) !== 0n;
  };
  const requests = status.requestMappings
    .filter(({ containerName, resourceName }) => containerName === name && wants(resourceName))
    .map(({ requestName }) => requestName);
  return requests.length === 0 ? undefined : { claimName: status.resourceClaimName, requests };
}

function quotedName({ metadata: { namespace = '', name = '' } = {} }: Pod): string {
  return goQuote(`${namespace}/${name}`);
}
