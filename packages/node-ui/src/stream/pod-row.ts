import type { ContainerStatus, Pod } from '@rxlet/kube-api';
import { type ContainerKind, podContainers } from '@rxlet/pod-model';
import { podReadiness, podRestartCount, podStatusWord } from '@rxlet/pod-model/summary';
import type { ContainerRow, PodRow } from './messages.ts';

/** Returns the row of a pod. `problem` is that of its source. */
export function podRow(pod: Pod, problem?: string): PodRow {
  const { metadata, status } = pod;
  const { count, lastRestart } = podRestartCount(pod);
  const created = metadata?.creationTimestamp ?? status?.startTime;
  return {
    uid: metadata?.uid ?? '',
    namespace: metadata?.namespace ?? '',
    name: metadata?.name ?? '',
    ready: podReadiness(pod),
    status: podStatusWord(pod),
    restarts: count,
    ...(lastRestart !== undefined && { lastRestart }),
    // A pod from a manifest has no time of creation; the agent notes when it first saw it.
    ...(created !== undefined && { created }),
    ...(status?.podIP !== undefined && { ip: status.podIP }),
    ...(status?.qosClass !== undefined && { qos: status.qosClass }),
    containers: containerRows(pod),
    ...(problem !== undefined && { problem }),
  };
}

function containerRows(pod: Pod): readonly ContainerRow[] {
  const { containerStatuses = [], initContainerStatuses = [], ephemeralContainerStatuses = [] } = pod.status ?? {};
  const statuses: Readonly<Record<ContainerKind, readonly ContainerStatus[]>> = {
    init: initContainerStatuses,
    regular: containerStatuses,
    ephemeral: ephemeralContainerStatuses,
  };
  return podContainers(pod, ['init', 'regular', 'ephemeral']).map(({ kind, container: { name } }) => {
    const status = statuses[kind].find((candidate) => candidate.name === name);
    return { name, kind, ready: status?.ready === true, state: stateOf(status) };
  });
}

function stateOf(status: ContainerStatus | undefined): ContainerRow['state'] {
  if (status?.state?.running !== undefined) return 'running';
  if (status?.state?.terminated !== undefined) return 'terminated';
  return status?.state?.waiting === undefined ? 'unknown' : 'waiting';
}
