import type { Container, Pod } from '@rxlet/kube-api';
import { matchesRestartAllRule } from '@rxlet/pod-model/restart';
import type { RuntimePodStatus } from '@rxlet/pod-model/runtime';
import type { ContainerToReset, PodActions } from './pod-actions.ts';

/**
 * Returns the instances to remove when all containers of a pod restart in place (KEP-5532). The containers whose exit demanded the restart come last: while one
 * of them exists, an agent that restarts in the middle still detects the pending restart.
 */
export function containerResets(pod: Pod, status: RuntimePodStatus): ContainerToReset[] {
  const targets: ContainerToReset[] = [];
  const sources: ContainerToReset[] = [];
  const collect = (containers: readonly Container[]): void => {
    for (const container of containers) {
      for (const { id, name, state, exitCode } of status.containers) {
        if (name !== container.name) continue;
        const exited = state === 'exited';
        const source = exited && matchesRestartAllRule(container, exitCode);
        (source ? sources : targets).push({ id: id.id, name, kill: !exited });
      }
    }
  };
  collect(pod.spec!.containers);
  collect(pod.spec!.initContainers ?? []);
  return [...targets, ...sources];
}

/**
 * Returns the actions of a sync that replaces instances on request: it removes them, sidecars and init containers last, and nothing else. A pod that is killed or gets
 * another sandbox loses its instances anyway.
 */
export function withReplacements(
  actions: PodActions,
  pod: Pod,
  status: RuntimePodStatus,
  ids: ReadonlySet<string> = new Set(),
): PodActions {
  if (actions.killPod || actions.createSandbox || actions.containersToReset.length > 0) return actions;
  const containersToReset = containerResets(pod, status)
    .filter(({ id }) => ids.has(id))
    .map((reset) => ({ ...reset, isGraceful: true }));
  if (containersToReset.length === 0) return actions;
  const { updatePodLevelResources: _, ...others } = actions;
  return {
    ...others,
    containersToKill: [],
    containersToReset,
    ephemeralContainersToStart: [],
    initContainersToStart: [],
    containersToStart: [],
    containersToUpdate: {},
    updatePodResources: false,
  };
}
