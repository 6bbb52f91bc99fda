import type { ProbeResults } from '@rxlet/agent-api/containers';
import type { Container, Pod } from '@rxlet/kube-api';
import { isSidecar } from '@rxlet/pod-model';
import { newestContainerStatus, type RuntimeContainerStatus, type RuntimePodStatus } from '@rxlet/pod-model/runtime';
import {
  anyRegularContainerCreated,
  definitionChanged,
  isOfEarlierSandbox,
  unknownStateMessage,
} from './container-state.ts';
import type { ContainerToKill, KillReason } from './pod-actions.ts';
import type { ResizePlan } from './resize-plan.ts';

/** Next steps of a pod's initialization. */
export interface InitContainerActions {
  /** Whether regular containers may start (and keep running). */
  readonly initialized: boolean;
  /** Whether an init container failed and may not run again, so that the pod fails. */
  readonly killPod: boolean;
  /** Indexes into `spec.initContainers`, ascending. */
  readonly start: readonly number[];
  readonly kill: readonly ContainerToKill[];
}

/** Reports whether an exited init container failed. After an OOM kill of a child process the exit code can be 0, although initialization is incomplete. */
function hasFailed({ reason, exitCode }: RuntimeContainerStatus): boolean {
  return reason === 'OOMKilled' || exitCode !== 0;
}

/**
 * Returns the status of an init container, unless it has ended in an earlier sandbox. These containers are removed with their sandbox, but their removal may fail, and
 * then they must not count as run in the new one.
 */
function latestInSandbox(status: RuntimePodStatus, name: string): RuntimeContainerStatus | undefined {
  const newest = newestContainerStatus(status, name);
  const hasEnded = newest?.state === 'exited' || newest?.state === 'created';
  return hasEnded && isOfEarlierSandbox(newest, status) ? undefined : newest;
}

/**
 * Decides about the init containers of a pod whose sandbox stays.
 *
 * The containers are checked from the last to the first. The last one with a status shows the progress of initialization: each regular init container before it
 * has finished, whatever its status. Sidecars (restartable init containers) are kept running until the pod terminates, wherever they are in the list.
 *
 * @param mayRestart reports whether a failed regular init container may run again
 */
export function initContainerActions(
  pod: Pod,
  status: RuntimePodStatus,
  probes: { readonly liveness: ProbeResults; readonly startup: ProbeResults },
  mayRestart: (container: Container, status: RuntimeContainerStatus) => boolean,
  resizes: ResizePlan,
): InitContainerActions {
  const initContainers = pod.spec!.initContainers ?? [];
  if (initContainers.length === 0) return { initialized: true, killPod: false, start: [], kill: [] };

  const start = new Set<number>();
  const kill: ContainerToKill[] = [];
  let initialized = anyRegularContainerCreated(pod, status);
  /** Whether initialization has passed the current container. */
  let passed = initialized;
  const replace = (index: number, id: string, message: string, reason: KillReason): void => {
    kill.push({ id, name: initContainers[index]!.name, message, reason });
    start.add(index);
  };
  const succeeded = (index: number): void => {
    if (index === initContainers.length - 1) initialized = true;
    else if (!passed) start.add(index + 1);
  };

  for (const [index, container] of [...initContainers.entries()].reverse()) {
    const sidecar = isSidecar(container);
    const current = latestInSandbox(status, container.name);
    if (current === undefined) {
      if (passed && sidecar) start.add(index);
      continue;
    }
    if (passed && !sidecar) continue;

    switch (current.state) {
      case 'created':
        // Creation and start are one step, so a created container failed to start.
        start.add(index);
        break;
      case 'running':
        if (sidecar) runningSidecar(index, container, current);
        else resize(index, container, current);
        break;
      case 'exited':
        if (sidecar) start.add(index);
        else if (!hasFailed(current)) succeeded(index);
        else if (mayRestart(container, current)) start.add(index);
        else return { initialized: false, killPod: true, start: [], kill };
        break;
      case 'unknown':
        if (!sidecar && !mayRestart(container, current)) return { initialized: false, killPod: true, start: [], kill };
        replace(index, current.id.id, unknownStateMessage('Init container'), 'Unknown');
        break;
    }
    passed = true;
  }

  if (!passed) start.add(0);
  return { initialized, killPod: false, start: [...start].sort((a, b) => a - b), kill };

  function runningSidecar(index: number, container: Container, current: RuntimeContainerStatus): void {
    const id = current.id.id;
    if (container.startupProbe !== undefined) {
      const startup = probes.startup.get(id);
      if (startup === 'failure')
        replace(index, id, `Init container ${container.name} failed startup probe`, 'StartupProbe');
      if (startup !== 'success') return;
    }
    succeeded(index);
    if (definitionChanged(container, current)) {
      replace(index, id, `Init container ${container.name} definition changed`, '');
      return;
    }
    if (container.livenessProbe !== undefined) {
      const liveness = probes.liveness.get(id);
      if (liveness === 'failure')
        replace(index, id, `Init container ${container.name} failed liveness probe`, 'LivenessProbe');
      // Not resized before the first result.
      if (liveness === undefined || liveness === 'failure') return;
    }
    resize(index, container, current);
  }

  function resize(index: number, container: Container, current: RuntimeContainerStatus): void {
    const restart = resizes.consider(container, current);
    if (restart !== undefined) replace(index, restart.id, restart.message, restart.reason);
  }
}
