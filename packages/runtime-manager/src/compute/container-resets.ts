import type { Container, Pod } from '@rxlet/kube-api';
import { matchesRestartAllRule } from '@rxlet/pod-model/restart';
import type { RuntimePodStatus } from '@rxlet/pod-model/runtime';
import type { ContainerToReset } from './pod-actions.ts';

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
