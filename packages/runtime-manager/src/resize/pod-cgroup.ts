import { create } from '@bufbuild/protobuf';
import { errorMessage } from '@rxlet/component-base';
import { isUnimplemented, LinuxContainerResourcesSchema } from '@rxlet/cri-api';
import { formatPod, podCgroupResources } from '@rxlet/pod-model';
import type { ResizableResource } from '../compute/container-resize.ts';
import { sandboxOverhead } from '../config/linux-resources.ts';
import type { SyncRun } from '../sync/sync-run.ts';
import type { PodCgroupValues } from './pod-cgroups.ts';

/** The cgroup of a pod that is being resized. */
export interface PodCgroup {
  /** The memory limit that it is to have, if that is less than what it has. */
  lowerMemoryLimit(): number | undefined;
  /** Raises what is to be raised of a resource: the limit first, so that the request never exceeds it. */
  widen(resource: ResizableResource): Promise<void>;
  /** Lowers what is to be lowered: the request first. */
  narrow(resource: ResizableResource): Promise<void>;
}

/** A value to change, and whether that gives the pod more. */
interface Change {
  readonly values: Partial<PodCgroupValues>;
  readonly from: number;
  readonly to: number;
}

/**
 * Compares the cgroup of a pod with what the pod is to have. A limit that the pod is to have no more stays: the API does not let it be taken away.
 * @returns undefined when nobody keeps the cgroups of pods
 */
export async function openPodCgroup(run: SyncRun): Promise<PodCgroup | undefined> {
  const { context, pod, signal } = run;
  const { podCgroups, settings } = context;
  if (podCgroups === undefined) return undefined;
  const desired = podCgroupResources(pod, {
    enforceCpuLimits: settings.cpuCfsQuota,
    cpuPeriodUs: settings.cpuCfsQuotaPeriodUs,
  });
  let current = await podCgroups.read(pod, signal);

  const limitChange = (resource: ResizableResource): Change => {
    if (resource === 'memory') {
      const { memoryLimitBytes = current.memoryLimitBytes } = desired;
      return { values: { memoryLimitBytes }, from: bound(current.memoryLimitBytes), to: bound(memoryLimitBytes) };
    }
    const { cpuQuotaUs = current.cpuQuotaUs, cpuPeriodUs = current.cpuPeriodUs } = desired;
    return { values: { cpuQuotaUs, cpuPeriodUs }, from: bound(current.cpuQuotaUs), to: bound(cpuQuotaUs) };
  };
  /** A memory request has no place in a cgroup. */
  const requestChange = (resource: ResizableResource): Change[] => {
    const { cpuShares } = desired;
    return resource === 'cpu' ? [{ values: { cpuShares }, from: current.cpuShares, to: cpuShares }] : [];
  };

  const set = async (resource: ResizableResource, values: Partial<PodCgroupValues>): Promise<void> => {
    const before = current;
    const after = { ...before, ...values };
    await tellRuntime(run, after);
    try {
      await podCgroups.write(pod, values, signal);
      current = after;
    } catch (error) {
      // The runtime has been told what did not come to pass, and of several values some may have been written.
      await rollBack(run, before, values);
      throw new Error(`failed to set cgroup config for ${resource} of pod ${formatPod(pod)}: ${errorMessage(error)}`, {
        cause: error,
      });
    }
  };
  return {
    lowerMemoryLimit() {
      const { from, to } = limitChange('memory');
      return to < from ? to : undefined;
    },
    async widen(resource) {
      for (const { values, from, to } of [limitChange(resource), ...requestChange(resource)])
        if (to > from) await set(resource, values);
    },
    async narrow(resource) {
      for (const { values, from, to } of [...requestChange(resource), limitChange(resource)])
        if (to < from) await set(resource, values);
    },
  };
}

async function rollBack(run: SyncRun, before: PodCgroupValues, changed: Partial<PodCgroupValues>): Promise<void> {
  const { context, pod } = run;
  const keys = Object.keys(changed) as (keyof PodCgroupValues)[];
  const values = Object.fromEntries(keys.map((key) => [key, before[key]]));
  const outcomes = await Promise.allSettled([tellRuntime(run, before), context.podCgroups?.write(pod, values)]);
  for (const outcome of outcomes) {
    if (outcome.status === 'rejected') {
      const error = errorMessage(outcome.reason);
      context.logger.warn('cannot undo the change of a pod cgroup', { pod: formatPod(pod), error });
    }
  }
}

/** Lets a runtime that runs pods in machines of their own follow. One that has no such call has no need to. */
async function tellRuntime(
  { context: { runtime, settings }, pod, actions, signal }: SyncRun,
  { cpuShares, cpuQuotaUs, cpuPeriodUs, memoryLimitBytes }: PodCgroupValues,
): Promise<void> {
  const resources = create(LinuxContainerResourcesSchema, {
    cpuShares: BigInt(cpuShares),
    cpuQuota: BigInt(cpuQuotaUs),
    cpuPeriod: BigInt(cpuPeriodUs),
    memoryLimitInBytes: BigInt(Math.max(memoryLimitBytes, 0)),
  });
  try {
    await runtime.updatePodSandboxResources(
      { podSandboxId: actions.sandboxId, overhead: sandboxOverhead(pod, settings), resources },
      { signal },
    );
  } catch (error) {
    if (!isUnimplemented(error) && !/not implemented/i.test(errorMessage(error))) throw error;
  }
}

/** To compare limits: none is more than any. */
function bound(limit: number): number {
  return limit < 0 ? Infinity : limit;
}
