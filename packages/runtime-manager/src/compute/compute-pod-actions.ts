import type { ProbeResults } from '@rxlet/agent-api/containers';
import type { Container, Pod, ResourceRequirements } from '@rxlet/kube-api';
import { effectiveRestartPolicy, shouldContainerBeRestarted } from '@rxlet/pod-model/restart';
import { newestContainerStatus, type RuntimeContainerStatus, type RuntimePodStatus } from '@rxlet/pod-model/runtime';
import { podResourcesChanged } from './container-resize.ts';
import { containerResets } from './container-resets.ts';
import { definitionChanged, unknownStateMessage } from './container-state.ts';
import { initContainerActions } from './init-container-actions.ts';
import type { ContainerToKill, KillReason, PodActions } from './pod-actions.ts';
import { createResizePlan, type ResizePlan } from './resize-plan.ts';
import { sandboxNeed, type SandboxNeed } from './sandbox-need.ts';

/** Input of {@link computePodActions}. */
export interface PodActionsInput {
  readonly pod: Pod;
  /** Status of the pod in the runtime. */
  readonly status: RuntimePodStatus;
  /** Liveness results so far; absent: no container is probed. */
  readonly livenessResults?: ProbeResults | undefined;
  /** Startup results so far; absent: no container is probed. */
  readonly startupResults?: ProbeResults | undefined;
  /** Whether all containers of the pod must restart in place, see `shouldAllContainersRestart` of @rxlet/pod-model. */
  readonly restartAllContainers?: boolean | undefined;
  /**
   * Container name → resources last put into effect, see `containerResize`. A running container without an entry counts as a container without resources.
   * Absent: no container is resized in place.
   */
  readonly actuatedResources?: ReadonlyMap<string, ResourceRequirements> | undefined;
  /** Pod-level resources last put into effect. Absent: they are not on record. */
  readonly actuatedPodResources?: ResourceRequirements | undefined;
}

const noAction: Omit<PodActions, 'killPod' | 'createSandbox' | 'sandboxId' | 'attempt'> = {
  containersToKill: [],
  containersToReset: [],
  ephemeralContainersToStart: [],
  initContainersToStart: [],
  containersToUpdate: {},
  updatePodResources: false,
  containersToStart: [],
};
const noResults: ProbeResults = new Map();

/**
 * Decides the next actions for a pod from its spec and its status in the runtime. It is a pure function with the kubelet's decisions. Performing the actions
 * and calling it again with the new status leads, step by step, to a pod that needs no action.
 *
 * @example
 * ```ts
 * import { emptyRuntimePodStatus } from '@rxlet/pod-model/runtime';
 * import { computePodActions } from '@rxlet/runtime-manager';
 *
 * const pod = { metadata: { name: 'web', uid: '1' }, spec: { containers: [{ name: 'main' }] } };
 * const { createSandbox, containersToStart } = computePodActions({ pod, status: emptyRuntimePodStatus('1') });
 * ```
 */
export function computePodActions(input: PodActionsInput): PodActions {
  const { pod, status, livenessResults = noResults, startupResults = noResults, restartAllContainers = false } = input;
  const need = sandboxNeed(pod, status);
  const base: PodActions = {
    ...noAction,
    killPod: need.changed,
    createSandbox: need.changed,
    sandboxId: need.sandboxId,
    attempt: need.attempt,
  };
  if (restartAllContainers) return { ...base, containersToReset: containerResets(pod, status) };
  if (need.changed) return { ...base, ...actionsInNewSandbox(pod, status, need) };

  const ephemeralContainersToStart = indexesWhere(
    pod.spec!.ephemeralContainers ?? [],
    ({ name }) => newestContainerStatus(status, name) === undefined,
  );
  const actuated = input.actuatedResources && {
    containers: input.actuatedResources,
    pod: input.actuatedPodResources,
  };
  const resizes = createResizePlan(pod, actuated);
  const init = initContainerActions(
    pod,
    status,
    { liveness: livenessResults, startup: startupResults },
    (container, current) => mayRestartInitContainer(pod, status, container, current),
    resizes,
  );
  if (init.killPod || !init.initialized) {
    return {
      ...base,
      ephemeralContainersToStart,
      killPod: init.killPod,
      initContainersToStart: init.start,
      containersToKill: init.kill,
      containersToUpdate: resizes.containersToUpdate,
      updatePodResources: resizes.updatePodResources,
    };
  }

  const regular = regularContainerActions(pod, status, livenessResults, startupResults, resizes);
  const finished = !regular.keepsAny && regular.start.length === 0;
  return {
    ...base,
    ephemeralContainersToStart,
    killPod: finished,
    initContainersToStart: finished ? [] : init.start,
    containersToKill: [...init.kill, ...regular.kill],
    containersToUpdate: resizes.containersToUpdate,
    updatePodResources: resizes.updatePodResources,
    ...(actuated !== undefined && podResourcesChanged(pod, actuated) && { updatePodLevelResources: true }),
    containersToStart: regular.start,
  };
}

/** Decides what to start in a new sandbox: everything from the beginning, unless the pod has already finished. */
function actionsInNewSandbox(pod: Pod, status: RuntimePodStatus, need: SandboxNeed): Partial<PodActions> {
  const isFinished = pod.spec!.restartPolicy === 'Never' && need.attempt !== 0 && status.containers.length > 0;
  if (isFinished) return { createSandbox: false };

  const containersToStart = indexesWhere(pod.spec!.containers, (container) => {
    const current = newestContainerStatus(status, container.name);
    const done = current?.state === 'exited' && current.exitCode === 0;
    return !(done && effectiveRestartPolicy(container, pod) === 'OnFailure');
  });
  if (containersToStart.length === 0) return { createSandbox: false };
  if ((pod.spec!.initContainers ?? []).length > 0) return { initContainersToStart: [0] };
  return { containersToStart };
}

function regularContainerActions(
  pod: Pod,
  status: RuntimePodStatus,
  liveness: ProbeResults,
  startup: ProbeResults,
  resizes: ResizePlan,
): { start: number[]; kill: ContainerToKill[]; keepsAny: boolean } {
  const start: number[] = [];
  const kill: ContainerToKill[] = [];
  let keepsAny = false;
  for (const [index, container] of pod.spec!.containers.entries()) {
    const current = newestContainerStatus(status, container.name);
    if (current?.state !== 'running') {
      if (!shouldContainerBeRestarted(pod, container, status)) continue;
      start.push(index);
      if (current?.state === 'unknown') {
        kill.push({
          id: current.id.id,
          name: container.name,
          message: unknownStateMessage('Container'),
          reason: 'Unknown',
        });
      }
      continue;
    }
    const cause = killCause(container, current, liveness, startup);
    if (cause === undefined) {
      const restart = resizes.consider(container, current);
      if (restart === undefined) {
        keepsAny = true;
      } else {
        // The restart was requested by changing the resources, whatever the restart policy.
        kill.push(restart);
        start.push(index);
      }
      continue;
    }
    // The exit code of a killed container has no meaning, so the policy decides without the exit code rules.
    const restart = cause.forceRestart || effectiveRestartPolicy(container, pod) !== 'Never';
    if (restart) start.push(index);
    const message = `Container ${container.name} ${cause.message}${restart ? ', will be restarted' : ''}`;
    kill.push({ id: current.id.id, name: container.name, message, reason: cause.reason });
  }
  return { start, kill, keepsAny };
}

/** Returns the cause for killing a running container, if there is one. */
function killCause(
  container: Container,
  status: RuntimeContainerStatus,
  liveness: ProbeResults,
  startup: ProbeResults,
): { message: string; reason: KillReason; forceRestart: boolean } | undefined {
  if (definitionChanged(container, status)) return { message: 'definition changed', reason: '', forceRestart: true };
  if (liveness.get(status.id.id) === 'failure') {
    return { message: 'failed liveness probe', reason: 'LivenessProbe', forceRestart: false };
  }
  if (startup.get(status.id.id) === 'failure') {
    return { message: 'failed startup probe', reason: 'StartupProbe', forceRestart: false };
  }
  return undefined;
}

/** Reports whether an init container may run again: by its exit code if it exited, by its policy alone if its state is unknown. */
function mayRestartInitContainer(
  pod: Pod,
  status: RuntimePodStatus,
  container: Container,
  current: RuntimeContainerStatus,
): boolean {
  if (current.state === 'unknown') return effectiveRestartPolicy(container, pod) !== 'Never';
  return shouldContainerBeRestarted(pod, container, status);
}

function indexesWhere<T>(items: readonly T[], predicate: (item: T) => boolean): number[] {
  return [...items.keys()].filter((index) => predicate(items[index]!));
}
