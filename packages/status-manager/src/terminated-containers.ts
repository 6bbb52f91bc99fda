import { type Counter, type Metrics, noopMetrics } from '@rxlet/component-base/metrics';
import type { ContainerStatus, PodStatus } from '@rxlet/kube-api';

const fields = {
  container: 'containerStatuses',
  init_container: 'initContainerStatuses',
  ephemeral_container: 'ephemeralContainerStatuses',
} as const;

/** Returns a function that counts containers when they are first reported terminated: `kubelet_terminated_containers_total`. */
export function createTerminatedContainersCounter(
  metrics: Metrics = noopMetrics,
): (before: PodStatus, after: PodStatus) => void {
  const counter: Counter = metrics.counter({
    name: 'kubelet_terminated_containers_total',
    help: '[ALPHA] Cumulative number of container terminations.',
    labelNames: ['container_type', 'exit_code', 'reason'],
  });
  return (before, after) => {
    for (const [containerType, field] of Object.entries(fields)) {
      for (const { exitCode, reason = '' } of newEnds(before[field] ?? [], after[field] ?? [])) {
        counter.inc({ container_type: containerType, exit_code: String(exitCode), reason });
      }
    }
  };
}

function newEnds(
  before: readonly ContainerStatus[],
  after: readonly ContainerStatus[],
): readonly { exitCode: number; reason?: string }[] {
  const ended = new Set(before.filter(({ state }) => state?.terminated !== undefined).map(({ name }) => name));
  return after.flatMap(({ name, state }) =>
    state?.terminated === undefined || ended.has(name) ? [] : [state.terminated],
  );
}
