import { errorMessage } from '@rxlet/component-base';
import { inSpan } from '@rxlet/agent-api/journal';
import { findPodContainer, formatPod } from '@rxlet/pod-model';
import { newestContainerStatus } from '@rxlet/pod-model/runtime';
import { type ResizableResource, resizableResources, resourceAmount } from '../compute/container-resize.ts';
import type { PodActions } from '../compute/pod-actions.ts';
import { containerResources } from '../config/linux-resources.ts';
import type { Context } from '../context.ts';
import { failedResult } from '../sync/step-failure.ts';
import type { SyncRun } from '../sync/sync-run.ts';
import { checkMemoryDecreases } from './check-memory-decrease.ts';
import { effectiveResources, withResource } from './effective-resources.ts';
import { openPodCgroup, type PodCgroup, type PodCgroupPorts } from './pod-cgroup.ts';
import { recordActuatedPod } from './record-actuated.ts';

/** Reports whether the actions resize the pod or a running container. */
export function hasResizes(actions: PodActions): boolean {
  return (
    hasPodResize(actions) || resizableResources.some((resource) => actions.containersToUpdate[resource] !== undefined)
  );
}

/** Ports of {@link resizePod}. */
export type ResizePodPorts = PodCgroupPorts &
  Pick<Context, 'clock' | 'metrics' | 'actuated' | 'memoryUsage' | 'journal'>;

/**
 * Resizes a pod and its running containers in place (KEP-1287), memory first, then CPU. For each resource, values of the pod's cgroup are raised, then the
 * containers change, then values of the cgroup are lowered, so that the containers always fit. The first failure ends the resize; completed changes are on
 * record, and the next sync continues from there. Nothing changes while the record cannot be written.
 */
export async function resizePod(run: SyncRun<ResizePodPorts>): Promise<void> {
  const { ports, pod, actions, record, signal } = run;
  if (!hasResizes(actions)) return;
  const target = formatPod(pod);
  const startMs = ports.clock.monotonicNow();
  let success = true;
  try {
    await inSpan(ports.journal, pod.metadata, { kind: 'resize.actuate' }, () => performResize(run), signal);
    record({ action: 'ResizePodInPlace', target });
  } catch (error) {
    success = false;
    if (signal?.aborted !== true) {
      ports.logger.warn('cannot resize pod', { pod: target, error: errorMessage(error) });
    }
    record(failedResult('ResizePodInPlace', target, error, 'ResizePodInPlaceError'));
  }
  ports.metrics.podResizeMilliseconds.observe(ports.clock.monotonicNow() - startMs, { success: String(success) });
}

async function performResize(run: SyncRun<ResizePodPorts>): Promise<void> {
  const { ports, pod, actions } = run;
  const cgroup = await openPodCgroup(run);
  for (const resource of resizableResources) {
    const updates = (actions.containersToUpdate[resource] ?? []).map((name) => planUpdate(run, name, resource));
    if (updates.length === 0 && !hasPodResize(actions)) continue;
    if (resource === 'memory') await checkMemory(run, updates, cgroup);
    await cgroup?.raise(resource);
    for (const update of updates) await updateContainer(run, update);
    await cgroup?.lower(resource);
  }
  recordActuatedPod(ports, pod);
  await ports.actuated.saved();
}

function hasPodResize({ updatePodResources, updatePodLevelResources }: PodActions): boolean {
  return updatePodResources || updatePodLevelResources === true;
}

/** Change of one resource of a container. */
interface ContainerUpdate {
  readonly name: string;
  readonly id: string;
  readonly container: NonNullable<ReturnType<typeof findPodContainer>>['container'];
  /** Resources after the change. The other resource keeps its current amount. */
  readonly resources: ReturnType<typeof withResource>;
  readonly limitNow: number;
}

function planUpdate(
  { ports, pod, status }: SyncRun<Pick<Context, 'actuated'>>,
  name: string,
  resource: ResizableResource,
): ContainerUpdate {
  const { container } = findPodContainer(pod, name)!;
  const records = ports.actuated.of(status.uid);
  const now = effectiveResources(records.containers.get(name), records.pod);
  const desired = effectiveResources(container.resources, pod.spec!.resources);
  return {
    name,
    id: newestContainerStatus(status, name)!.id.id,
    container,
    resources: withResource(now, desired, resource),
    limitNow: resourceAmount(resource, now.limits),
  };
}

async function checkMemory(
  { ports, actions, signal }: SyncRun<Pick<Context, 'memoryUsage'>>,
  updates: readonly ContainerUpdate[],
  cgroup: PodCgroup | undefined,
): Promise<void> {
  const podLimitBytes = cgroup?.lowerMemoryLimit();
  const ofContainers = updates.flatMap(({ name, id, resources, limitNow }) => {
    const limitBytes = resourceAmount('memory', resources.limits);
    const decreases = limitBytes !== 0 && (limitNow === 0 || limitBytes < limitNow);
    return decreases ? [{ container: { name, id }, limitBytes }] : [];
  });
  const ofPod = podLimitBytes === undefined ? [] : [{ limitBytes: podLimitBytes }];
  await checkMemoryDecreases([...ofPod, ...ofContainers], ports.memoryUsage, actions.sandboxId, signal);
}

async function updateContainer(
  {
    ports: { runtime, actuated, settings },
    pod,
    status,
    signal,
  }: SyncRun<Pick<Context, 'runtime' | 'actuated' | 'settings'>>,
  { name, id, container, resources }: ContainerUpdate,
): Promise<void> {
  const linux = containerResources(pod, { ...container, resources }, settings);
  // The call may take effect although its answer is lost, or the agent is killed: the next sync then asks the runtime which resources the container has.
  await actuated.forgetContainer(status.uid, name);
  await runtime.updateContainerResources({ containerId: id, linux }, { signal });
  // Record the accepted resources, because the reported ones may be stale.
  actuated.setContainer(status.uid, name, resources);
}
