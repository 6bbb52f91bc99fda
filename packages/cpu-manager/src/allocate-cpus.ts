import type { Container, Pod } from '@rxlet/kube-api';
import { noAffinity, type NumaHint } from '@rxlet/agent-api/topology';
import type { CpuSet } from '@rxlet/machine/topology';
import { isSidecar, podUid } from '@rxlet/pod-model';
import { NotEnoughCpusError } from './cpu-policy-error.ts';
import { cpusOf, idsOf } from './cpu-layout.ts';
import { assignCpus, assignedCpus, type CpuState } from './cpu-state.ts';
import { requestedCpus } from './requested-cpus.ts';
import { type StaticCpuPolicy, takeCpus } from './static-policy.ts';

/** Result of an allocation. */
export interface CpuAllocation {
  /** The state as it was in case of a failure. */
  readonly state: CpuState;
  /** CPUs that the container has for itself; `undefined` when it runs on the shared ones. */
  readonly cpus?: CpuSet | undefined;
  /** Why the pod must be rejected. */
  readonly failure?: CpuAllocationFailure | undefined;
}

/** Why a container cannot get its CPUs. */
export interface CpuAllocationFailure {
  /** Reason for the status of the pod; `undefined` for one that is not expected. */
  readonly reason?: 'SMTAlignmentError' | undefined;
  readonly message: string;
}

/**
 * Allocates CPUs to a container of a Guaranteed pod that requests whole CPUs. Containers of a pod must be allocated in their order, init containers first: later
 * ones take over the CPUs of init containers that end before them. A container that has its CPUs keeps them.
 *
 * @param affinity NUMA nodes that the topology manager chose for the container
 */
export function allocateCpus(
  policy: StaticCpuPolicy,
  state: CpuState,
  pod: Pod,
  container: Container,
  affinity: NumaHint = noAffinity,
): CpuAllocation {
  const count = requestedCpus(pod, container);
  if (count === 0) return { state };
  const held = assignedCpus(state, podUid(pod), container.name);
  const failure = held === undefined || policy.repeatsFaults ? checkWholeCores(policy, state, count) : undefined;
  if (failure !== undefined) return { state, failure };
  if (held !== undefined) return { state: withReusable(state, pod, container, held), cpus: held };
  const available = state.shared.difference(policy.reserved).union(reusableCpus(state, pod));
  try {
    const cpus = takeAligned(policy, available, count, affinity.numaNodes);
    const assigned = assignCpus(state, podUid(pod), container.name, cpus);
    return { state: withReusable(assigned, pod, container, cpus), cpus };
  } catch (error) {
    if (!(error instanceof NotEnoughCpusError)) throw error;
    return { state, failure: { message: error.message } };
  }
}

/** Returns the CPUs of init containers that the next container of the pod may take over, without those that a container that lasts has taken over already. */
export function reusableCpus({ reusable, assignments }: CpuState, pod: Pod): CpuSet {
  const uid = podUid(pod);
  if (reusable?.podUid !== uid) return new Set();
  let cpus = reusable.cpus;
  for (const [name, held] of assignments.get(uid) ?? []) if (!endsBeforeOthers(pod, name)) cpus = cpus.difference(held);
  return cpus;
}

function withReusable(state: CpuState, pod: Pod, container: Container, cpus: CpuSet): CpuState {
  const uid = podUid(pod);
  const before: CpuSet = state.reusable?.podUid === uid ? state.reusable.cpus : new Set();
  const after = endsBeforeOthers(pod, container.name) ? before.union(cpus) : before.difference(cpus);
  return { ...state, reusable: { podUid: uid, cpus: after } };
}

/** Reports whether a container is an init container and no sidecar. */
function endsBeforeOthers(pod: Pod, name: string): boolean {
  const container = pod.spec!.initContainers?.find((candidate) => candidate.name === name);
  return container !== undefined && !isSidecar(container);
}

function checkWholeCores(
  { options, layout, reservedCores }: StaticCpuPolicy,
  { shared }: CpuState,
  count: number,
): CpuAllocationFailure | undefined {
  if (!options.fullPhysicalCpusOnly) return undefined;
  const perCore = layout.averageCpus.core;
  const failure = (problem: string): CpuAllocationFailure => ({
    reason: 'SMTAlignmentError',
    message: `SMT Alignment Error: ${problem}`,
  });
  if (count % perCore !== 0)
    return failure(`requested ${String(count)} cpus not multiple cpus per core = ${String(perCore)}`);
  const available = shared.difference(reservedCores).size;
  if (count <= available) return undefined;
  const amounts = `available physical CPUs = ${String(available)}, requested CPUs = ${String(count)}, CPUs per core = ${String(perCore)}`;
  return failure(`not enough free physical CPUs: ${amounts}`);
}

/** Takes as many CPUs as possible from the chosen NUMA nodes, or from their sockets, and the rest from any. */
function takeAligned(
  policy: StaticCpuPolicy,
  available: CpuSet,
  count: number,
  numaNodes: readonly number[] | undefined,
): CpuSet {
  if (numaNodes === undefined) return takeCpus(policy, available, count);
  const { layout, options } = policy;
  const inNodes = cpusOf(layout, 'numaNode', numaNodes);
  const close = options.alignBySocket ? cpusOf(layout, 'socket', idsOf(layout, inNodes, 'socket')) : inNodes;
  const aligned = available.intersection(close);
  const cpus = takeCpus(policy, aligned, Math.min(count, aligned.size));
  return cpus.union(takeCpus(policy, available.difference(cpus), count - cpus.size));
}
