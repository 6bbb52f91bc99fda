import type { Pod } from '@rxlet/kube-api';
import { resources } from '@rxlet/kube-api/resources';
import { ContainerState, type ContainerStatus } from '@rxlet/cri-api';
import { isSidecar, isTerminalPhase, PodLabel, podUid } from '@rxlet/pod-model';
import { parseResourcesCheckpoint, type PodResourcesRecord } from '@rxlet/pod-model/resize';
import type { TestCluster } from '@rxlet/testing';
import { type Amounts, amountOf, requestsOf } from '../workload/amounts.ts';
import { resizedContainers } from '../workload/part-steps.ts';
import { endingInitContainers } from '../workload/pod-kinds.ts';
import type { PartContext, PartKind, WorldPart } from './world-part.ts';

/** The machine of the workload `extended`. */
export const MACHINE: { readonly cores: number; readonly memoryBytes: number } = { cores: 4, memoryBytes: 8 * 2 ** 30 };
/** Its resources, all of which pods may have. */
export const CAPACITY: Amounts = { cpuMillis: MACHINE.cores * 1000, memoryBytes: MACHINE.memoryBytes };
/** The record of the resources that are allocated to pods. */
export const ALLOCATIONS = '/root/allocated_pods_state';
/** A critical pod for which no others can be pre-empted is rejected with `UnexpectedAdmissionError`. */
const END_REASONS = ['OutOfcpu', 'OutOfmemory', 'Preempting', 'UnexpectedAdmissionError'];
const CPUS = [100, 250, 500, 1_000, 1_500] as const;
/** More than a container of the fake runtime uses: a limit below that cannot be set. */
const MEMORY = [256, 512, 1_024, 2_048] as const;

/** Pods with resources, which users resize while they run: those of the API server, and static ones by their manifests. */
export const resizePart: PartKind = {
  name: 'resize',
  steps: 12,
  make: (choose, names) => ({
    do: 'resize',
    name: choose.pick(names),
    cpuMillis: choose.pick([...CPUS, 3_000, 5_000]),
    memoryMi: choose.pick([...MEMORY, 6_000, 9_000]),
  }),
  extras: (choose) => ({
    ...(choose.chance(0.8) && {
      cpuMillis: choose.pick(CPUS),
      memoryMi: choose.pick(MEMORY),
      isGuaranteed: choose.chance(0.4),
    }),
    // A critical pod pre-empts others.
    ...(choose.chance(0.2) && { priority: 2_000_001_000 }),
  }),
  staticExtras: (choose) => ({ cpuMillis: choose.pick([100, 250, 500]), memoryMi: choose.pick([256, 512]) }),
  create: createResizes,
};

function createResizes({ cluster, history }: PartContext): WorldPart {
  const { files } = cluster.node;
  const { replaceFile } = files.nodeFiles;
  files.nodeFiles.replaceFile = async (path, content, mode) => {
    await replaceFile(path, content, mode);
    if (path === ALLOCATIONS)
      history.add({ kind: 'allocated', pods: allocationsOf(String(content)), capacity: CAPACITY });
  };
  return {
    name: 'resize',
    endReasons: END_REASONS,
    staticEndReasons: END_REASONS,
    run(step) {
      if (step.do !== 'resize') return false;
      const pod = cluster.pod(step.name);
      // A resize never changes the class of a pod.
      if (pod?.spec?.containers[0]?.resources?.requests === undefined || isTerminalPhase(pod.status?.phase))
        return true;
      const containers = resizedContainers(pod.spec.containers, step);
      cluster.kube.objects.merge(resources.pods, step.name, 'default', { spec: { containers } }, 'resize');
      return true;
    },
    differences(pods) {
      // Also a pod that a permanent fault touches has its resources.
      const all = cluster.kube.objects.list(resources.pods) as readonly Pod[];
      return pods.flatMap((pod) => resizeDifferences(cluster, pod, all));
    },
  };
}

function allocationsOf(text: string): Readonly<Record<string, Amounts>> {
  const sum = (record: PodResourcesRecord, name: 'cpu' | 'memory'): number =>
    [...record.containers].reduce(
      (total, [container, { requests }]) =>
        endingInitContainers.has(container) ? total : total + amountOf(requests?.[name], name),
      0,
    );
  return Object.fromEntries(
    [...parseResourcesCheckpoint(text)].map(([uid, record]) => [
      uid,
      { cpuMillis: sum(record, 'cpu'), memoryBytes: sum(record, 'memory') },
    ]),
  );
}

/** Returns what is wrong with the resources of a pod at rest: they have reached the runtime, or its status says why not. */
function resizeDifferences({ node }: TestCluster, pod: Pod, all: readonly Pod[]): readonly string[] {
  const [first] = pod.spec?.containers ?? [];
  const running = runningContainer(node.fake.snapshot().containers, pod, first?.name);
  if (first?.resources?.requests === undefined || running === undefined) return [];
  const describe = (what: string): string => `${pod.metadata?.name ?? ''} ${podUid(pod)}: ${what}`;
  const { conditions = [], containerStatuses = [] } = pod.status ?? {};
  const pending = conditions.find(({ type }) => type === 'PodResizePending');
  const shown = containerStatuses.find(({ name }) => name === first.name);
  const allocated = shown?.allocatedResources ?? {};
  const problems: string[] = [];
  const [desiredCpu, allocatedCpu] = [first.resources.requests['cpu'], allocated['cpu']].map((text) =>
    amountOf(text, 'cpu'),
  );
  const [desiredMemory, allocatedMemory] = [first.resources.requests['memory'], allocated['memory']].map((text) =>
    amountOf(text, 'memory'),
  );
  const shares = Number(running.resources?.linux?.cpuShares ?? 0);
  if (shares !== Math.max(2, Math.floor((allocatedCpu! * 1024) / 1000)))
    problems.push(`${first.name} has ${String(shares)} CPU shares, and ${String(allocatedCpu)}m are allocated`);
  const limit = Number(running.resources?.linux?.memoryLimitInBytes ?? 0);
  if (first.resources.limits?.['memory'] !== undefined && limit !== allocatedMemory)
    problems.push(`${first.name} has a memory limit of ${String(limit)}, and ${String(allocatedMemory)} are allocated`);
  const inProgress = conditions.find(({ type }) => type === 'PodResizeInProgress');
  if (inProgress !== undefined) problems.push(`its resize is in progress: ${inProgress.message ?? ''}`);
  const isDone = desiredCpu === allocatedCpu && desiredMemory === allocatedMemory;
  if (isDone) {
    if (pending !== undefined) problems.push(`its resize is done, and pending: ${pending.reason ?? ''}`);
    return problems.map(describe);
  }
  if (pending?.reason !== 'Deferred' && pending?.reason !== 'Infeasible')
    problems.push('its resize is neither done nor pending');
  // A static pod has the name of its mirror.
  const free = freeResources(all.filter(({ metadata }) => metadata?.name !== pod.metadata?.name));
  const requested = requestsOf(pod);
  if (
    pending?.reason === 'Deferred' &&
    requested.cpuMillis <= free.cpuMillis &&
    requested.memoryBytes <= free.memoryBytes
  )
    problems.push('its resize is deferred although it fits');
  return problems.map(describe);
}

/** Returns what other pods leave of the node. */
function freeResources(pods: readonly Pod[]): Amounts {
  const sum = (name: 'cpu' | 'memory'): number =>
    pods.reduce((total, pod) => total + (isTerminalPhase(pod.status?.phase) ? 0 : allocatedTo(pod, name)), 0);
  return { cpuMillis: CAPACITY.cpuMillis - sum('cpu'), memoryBytes: CAPACITY.memoryBytes - sum('memory') };
}

function allocatedTo({ spec, status }: Pod, name: 'cpu' | 'memory'): number {
  const { containerStatuses = [], initContainerStatuses = [] } = status ?? {};
  const statuses = [...containerStatuses, ...initContainerStatuses];
  const containers = [...(spec?.containers ?? []), ...(spec?.initContainers ?? []).filter(isSidecar)];
  return containers.reduce((total, container) => {
    const shown = statuses.find(({ name: shownName }) => shownName === container.name)?.allocatedResources;
    return total + amountOf((shown ?? container.resources?.requests)?.[name], name);
  }, 0);
}

function runningContainer(
  containers: readonly ContainerStatus[],
  pod: Pod,
  name: string | undefined,
): ContainerStatus | undefined {
  return containers.find(
    ({ labels, state }) =>
      labels[PodLabel.podUid] === podUid(pod) &&
      labels[PodLabel.containerName] === name &&
      state === ContainerState.CONTAINER_RUNNING,
  );
}
