import type { RuntimeService } from '@rxlet/cri-api';

/** Says what memory is in use, in bytes, caches included: the kernel must be able to take away what lies above a new limit. */
export interface MemoryUsage {
  /** Of a container; undefined when it is not known. */
  container(containerId: string, signal?: AbortSignal): Promise<bigint | undefined>;
  /** Of a pod as a whole, by its sandbox; undefined when it is not known. */
  pod(sandboxId: string, signal?: AbortSignal): Promise<bigint | undefined>;
}

/** {@link MemoryUsage} as the runtime reports it. */
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
