import type { RuntimeService } from '@rxlet/cri-api';

/** Reports the memory in use, in bytes, including caches: the kernel must be able to reclaim the part above a new limit. */
export interface MemoryUsage {
  /** Returns the memory in use by a container; `undefined` when it is unknown. */
  container(containerId: string, signal?: AbortSignal): Promise<bigint | undefined>;
  /** Returns the memory in use by the whole pod of a sandbox; `undefined` when it is unknown. */
  pod(sandboxId: string, signal?: AbortSignal): Promise<bigint | undefined>;
}

/** Creates a {@link MemoryUsage} that reads the runtime's statistics. */
export function runtimeMemoryUsage(runtime: RuntimeService): MemoryUsage {
  return {
    async container(containerId, signal) {
      const { stats } = await runtime.containerStats({ containerId }, { signal });
      return stats?.memory?.usageBytes?.value;
    },
    async pod(podSandboxId, signal) {
      const { stats } = await runtime.podSandboxStats({ podSandboxId }, { signal });
      return stats?.linux?.memory?.usageBytes?.value;
    },
  };
}
