import type { Pod } from '@rxlet/kube-api';
import {
  allocateCpus,
  containerCpuHints,
  CpuPolicyError,
  type CpuState,
  createStaticCpuPolicy,
  parseCpuPolicyOptions,
  podCpuHints,
  removeContainerCpus,
  startCpuState,
  type StaticCpuPolicy,
} from '@rxlet/cpu-manager';
import { type CpuSet, formatCpuSet, type MachineTopology, parseCpuSet } from '@rxlet/machine/topology';
import { podUid } from '@rxlet/pod-model';
import type { Answer } from '../vector-kind.ts';
import {
  containerOf,
  fromHint,
  podOf,
  type ResourceOperation,
  sameHints,
  toAffinity,
  type WantedHint,
} from './resource-operations.ts';

interface CpuManagerVector {
  readonly input: {
    readonly machine: {
      readonly nodes: readonly {
        readonly numaNode: number;
        readonly cores: readonly {
          readonly socketID: number;
          readonly threads: readonly number[];
          readonly uncoreCacheID?: number;
        }[];
      }[];
    };
    readonly numReservedCPUs?: number;
    readonly reservedSystemCPUs?: string;
    readonly policyOptions?: Readonly<Record<string, string>>;
    readonly alphaOptionsGate?: boolean;
    readonly topologyManagerPolicy: string;
    readonly state?: {
      readonly defaultCPUSet?: string;
      readonly assignments?: Readonly<Record<string, Readonly<Record<string, string>>>>;
    };
    readonly pods: readonly Pod[];
    readonly ops: readonly ResourceOperation[];
  };
  readonly want: {
    readonly error?: true;
    readonly startError?: string;
    readonly steps?: readonly WantedStep[];
  };
}

interface WantedStep {
  readonly hints?: readonly WantedHint[] | null;
  readonly errorType?: string;
  readonly error?: string;
}

type Input = CpuManagerVector['input'];

/** Runs a sequence of allocations and removals. */
export function run({ input, want }: CpuManagerVector): Answer {
  const steps = want.steps?.map(({ hints, error, errorType, ...step }) => ({
    ...step,
    ...(hints !== undefined && { hints: hints && sameHints(hints) }),
    ...(error !== undefined && { error: errorType ?? true }),
  }));
  const { startError } = want;
  return {
    got: answer(input),
    want: { ...want, ...(startError !== undefined && { startError: true }), ...(steps && { steps }) },
  };
}

function answer(input: Input): object {
  let policy: StaticCpuPolicy;
  try {
    policy = policyOf(input);
  } catch (error) {
    if (error instanceof CpuPolicyError) return { error: true };
    throw error;
  }
  const reserved = formatCpuSet(policy.reserved);
  let state: CpuState;
  try {
    state = startCpuState(policy, storedState(input.state));
  } catch (error) {
    if (error instanceof CpuPolicyError) return { reserved, startError: true };
    throw error;
  }
  const initialDefaultCPUSet = formatCpuSet(state.shared);
  const steps = input.ops.map((operation) => {
    const { answer, state: next } = runOperation(policy, state, input.pods, operation);
    state = next;
    return { ...answer, defaultCPUSet: formatCpuSet(next.shared) };
  });
  const finalAssignments = Object.fromEntries(
    [...state.assignments].map(([uid, containers]) => [
      uid,
      Object.fromEntries([...containers].map(([name, cpus]) => [name, formatCpuSet(cpus)])),
    ]),
  );
  return { reserved, initialDefaultCPUSet, steps, finalAssignments };
}

function policyOf(input: Input): StaticCpuPolicy {
  return createStaticCpuPolicy({
    topology: topologyOf(input.machine),
    reservedCpuCount: input.numReservedCPUs ?? 0,
    reservedCpus: setOf(input.reservedSystemCPUs),
    options: parseCpuPolicyOptions(input.policyOptions ?? {}, { alphaOptions: input.alphaOptionsGate === true }),
    topologyPolicy: input.topologyManagerPolicy,
    repeatsFaults: true,
  });
}

function topologyOf({ nodes }: Input['machine']): MachineTopology {
  return {
    numaNodes: nodes.map(({ numaNode, cores }) => ({
      id: numaNode,
      memoryBytes: 0,
      hugePages: [],
      cores: cores.map(({ socketID, threads, uncoreCacheID }) => ({
        socket: socketID,
        cpus: threads,
        uncoreCache: uncoreCacheID,
      })),
    })),
  };
}

function storedState(state: Input['state']): Pick<CpuState, 'shared' | 'assignments'> | undefined {
  if (state === undefined) return undefined;
  const assignments = Object.entries(state.assignments ?? {}).map(
    ([uid, containers]) =>
      [uid, new Map(Object.entries(containers).map(([name, list]) => [name, setOf(list)]))] as const,
  );
  return { shared: setOf(state.defaultCPUSet), assignments: new Map(assignments) };
}

function setOf(list: string | undefined): CpuSet {
  return parseCpuSet(list ?? '')!;
}

function runOperation(
  policy: StaticCpuPolicy,
  state: CpuState,
  pods: readonly Pod[],
  operation: ResourceOperation,
): { readonly answer: object; readonly state: CpuState } {
  const pod = podOf(pods, operation.pod);
  const uid = podUid(pod);
  if (operation.op === 'podHints') return { answer: hintsOf(podCpuHints(policy, state, pod)), state };
  if (operation.op === 'remove') return { answer: {}, state: removeContainerCpus(state, uid, operation.container) };
  const container = containerOf(pod, operation.container);
  const hints = hintsOf(containerCpuHints(policy, state, pod, container));
  const allocated = allocateCpus(policy, state, pod, container, toAffinity(operation.affinity));
  const { failure, cpus } = allocated;
  const result =
    failure === undefined
      ? { assigned: cpus === undefined ? null : formatCpuSet(cpus) }
      : { error: failure.reason ?? true };
  return { answer: { ...hints, ...result }, state: allocated.state };
}

function hintsOf(hints: ReturnType<typeof podCpuHints>): { readonly hints: unknown } {
  const cpu = hints?.['cpu'];
  return { hints: cpu === undefined ? null : sameHints(cpu.map(fromHint)) };
}
