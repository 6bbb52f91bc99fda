import { errorMessage } from '@rxlet/component-base';
import { findPodContainer, formatPod, newestContainerStatus } from '@rxlet/pod-model';
import { type ResizableResource, resizableResources, resourceAmount } from '../compute/container-resize.ts';
import type { PodActions } from '../compute/pod-actions.ts';
import { containerResources } from '../config/linux-resources.ts';
import { failedResult } from '../sync/step-failure.ts';
import type { SyncRun } from '../sync/sync-run.ts';
import { checkMemoryDecreases } from './check-memory-decrease.ts';
import { effectiveResources, withResource } from './effective-resources.ts';
import { openPodCgroup, type PodCgroup } from './pod-cgroup.ts';
import { recordActuatedPod } from './record-actuated.ts';

/** Whether the resources of anything that runs are to change. */
export function resizesAnything(actions: PodActions): boolean {
  return (
    resizesPod(actions) || resizableResources.some((resource) => actions.containersToUpdate[resource] !== undefined)
  );
}

/**
 * Brings the resources of a pod and of its running containers to what they are to be, without restarting anything (KEP-1287): memory first, then CPU; of each
 * the pod's cgroup is widened, then the containers change, then it is narrowed, so that what they have always fits. The first failure ends it. What was done
 * until then is on record, and the next sync goes on from there.
 */
export async function resizePod(run: SyncRun): Promise<void> {
  const { context, pod, actions, record, signal } = run;
  if (!resizesAnything(actions)) return;
  const target = formatPod(pod);
  const startMs = context.clock.monotonicNow();
  let success = true;
  try {
    await carryOut(run);
    record({ action: 'ResizePodInPlace', target });
  } catch (error) {
    success = false;
    if (signal?.aborted !== true) {
      context.logger.warn('cannot resize pod', { pod: target, error: errorMessage(error) });
    }
    record(failedResult('ResizePodInPlace', target, error, 'ResizePodInPlaceError'));
  }
  context.metrics.podResizeMilliseconds.observe(context.clock.monotonicNow() - startMs, { success: String(success) });
}

async function carryOut(run: SyncRun): Promise<void> {
  const { context, pod, actions } = run;
  const cgroup = await openPodCgroup(run);
  for (const resource of resizableResources) {
    const updates = (actions.containersToUpdate[resource] ?? []).map((name) => planUpdate(run, name, resource));
    if (updates.length === 0 && !resizesPod(actions)) continue;
    if (resource === 'memory') await checkMemory(run, updates, cgroup);
    await cgroup?.widen(resource);
    for (const update of updates) await updateContainer(run, update);
    await cgroup?.narrow(resource);
  }
  recordActuatedPod(context, pod);
  await context.actuated.saved();
}

function resizesPod({ updatePodResources, updatePodLevelResources }: PodActions): boolean {
  return updatePodResources || updatePodLevelResources === true;
}

/** The change of one resource of one container. */
interface ContainerUpdate {
  readonly name: string;
  readonly id: string;
  readonly container: NonNullable<ReturnType<typeof findPodContainer>>['container'];
  /** What it will have: of the other resource what it has now. */
  readonly resources: ReturnType<typeof withResource>;
  readonly limitNow: number;
}

function planUpdate({ context, pod, status }: SyncRun, name: string, resource: ResizableResource): ContainerUpdate {
  const { container } = findPodContainer(pod, name)!;
  const records = context.actuated.of(status.uid);
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
  { context, actions, signal }: SyncRun,
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
  await checkMemoryDecreases([...ofPod, ...ofContainers], context.memoryUsage, actions.sandboxId, signal);
}

async function updateContainer(
  { context: { runtime, actuated, settings }, pod, status, signal }: SyncRun,
  { name, id, container, resources }: ContainerUpdate,
): Promise<void> {
  const linux = containerResources(pod, { ...container, resources }, settings);
  await runtime.updateContainerResources({ containerId: id, linux }, { signal });
  // Not what the runtime reports counts from here on, which may lag behind, but what it has accepted.
  actuated.setContainer(status.uid, name, resources);
  await actuated.saved();
}
