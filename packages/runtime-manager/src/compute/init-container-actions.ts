import type { Container, Pod } from '@rxlet/kube-api';
import { isSidecar, newestContainerStatus, type RuntimeContainerStatus, type RuntimePodStatus } from '@rxlet/pod-model';
import { anyRegularContainerCreated, definitionChanged, unknownStateMessage } from './container-state.ts';
import type { ContainerToKill, KillReason } from './pod-actions.ts';
import type { ProbeResults } from './probe-results.ts';
import type { ResizePlan } from './resize-plan.ts';

/** What initialisation of a pod needs next. */
export interface InitContainerActions {
  /** Whether regular containers may start (and keep running). */
  readonly initialized: boolean;
  /** An init container failed for good: the pod ends. */
  readonly killPod: boolean;
  /** Indexes into `spec.initContainers`, ascending. */
  readonly start: readonly number[];
  readonly kill: readonly ContainerToKill[];
}

/** Whether an init container has to run again, policy permitting. An OOM kill of a child can leave exit code 0, and still nothing was initialised. */
function hasFailed(status: RuntimeContainerStatus): boolean {
  return (
    status.reason === 'OOMKilled' || status.state === 'unknown' || (status.state === 'exited' && status.exitCode !== 0)
  );
}

/**
 * Decides about the init containers of a pod whose sandbox stays.
 *
 * They are looked at from the last to the first: the last one that has a status shows how far initialisation came, so every regular init
 * container before it is done, whatever its own status says or whether it still has one. Sidecars (restartable init containers) are kept running
 * for as long as the pod lives, wherever they stand.
 *
 * @param mayRestart whether a failed regular init container runs again: by its own rules for one that exited, by its policy alone for one that is lost.
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
  let initialized = anyRegularContainerCreated(pod, status, false);
  /** Whether a later container than the one being looked at has already been reached. */
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
    const current = newestContainerStatus(status, container.name);
    if (current === undefined) {
      if (passed && sidecar) start.add(index);
      continue;
    }
    if (passed && !sidecar) continue;

    switch (current.state) {
      case 'created':
        // Creating and starting are one step, so a container found between them failed to start.
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
      // Until the first result it is left alone.
      if (liveness === undefined || liveness === 'failure') return;
    }
    resize(index, container, current);
  }

  function resize(index: number, container: Container, current: RuntimeContainerStatus): void {
    const restart = resizes.consider(container, current);
    if (restart !== undefined) replace(index, restart.id, restart.message, restart.reason);
  }
}
