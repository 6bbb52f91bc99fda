import type { Pod } from '@rxlet/kube-api';
import { type CpuSet, formatCpuSet, isSameCpuSet } from '@rxlet/machine/topology';
import { goQuote } from '@rxlet/component-base/go';
import { podContainers, podUid } from '@rxlet/pod-model';
import { CpuPolicyError } from './cpu-policy-error.ts';
import type { StaticCpuPolicy } from './static-policy.ts';

/** CPUs that containers have for themselves, by UID of the pod and name of the container. */
export type CpuAssignments = ReadonlyMap<string, ReadonlyMap<string, CpuSet>>;

/** Assignment of all CPUs of a machine: an immutable value. */
export interface CpuState {
  /** CPUs of all containers that have none for themselves. */
  readonly shared: CpuSet;
  readonly assignments: CpuAssignments;
  /** CPUs of init containers that later containers of the same pod may take over; only of the pod whose container was allocated last. */
  readonly reusable?: { readonly podUid: string; readonly cpus: CpuSet } | undefined;
}

/** Part of a {@link CpuState} that survives a restart. */
export type StoredCpuState = Pick<CpuState, 'shared' | 'assignments'>;

/**
 * Returns the state in which a static policy starts: the stored one if it fits the machine, or one without assignments.
 * @throws CpuPolicyError when the stored state contradicts the machine or the reserved CPUs
 */
export function startCpuState(policy: StaticCpuPolicy, stored?: StoredCpuState): CpuState {
  const { layout, options, reserved } = policy;
  const all = options.strictReservation ? layout.cpus.difference(reserved) : layout.cpus;
  if (stored === undefined || (stored.shared.size === 0 && stored.assignments.size === 0))
    return { shared: all, assignments: new Map() };
  const { shared, assignments } = stored;
  // With a strict reservation, containers may have all other CPUs.
  if (shared.size === 0 && (!options.strictReservation || policy.repeatsFaults))
    throw new CpuPolicyError('default cpuset cannot be empty');
  checkReserved(policy, shared);
  let known = shared;
  for (const [uid, containers] of assignments) {
    for (const [container, cpus] of containers) {
      if (!cpus.isDisjointFrom(shared))
        throw new CpuPolicyError(
          `pod: ${uid}, container: ${container} cpuset: ${quote(cpus)} overlaps with default cpuset ${quote(shared)}`,
        );
      known = known.union(cpus);
    }
  }
  if (!isSameCpuSet(known, all))
    throw new CpuPolicyError(
      `current set of available CPUs ${quote(all)} doesn't match with CPUs in state ${quote(known)}`,
    );
  return { shared, assignments };
}

/** Checks that the reserved CPUs are shared, or with a strict reservation that they are not. */
function checkReserved({ options, reserved }: StaticCpuPolicy, shared: CpuSet): void {
  const overlap = reserved.intersection(shared);
  if (options.strictReservation && overlap.size > 0)
    throw new CpuPolicyError(
      `some of strictly reserved cpus: ${quote(overlap)} are present in defaultCpuSet: ${quote(shared)}`,
    );
  if (!options.strictReservation && overlap.size < reserved.size)
    throw new CpuPolicyError(
      `not all reserved cpus: ${quote(reserved)} are present in defaultCpuSet: ${quote(shared)}`,
    );
}

function quote(cpus: CpuSet): string {
  return goQuote(formatCpuSet(cpus));
}

/** Returns the CPUs that a container has for itself; `undefined` when it runs on the shared ones. */
export function assignedCpus(state: StoredCpuState, podUid: string, container: string): CpuSet | undefined {
  return state.assignments.get(podUid)?.get(container);
}

/** Returns the CPUs that a container must run on: its own, or the shared ones. */
export function containerCpus(state: StoredCpuState, podUid: string, container: string): CpuSet {
  return assignedCpus(state, podUid, container) ?? state.shared;
}

/** Assigns CPUs to a container and takes them out of the shared ones. */
export function assignCpus(state: CpuState, podUid: string, container: string, cpus: CpuSet): CpuState {
  const containers = new Map(state.assignments.get(podUid)).set(container, cpus);
  const assignments = new Map(state.assignments).set(podUid, containers);
  return { ...state, shared: state.shared.difference(cpus), assignments };
}

/** Returns the CPUs of a container to the shared ones, except those that another container of its pod has as well. */
export function removeContainerCpus(state: CpuState, podUid: string, container: string): CpuState {
  const containers = new Map(state.assignments.get(podUid));
  const cpus = containers.get(container);
  if (cpus === undefined) return state;
  containers.delete(container);
  const assignments = new Map(state.assignments);
  if (containers.size > 0) assignments.set(podUid, containers);
  else assignments.delete(podUid);
  const kept = new Set([...containers.values()].flatMap((other) => [...other]));
  return { ...state, shared: state.shared.union(cpus.difference(kept)), assignments };
}

/** Returns the CPUs of all containers that are in none of these pods to the shared ones. */
export function retainCpus(state: CpuState, activePods: readonly Pod[]): CpuState {
  const active = new Map(
    activePods.map((pod) => [
      podUid(pod),
      new Set(podContainers(pod, ['init', 'regular']).map(({ container }) => container.name)),
    ]),
  );
  let retained = state;
  for (const [uid, containers] of state.assignments)
    for (const container of containers.keys())
      if (active.get(uid)?.has(container) !== true) retained = removeContainerCpus(retained, uid, container);
  return retained;
}
