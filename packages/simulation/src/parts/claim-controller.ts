import type { OwnerReference, Pod, ResourceV1ResourceClaim } from '@rxlet/kube-api';
import { resources } from '@rxlet/kube-api/resources';
import { isTerminalPhase, podUid } from '@rxlet/pod-model';
import { CLAIM_DRIVERS, type ClaimKind } from '../workload/part-steps.ts';
import type { PartContext } from './world-part.ts';

type Kube = PartContext['cluster']['kube'];
const { pods, resourceClaims } = resources;
const namespace = 'default';

/** Returns a claim of the API. */
export function claimOf({ objects }: Kube, ns: string, name: string): ResourceV1ResourceClaim | undefined {
  return objects.get(resourceClaims, name, ns) as ResourceV1ResourceClaim | undefined;
}

/** Returns the device that is allocated to a claim. */
export function allocatedDevice({ status }: ResourceV1ResourceClaim): string | undefined {
  return status?.allocation?.devices?.results?.[0]?.device;
}

/** The scheduler and the controller of claims, which act at once. */
export interface ClaimController {
  /**
   * Allocates and reserves the claims of new pods, and takes them away from pods that have ended. A claim without pods is deleted, and its device is free: the claim of
   * a template with its pod, and the other one by a user who waits for that.
   */
  reconcile(): void;
  /** Returns the claims that are reserved for a pod. */
  claimsOfPod(pod: Pod): readonly ResourceV1ResourceClaim[];
  /** Returns the UIDs of all pods for which a claim was ever reserved. */
  users(claim: string): readonly string[];
}

/** Creates a {@link ClaimController}. */
export function createClaimController({ cluster, history }: Pick<PartContext, 'cluster' | 'history'>): ClaimController {
  const { kube } = cluster;
  const { objects } = kube;
  let created = 0;
  const users = new Map<string, string[]>();
  const claims = (): readonly ResourceV1ResourceClaim[] =>
    objects.list(resourceClaims) as readonly ResourceV1ResourceClaim[];

  const release = (claim: ResourceV1ResourceClaim): void => {
    const { name = '', uid: claimUid = '' } = claim.metadata ?? {};
    const reservedFor = claim.status?.reservedFor ?? [];
    const left = reservedFor.filter((consumer) => {
      const pod = objects.get(pods, consumer.name, namespace) as Pod | undefined;
      return pod !== undefined && podUid(pod) === consumer.uid && !isTerminalPhase(pod.status?.phase);
    });
    if (left.length === reservedFor.length) return;
    for (const { uid } of reservedFor.filter((one) => !left.includes(one)))
      history.add({ kind: 'claim-user', change: 'released', claim: claimUid, uid });
    if (left.length > 0) objects.merge(resourceClaims, name, namespace, { status: { reservedFor: left } }, 'status');
    else objects.delete(resourceClaims, name, namespace);
  };

  /** Creates a claim with the first device of its driver that no other claim in the API has. */
  const create = (kind: ClaimKind, name: string, owner: Pod | undefined): ResourceV1ResourceClaim => {
    const taken = new Set(claims().map(allocatedDevice));
    let index = 0;
    while (taken.has(`${kind}${String(index)}`)) index += 1;
    const device = `${kind}${String(index)}`;
    const results = [{ driver: CLAIM_DRIVERS[kind], request: 'one', pool: 'pool', device }];
    return objects.apply({
      apiVersion: 'resource.k8s.io/v1',
      kind: 'ResourceClaim',
      metadata: { name, namespace, ...(owner && { ownerReferences: [ownerReference(owner)] }) },
      spec: {},
      status: { allocation: { devices: { results } }, reservedFor: [] },
    }) as unknown as ResourceV1ResourceClaim;
  };

  /** Reserves a claim for a pod, and creates it before if there is none. */
  const reserve = (pod: Pod, name: string, kind: ClaimKind): void => {
    const [podName, uid] = [pod.metadata?.name ?? '', podUid(pod)];
    const claim = claimOf(kube, namespace, name) ?? create(kind, name, kind === 'own' ? pod : undefined);
    const reservedFor = claim.status?.reservedFor ?? [];
    if (reservedFor.some((consumer) => consumer.uid === uid)) return;
    const consumers = [...reservedFor, { resource: 'pods', name: podName, uid }];
    objects.merge(resourceClaims, name, namespace, { status: { reservedFor: consumers } }, 'status');
    const claimUid = claim.metadata?.uid ?? '';
    users.set(claimUid, [...(users.get(claimUid) ?? []), uid]);
    history.add({ kind: 'claim-user', change: 'reserved', claim: claimUid, uid });
  };
  const reserveAll = (pod: Pod): void => {
    if (isTerminalPhase(pod.status?.phase)) return;
    for (const { name: kind, resourceClaimName } of pod.spec?.resourceClaims ?? []) {
      const generated = pod.status?.resourceClaimStatuses?.find(({ name }) => name === kind)?.resourceClaimName;
      const known = resourceClaimName ?? generated;
      const podName = pod.metadata?.name ?? '';
      const name = known ?? `${podName}-${String((created += 1))}`;
      reserve(pod, name, kind as ClaimKind);
      if (known !== undefined) continue;
      const resourceClaimStatuses = [{ name: kind, resourceClaimName: name }];
      objects.merge(pods, podName, namespace, { status: { resourceClaimStatuses } }, 'status');
    }
  };

  return {
    reconcile() {
      for (const claim of claims()) release(claim);
      for (const pod of objects.list(pods) as readonly Pod[]) reserveAll(pod);
    },
    claimsOfPod: (pod) =>
      claims().filter(({ status }) => status?.reservedFor?.some(({ uid }) => uid === podUid(pod)) === true),
    users: (claim) => users.get(claim) ?? [],
  };
}

function ownerReference({ metadata }: Pod): OwnerReference {
  const { name = '', uid = '' } = metadata ?? {};
  return { apiVersion: 'v1', kind: 'Pod', name, uid, controller: true };
}
