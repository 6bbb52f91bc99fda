import type { Pod } from '@rxlet/kube-api';
import {
  allocateMemory,
  containerMemoryHints,
  createStaticMemoryPolicy,
  type MemoryBlock,
  MemoryPolicyError,
  type MemoryReservation,
  type MemoryState,
  podMemoryHints,
  removeContainerMemory,
  startMemoryState,
  type StaticMemoryPolicy,
} from '@rxlet/memory-manager';
import type { ResourceHints } from '@rxlet/agent-api/topology';
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

interface MemoryManagerVector {
  readonly input: {
    readonly nodes: readonly {
      readonly numaNode: number;
      readonly memoryBytes?: number;
      readonly hugePages?: readonly { readonly pageSizeKiB: number; readonly num?: number }[];
    }[];
    readonly reservedMemory?: readonly { readonly numaNode?: number; readonly limits: MemoryReservation['limits'] }[];
    readonly nodeAllocatableReservation?: Readonly<Record<string, string>>;
    readonly pods: readonly Pod[];
    readonly ops: readonly ResourceOperation[];
  };
  readonly want: {
    readonly error?: true;
    readonly steps?: readonly WantedStep[];
  };
}

interface WantedStep {
  readonly hints?: Readonly<Record<string, readonly WantedHint[]>> | null;
  readonly error?: string;
}

type Input = MemoryManagerVector['input'];

/** Runs a sequence of allocations and removals. */
export function run({ input, want }: MemoryManagerVector): Answer {
  const steps = want.steps?.map(({ hints, ...step }) => ({
    ...step,
    ...(hints !== undefined && { hints: sameHintsOfTypes(hints ?? {}) }),
  }));
  return { got: answer(input), want: { ...want, ...(steps && { steps }) } };
}

function answer(input: Input): object {
  let policy: StaticMemoryPolicy;
  try {
    policy = policyOf(input);
  } catch (error) {
    if (error instanceof MemoryPolicyError) return { error: true };
    throw error;
  }
  let state = startMemoryState(policy);
  const initial = Object.fromEntries([...state.machine].map(([id, { tables }]) => [id, tables]));
  const steps = input.ops.map((operation) => {
    const { answer, state: next } = runOperation(policy, state, input.pods, operation);
    state = next;
    return { ...answer, state: describeMachine(next) };
  });
  const finalAssignments = Object.fromEntries(
    [...state.assignments].map(([uid, containers]) => [
      uid,
      Object.fromEntries([...containers].map(([name, blocks]) => [name, describeBlocks(blocks)])),
    ]),
  );
  return { initial, steps, finalAssignments };
}

function policyOf({ nodes, reservedMemory = [], nodeAllocatableReservation = {} }: Input): StaticMemoryPolicy {
  const numaNodes = nodes.map(({ numaNode, memoryBytes = 0, hugePages = [] }) => ({
    id: numaNode,
    memoryBytes,
    hugePages: hugePages.map(({ pageSizeKiB, num = 0 }) => ({ sizeBytes: pageSizeKiB * 1024, count: num })),
    cores: [],
  }));
  return createStaticMemoryPolicy({
    topology: { numaNodes },
    reservedMemory: reservedMemory.map(({ numaNode = 0, limits }) => ({ numaNode, limits })),
    nodeAllocatableReservation,
    repeatsFaults: true,
  });
}

function runOperation(
  policy: StaticMemoryPolicy,
  state: MemoryState,
  pods: readonly Pod[],
  operation: ResourceOperation,
): { readonly answer: object; readonly state: MemoryState } {
  const pod = podOf(pods, operation.pod);
  if (operation.op === 'podHints') return { answer: hintsOf(podMemoryHints(state, pod)), state };
  if (operation.op === 'remove')
    return { answer: {}, state: removeContainerMemory(state, podUid(pod), operation.container) };
  const container = containerOf(pod, operation.container);
  const hints = hintsOf(containerMemoryHints(state, pod, container));
  const {
    failure,
    blocks,
    state: next,
  } = allocateMemory(policy, state, pod, container, toAffinity(operation.affinity));
  const result =
    failure === undefined ? { assigned: blocks ? describeBlocks(blocks) : null } : { error: failure.message };
  return { answer: { ...hints, ...result }, state: next };
}

function hintsOf(hints: ResourceHints | undefined): { readonly hints: object } {
  const recorded = Object.entries(hints ?? {}).map(([type, list]) => [type, list?.map(fromHint) ?? []] as const);
  return { hints: sameHintsOfTypes(Object.fromEntries(recorded)) };
}

function sameHintsOfTypes(hints: Readonly<Record<string, readonly WantedHint[]>>): object {
  return Object.fromEntries(Object.entries(hints).map(([type, list]) => [type, sameHints(list)]));
}

function describeBlocks(blocks: readonly MemoryBlock[]): object[] {
  return blocks.map(({ numaNodes, sizeBytes, type }) => ({ numaAffinity: numaNodes, size: sizeBytes, type }));
}

function describeMachine({ machine }: MemoryState): object {
  return Object.fromEntries(
    [...machine].map(([id, { assignments, group, tables }]) => {
      const amounts = Object.entries(tables).map(([type, { free, reserved }]) => [type, [free, reserved]] as const);
      return [id, { assignments, cells: group, freeReserved: Object.fromEntries(amounts) }];
    }),
  );
}
