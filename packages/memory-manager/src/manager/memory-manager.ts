import type { MemoryAssignments } from '@rxlet/agent-api/node';
import type { AllocationFailure, HintProvider } from '@rxlet/agent-api/topology';
import { errorMessage, type Logger } from '@rxlet/component-base';
import { goQuote } from '@rxlet/component-base/go';
import type { Metrics } from '@rxlet/component-base/metrics';
import type { Container, EphemeralContainer, Pod } from '@rxlet/kube-api';
import type { MachineTopology } from '@rxlet/machine/topology';
import type { NodeFiles } from '@rxlet/node-files';
import { createCheckpointFile } from '@rxlet/node-files/state-file';
import { podUid } from '@rxlet/pod-model';
import { nodeAllocatableReservation, type ResourceList } from '@rxlet/pod-model/resources';
import { allocateMemory } from '../allocate-memory.ts';
import { containerMemoryHints, podMemoryHints } from '../memory-hints.ts';
import { MemoryPolicyError } from '../memory-policy-error.ts';
import {
  assignedMemory,
  containerMemoryNodes,
  type MemoryState,
  releaseEndedInitContainers,
  removeContainerMemory,
} from '../memory-state.ts';
import { getsMemory } from '../requested-memory.ts';
import { checkUnusedMemoryState, formatMemoryState, MEMORY_STATE_FILE, restoreMemoryState } from '../state-file.ts';
import { createStaticMemoryPolicy, type MemoryReservation, type StaticMemoryPolicy } from '../static-policy.ts';
import { createMemoryManagerMetrics } from './memory-manager-metrics.ts';

/** Options of the module `memoryManager`, as in KubeletConfiguration. */
export interface MemoryManagerOptions {
  /** `None` or `Static` (field `memoryManagerPolicy`). Default `None`. */
  readonly policy?: string | undefined;
  /** Memory of NUMA nodes for the system and the agent. Must add up to what the node reserves in total. */
  readonly reservedMemory?: readonly MemoryReservation[] | undefined;
  readonly kubeReserved?: Readonly<Record<string, string>> | undefined;
  readonly systemReserved?: Readonly<Record<string, string>> | undefined;
  /** Hard eviction thresholds, which pods cannot have. */
  readonly evictionHard?: Readonly<Record<string, string>> | undefined;
}

/** Ports of {@link createMemoryManager}. */
export interface MemoryManagerPorts {
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly files: Pick<NodeFiles, 'makeDirectory' | 'readPrivate' | 'replaceFile'>;
  readTopology(): Promise<MachineTopology>;
  /** Reads the resources of the node, of which the reserved ones are a part. */
  readCapacity(): Promise<ResourceList>;
  /** Reports whether a pod may still use its memory. Nothing is released while all pods are not known: it returns `true` then. */
  mayUseMemory(podUid: string): boolean;
}

/** Assigns memory of NUMA nodes to containers (kubelet: memory manager). */
export interface MemoryManager {
  /** Restores the state file. @throws MemoryPolicyError when policy, machine and state file do not fit each other */
  start(): Promise<void>;
  readonly hintProvider: HintProvider;
  readonly assignments: MemoryAssignments;
  /** Returns the NUMA nodes that a container must get its memory from; `undefined` when it may use all. */
  nodesOf(podUid: string, containerName: string): readonly number[] | undefined;
  /** Releases the memory of init containers that ended before a container starts. */
  starting(pod: Pod, container: Container | EphemeralContainer): Promise<void>;
  /** Releases the memory of pods that no longer use it. */
  release(): Promise<void>;
  /** Returns the state for people. */
  inspect(): unknown;
}

const DIRECTORY_MODE = 0o750;

/**
 * Creates a {@link MemoryManager}, whose state is in `memory_manager_state` of the root directory.
 *
 * @throws MemoryPolicyError for an unknown policy
 */
export function createMemoryManager(
  ports: MemoryManagerPorts,
  options: MemoryManagerOptions,
  rootDirectory: string,
): MemoryManager {
  const { logger } = ports;
  const { policy: policyName = 'None', reservedMemory = [] } = options;
  if (policyName !== 'None' && policyName !== 'Static')
    throw new MemoryPolicyError(`[memorymanager] unknown policy: ${goQuote(policyName)}`);
  const metrics = createMemoryManagerMetrics(ports.metrics);
  const path = `${rootDirectory}/${MEMORY_STATE_FILE}`;
  let policy: StaticMemoryPolicy | undefined;
  let state: MemoryState = { machine: new Map(), assignments: new Map() };
  const file = createCheckpointFile(ports.files, path, () => formatMemoryState({ policyName, ...state }));

  /** Whether the file has all that was released. */
  let isSaved = true;
  const save = async (): Promise<void> => {
    isSaved = true;
    try {
      await file.write();
    } catch (error) {
      isSaved = false;
      throw error;
    }
  };
  /** Releases the memory of pods that have ended, except of one. */
  const releaseEnded = (exceptUid?: string): void => {
    const before = state;
    for (const [uid, containers] of before.assignments) {
      if (uid === exceptUid || ports.mayUseMemory(uid)) continue;
      for (const container of containers.keys()) state = removeContainerMemory(state, uid, container);
    }
    if (state !== before) isSaved = false;
  };
  const saveRelease = async (): Promise<void> => {
    try {
      await save();
    } catch (error) {
      // Saved with the next call of release(), and a restart releases it again.
      logger.warn('cannot save released memory', { path, error: errorMessage(error) });
    }
  };
  /** Allocates and saves. Memory that cannot be saved is taken back, because a restart would give it to another container. */
  const allocate = async (
    static_: StaticMemoryPolicy,
    pod: Pod,
    container: Container,
    affinity: Parameters<HintProvider['allocate']>[2],
  ): Promise<AllocationFailure | undefined> => {
    if (!getsMemory(pod)) return undefined;
    const uid = podUid(pod);
    releaseEnded(uid);
    const isHeld = assignedMemory(state, uid, container.name) !== undefined;
    const { state: next, blocks, failure } = allocateMemory(static_, state, pod, container, affinity);
    metrics.requested(failure === undefined);
    state = next;
    if (failure !== undefined || isHeld || blocks === undefined) return failure;
    try {
      await save();
      return undefined;
    } catch (error) {
      state = removeContainerMemory(state, uid, container.name);
      return { message: errorMessage(error) };
    }
  };
  const toAssigned = ({
    type,
    sizeBytes,
    numaNodes,
  }: {
    type: string;
    sizeBytes: number;
    numaNodes: readonly number[];
  }) => ({
    type,
    sizeBytes: BigInt(sizeBytes),
    numaNodes,
  });

  return {
    async start() {
      const text = await file.read();
      if (policyName === 'None') {
        checkUnusedMemoryState(text, path);
      } else {
        const [topology, capacity] = await Promise.all([ports.readTopology(), ports.readCapacity()]);
        const nodeAllocatable = nodeAllocatableReservation(capacity, options);
        policy = createStaticMemoryPolicy({ topology, reservedMemory, nodeAllocatableReservation: nodeAllocatable });
        state = restoreMemoryState(policy, text, path);
      }
      await ports.files.makeDirectory(rootDirectory, DIRECTORY_MODE);
      await file.write();
    },
    hintProvider: {
      containerHints(pod, container) {
        if (policy === undefined) return undefined;
        releaseEnded(podUid(pod));
        return containerMemoryHints(state, pod, container);
      },
      podHints(pod) {
        if (policy === undefined) return undefined;
        releaseEnded(podUid(pod));
        return podMemoryHints(state, pod);
      },
      allocate: (pod, container, affinity) =>
        policy === undefined ? undefined : allocate(policy, pod, container, affinity),
      mayTakeLong: (pod) => policy !== undefined && getsMemory(pod),
    },
    assignments: {
      ofContainer: (uid, container) => (assignedMemory(state, uid, container) ?? []).map(toAssigned),
      allocatable: () =>
        [...(policy?.emptyMachine ?? [])].flatMap(([node, { tables }]) =>
          Object.entries(tables).flatMap(([type, { allocatable }]) =>
            allocatable === 0 ? [] : [toAssigned({ type, sizeBytes: allocatable, numaNodes: [node] })],
          ),
        ),
    },
    nodesOf: (uid, container) => containerMemoryNodes(state, uid, container),
    async starting(pod, container) {
      const before = state;
      state = releaseEndedInitContainers(state, pod, container);
      if (state !== before) await saveRelease();
    },
    async release() {
      if (policy === undefined) return;
      releaseEnded();
      if (!isSaved) await saveRelease();
    },
    inspect: () => ({
      policy: policyName,
      nodes: Object.fromEntries([...state.machine].map(([id, { tables, group }]) => [id, { group, ...tables }])),
      assigned: Object.fromEntries(
        [...state.assignments].map(([uid, containers]) => [uid, Object.fromEntries(containers)]),
      ),
    }),
  };
}
