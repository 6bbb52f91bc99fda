import { cgroupOfProcess, ProcessCgroupError } from '@rxlet/machine';
import type { KernelFiles } from '../cgroup/kernel-files.ts';

/** Cgroups of the node's own processes, as absolute paths. */
export interface SystemCgroups {
  /** Cgroup of the agent (KubeletConfiguration `kubeletCgroups`). Default: the one in which it runs. */
  readonly kubelet?: string | undefined;
  /** Cgroup of the container runtime (the kubelet's flag `--runtime-cgroups`). Default: not measured. */
  readonly runtime?: string | undefined;
  /** Cgroup of other processes (KubeletConfiguration `systemCgroups`). Default: not measured. */
  readonly misc?: string | undefined;
}

/** Returns the paths of the system's cgroups. An agent whose CPU and memory are in different cgroups has none. */
export function systemCgroupPaths(
  kernelFiles: Pick<KernelFiles, 'read'>,
  { kubelet, runtime, misc }: SystemCgroups = {},
): SystemCgroups {
  return {
    kubelet: absolute(kubelet) ?? ownCgroup(kernelFiles),
    runtime: absolute(runtime),
    misc: absolute(misc),
  };
}

function ownCgroup(kernelFiles: Pick<KernelFiles, 'read'>): string | undefined {
  try {
    return cgroupOfProcess(kernelFiles.read('/proc/self/cgroup') ?? '');
  } catch (error) {
    if (error instanceof ProcessCgroupError) return undefined;
    throw error;
  }
}

function absolute(path: string | undefined): string | undefined {
  return path === undefined || path.startsWith('/') ? path : `/${path}`;
}
