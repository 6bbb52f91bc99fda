import { create } from '@bufbuild/protobuf';
import type { PodCgroupValues } from '@rxlet/agent-api/node';
import { errorMessage } from '@rxlet/component-base';
import { isUnimplemented, LinuxContainerResourcesSchema } from '@rxlet/cri-api';
import { formatPod } from '@rxlet/pod-model';
import { podCgroupResources } from '@rxlet/pod-model/cgroups';
import type { ResizableResource } from '../compute/container-resize.ts';
import { hasUnlimitedCpu, sandboxOverhead } from '../config/linux-resources.ts';
import type { Context } from '../context.ts';
import type { SyncRun } from '../sync/sync-run.ts';

/** Cgroup of a pod during a resize. */
export interface PodCgroup {
  /** Returns the desired memory limit if it is lower than the current one. */
  lowerMemoryLimit(): number | undefined;
  /** Raises the values of a resource that increase, the limit first so that the request never exceeds it. */
  raise(resource: ResizableResource): Promise<void>;
  /** Lowers the values of a resource that decrease, the request first. */
  lower(resource: ResizableResource): Promise<void>;
}

/** Change of a limit or request: the values to write, and the amounts before and after. */
interface Change {
  readonly values: Partial<PodCgroupValues>;
  readonly from: number;
  readonly to: number;
}

/** Ports of {@link openPodCgroup}. */
export type PodCgroupPorts = Pick<Context, 'runtime' | 'podCgroups' | 'settings' | 'logger'>;

/**
 * Compares the cgroup of a pod with its desired resources. A limit is never removed, because the API forbids that.
 * @returns `undefined` when pods have no managed cgroups
 */
export async function openPodCgroup(run: SyncRun<PodCgroupPorts>): Promise<PodCgroup | undefined> {
  const { ports, pod, signal } = run;
  const { podCgroups, settings } = ports;
  if (podCgroups === undefined) return undefined;
  const desired = podCgroupResources(pod, {
    enforceCpuLimits: settings.cpuCfsQuota && !hasUnlimitedCpu(pod, settings),
    cpuPeriodUs: settings.cpuCfsQuotaPeriodUs,
  });
  const initial = await podCgroups.read(pod, signal);
  if (initial === undefined) return undefined;
  let current = initial;

  const limitChange = (resource: ResizableResource): Change => {
    if (resource === 'memory') {
      const { memoryLimitBytes = current.memoryLimitBytes } = desired;
      return { values: { memoryLimitBytes }, from: bound(current.memoryLimitBytes), to: bound(memoryLimitBytes) };
    }
    const { cpuQuotaUs = current.cpuQuotaUs, cpuPeriodUs = current.cpuPeriodUs } = desired;
    return { values: { cpuQuotaUs, cpuPeriodUs }, from: bound(current.cpuQuotaUs), to: bound(cpuQuotaUs) };
  };
  /** Returns the change of a request. A memory request has no value in a cgroup. */
  const requestChange = (resource: ResizableResource): Change[] => {
    const { cpuShares } = desired;
    return resource === 'cpu' ? [{ values: { cpuShares }, from: current.cpuShares, to: cpuShares }] : [];
  };

  const set = async (resource: ResizableResource, values: Partial<PodCgroupValues>): Promise<void> => {
    const before = current;
    const after = { ...before, ...values };
    await updateSandboxResources(run, after);
    try {
      await podCgroups.write(pod, values, signal);
      current = after;
    } catch (error) {
      // The runtime has received values that did not take effect, and some of several values may have been written.
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
    async raise(resource) {
      for (const { values, from, to } of [limitChange(resource), ...requestChange(resource)])
        if (to > from) await set(resource, values);
    },
    async lower(resource) {
      for (const { values, from, to } of [...requestChange(resource), limitChange(resource)])
        if (to < from) await set(resource, values);
    },
  };
}

async function rollBack(
  run: SyncRun<PodCgroupPorts>,
  before: PodCgroupValues,
  changed: Partial<PodCgroupValues>,
): Promise<void> {
  const { ports, pod } = run;
  const keys = Object.keys(changed) as (keyof PodCgroupValues)[];
  const values = Object.fromEntries(keys.map((key) => [key, before[key]]));
  const outcomes = await Promise.allSettled([
    updateSandboxResources(run, before),
    ports.podCgroups?.write(pod, values),
  ]);
  for (const outcome of outcomes) {
    if (outcome.status === 'rejected') {
      const error = errorMessage(outcome.reason);
      ports.logger.warn('cannot roll back the change of a pod cgroup', { pod: formatPod(pod), error });
    }
  }
}

/** Reports the values to the runtime, for runtimes that run pods in virtual machines. A runtime without the call is ignored. */
async function updateSandboxResources(
  { ports: { runtime, settings }, pod, actions, signal }: SyncRun<Pick<Context, 'runtime' | 'settings'>>,
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

/** Returns a limit for comparisons: no limit is higher than any limit. */
function bound(limit: number): number {
  return limit < 0 ? Infinity : limit;
}
