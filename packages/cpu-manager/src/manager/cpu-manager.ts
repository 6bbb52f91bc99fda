import type { ExclusiveCpus } from '@rxlet/agent-api/node';
import type { AllocationFailure, HintProvider } from '@rxlet/agent-api/topology';
import { type Clock, createLifetime, errorMessage, type Logger, sleep } from '@rxlet/component-base';
import type { Metrics } from '@rxlet/component-base/metrics';
import type { RuntimeService } from '@rxlet/cri-api';
import type { Container, Pod } from '@rxlet/kube-api';
import { formatCpuSet, type MachineTopology, sortedCpus } from '@rxlet/machine/topology';
import type { NodeFiles } from '@rxlet/node-files';
import { createCheckpointFile } from '@rxlet/node-files/state-file';
import { podUid } from '@rxlet/pod-model';
import { allocateCpus } from '../allocate-cpus.ts';
import { containerCpuHints, podCpuHints } from '../cpu-hints.ts';
import { assignedCpus, containerCpus, type CpuState, removeContainerCpus } from '../cpu-state.ts';
import { requestedCpus, requestedCpusOfPod } from '../requested-cpus.ts';
import { checkUnusedCpuState, CPU_STATE_FILE, formatCpuState, restoreCpuState } from '../state-file.ts';
import type { StaticCpuPolicy } from '../static-policy.ts';
import { createCpuManagerMetrics } from './cpu-manager-metrics.ts';
import { type CpuManagerOptions, readPolicy, staticPolicyOf } from './cpu-manager-options.ts';
import { createCpusetUpdates, type RunningContainer } from './cpuset-updates.ts';

/** Ports of {@link createCpuManager}. */
export interface CpuManagerPorts {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly files: Pick<NodeFiles, 'makeDirectory' | 'readPrivate' | 'replaceFile'>;
  readonly runtime: Pick<RuntimeService, 'updateContainerResources'>;
  readTopology(): Promise<MachineTopology>;
  /** Reports whether a pod may still use its CPUs. Nothing is released while all pods are not known: it returns `true` then. */
  mayUseCpus(podUid: string): boolean;
  /** Returns the running containers, as of the latest relist. */
  runningContainers(): readonly RunningContainer[];
  /** Reports whether a container has exited, as of the latest relist. */
  hasExited(container: RunningContainer): boolean;
}

/** Assigns CPUs to containers and keeps all containers on their CPUs (kubelet: CPU manager). */
export interface CpuManager extends AsyncDisposable {
  /** Restores the state file and begins to update containers. @throws CpuPolicyError when policy, machine and state file do not fit each other */
  start(): Promise<void>;
  readonly hintProvider: HintProvider;
  readonly exclusive: ExclusiveCpus;
  /** Returns the CPUs that a container must run on, as a list such as `0-3`; empty for any. */
  cpusOf(podUid: string, containerName: string): string;
  /** Records that a container was created, and is about to run. */
  created(container: RunningContainer): void;
  /** Releases the CPUs of pods that no longer use them. */
  release(): Promise<void>;
  /** Returns the state for people. */
  inspect(): unknown;
}

const DIRECTORY_MODE = 0o750;
const DEFAULT_RECONCILE_PERIOD_MS = 10_000;

/**
 * Creates a {@link CpuManager}, whose state is in `cpu_manager_state` of the root directory.
 *
 * @throws CpuPolicyError for an unknown policy or unusable options
 */
export function createCpuManager(
  ports: CpuManagerPorts,
  options: CpuManagerOptions,
  rootDirectory: string,
): CpuManager {
  const { logger } = ports;
  const lifetime = createLifetime();
  const metrics = createCpuManagerMetrics(ports.metrics);
  const configured = readPolicy(options);
  const path = `${rootDirectory}/${CPU_STATE_FILE}`;
  let policy: StaticCpuPolicy | undefined;
  let state: CpuState = { shared: new Set(), assignments: new Map() };
  const file = createCheckpointFile(ports.files, path, () => formatCpuState({ policyName: configured.name, ...state }));
  const cpusOf = (uid: string, container: string): string => formatCpuSet(containerCpus(state, uid, container));
  const updates = createCpusetUpdates({ ...ports, cpusOf });
  let updating: Promise<void> | undefined;
  let isUpdateRequested = false;
  /** Whether the file has all that was released. */
  let isSaved = true;
  /** Whether the containers that ran at the start were compared with their CPUs. */
  let isCompared = false;

  /** One pass at a time; requests during a pass share the next one. */
  const updateContainers = (): void => {
    isUpdateRequested = true;
    if (policy === undefined || lifetime.signal.aborted) return;
    const pass = async (): Promise<void> => {
      while (isUpdateRequested) {
        isUpdateRequested = false;
        await updates.run(lifetime.signal);
      }
    };
    updating ??= lifetime
      .track(pass())
      .catch(() => undefined)
      .finally(() => (updating = undefined));
  };
  const replaceState = (static_: StaticCpuPolicy, next: CpuState): void => {
    state = next;
    metrics.show(static_, state);
    updateContainers();
  };
  const save = async (): Promise<void> => {
    isSaved = true;
    try {
      await file.write();
    } catch (error) {
      isSaved = false;
      throw error;
    }
  };
  /** Releases the CPUs of pods that have ended, except of one. */
  const releaseEnded = (static_: StaticCpuPolicy, exceptUid?: string): void => {
    let next = state;
    for (const [uid, containers] of state.assignments) {
      if (uid === exceptUid || ports.mayUseCpus(uid)) continue;
      for (const container of containers.keys()) next = removeContainerCpus(next, uid, container);
    }
    if (next === state) return;
    isSaved = false;
    replaceState(static_, next);
  };
  /** Allocates and saves. CPUs that cannot be saved are taken back, because a restart would give them to another container. */
  const allocate = async (
    static_: StaticCpuPolicy,
    pod: Pod,
    container: Container,
    affinity: Parameters<HintProvider['allocate']>[2],
  ): Promise<AllocationFailure | undefined> => {
    if (requestedCpus(pod, container) === 0) return undefined;
    const uid = podUid(pod);
    releaseEnded(static_, uid);
    const isHeld = assignedCpus(state, uid, container.name) !== undefined;
    const { state: next, cpus, failure } = allocateCpus(static_, state, pod, container, affinity);
    const isNew = failure === undefined && !isHeld;
    metrics.requested(static_, { isGranted: failure === undefined, ...(isNew && cpus && { cpus }) });
    if (!isNew) {
      state = next;
      return failure;
    }
    replaceState(static_, next);
    try {
      await save();
      return undefined;
    } catch (error) {
      replaceState(static_, removeContainerCpus(state, uid, container.name));
      return { message: errorMessage(error) };
    }
  };
  const keepUpdating = async (periodMs: number): Promise<void> => {
    for (;;) {
      updateContainers();
      await sleep(ports.clock, periodMs, lifetime.signal);
    }
  };

  return {
    async start() {
      const text = await file.read();
      if (configured.name === 'none') {
        checkUnusedCpuState(text, path);
      } else {
        policy = staticPolicyOf(configured, await ports.readTopology());
        replaceState(policy, restoreCpuState(policy, text, path));
      }
      await ports.files.makeDirectory(rootDirectory, DIRECTORY_MODE);
      await file.write();
      if (policy === undefined) return;
      const { reconcilePeriodMs = DEFAULT_RECONCILE_PERIOD_MS } = options;
      void lifetime.track(keepUpdating(reconcilePeriodMs)).catch(() => undefined);
    },
    hintProvider: {
      containerHints(pod, container) {
        if (policy === undefined) return undefined;
        releaseEnded(policy, podUid(pod));
        return containerCpuHints(policy, state, pod, container);
      },
      podHints(pod) {
        if (policy === undefined) return undefined;
        releaseEnded(policy, podUid(pod));
        return podCpuHints(policy, state, pod);
      },
      allocate: (pod, container, affinity) =>
        policy === undefined ? undefined : allocate(policy, pod, container, affinity),
      mayTakeLong: (pod) => policy !== undefined && requestedCpusOfPod(pod) > 0,
    },
    exclusive: {
      ofContainer: (uid, container) => sortedCpus(assignedCpus(state, uid, container) ?? []),
      isUnlimited: (uid, container) =>
        options.limitsExclusiveCpus !== true && assignedCpus(state, uid, container) !== undefined,
      allocatable: () => (policy === undefined ? [] : sortedCpus(policy.layout.cpus.difference(policy.reserved))),
    },
    cpusOf,
    created: (container) =>
      updates.created(container, formatCpuSet(assignedCpus(state, container.podUid, container.name) ?? [])),
    async release() {
      if (policy === undefined) return;
      // The running containers are not known at the start, and an earlier agent may have been killed before it updated them.
      if (!isCompared) updateContainers();
      isCompared = true;
      releaseEnded(policy);
      if (isSaved) return;
      try {
        await save();
      } catch (error) {
        // Saved with the next call, and a restart releases them again.
        logger.warn('cannot save released CPUs', { path, error: errorMessage(error) });
      }
    },
    inspect: () => ({
      policy: configured.name,
      shared: formatCpuSet(state.shared),
      reserved: formatCpuSet(policy?.reserved ?? []),
      assigned: Object.fromEntries(
        [...state.assignments].map(([uid, containers]) => [
          uid,
          Object.fromEntries([...containers].map(([name, cpus]) => [name, formatCpuSet(cpus)])),
        ]),
      ),
    }),
    [Symbol.asyncDispose]: () => lifetime[Symbol.asyncDispose](),
  };
}
