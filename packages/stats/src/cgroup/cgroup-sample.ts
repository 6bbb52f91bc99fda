import type { PsiStats } from '../summary/summary-types.ts';
import type { DevicesByNumber } from './block-devices.ts';

/** A cgroup at one moment. Parts whose controller is missing are absent. */
export interface CgroupSample {
  /** Path from the root of the cgroup file system; `/` for the root. */
  readonly path: string;
  readonly timeMs: number;
  readonly cpu: CpuSample | undefined;
  readonly memory: MemorySample | undefined;
}

/** CPU time of a cgroup. */
export interface CpuSample {
  readonly usageNanoseconds: number;
  readonly userNanoseconds: number;
  readonly systemNanoseconds: number;
  readonly throttling: CpuThrottling;
  readonly psi: PsiStats | undefined;
}

/** Effect of the CPU quota. */
export interface CpuThrottling {
  readonly periods: number;
  readonly throttledPeriods: number;
  readonly throttledNanoseconds: number;
  readonly burstPeriods: number;
  readonly burstNanoseconds: number;
}

/** Memory of a cgroup, in bytes. */
export interface MemorySample {
  readonly usageBytes: number;
  readonly cacheBytes: number;
  readonly rssBytes: number;
  readonly swapBytes: number;
  readonly mappedFileBytes: number;
  readonly activeFileBytes: number;
  readonly inactiveFileBytes: number;
  readonly pageFaults: number;
  readonly majorPageFaults: number;
  /** `undefined` for none. */
  readonly limitBytes: number | undefined;
  /** Limit of memory and swap together with cgroup v1, of swap with cgroup v2; `undefined` for none. */
  readonly swapLimitBytes: number | undefined;
  readonly psi: PsiStats | undefined;
}

/** Further facts about a cgroup, which only the detailed metrics have. */
export interface CgroupDetails {
  readonly createdMs: number;
  readonly cpuShares: number;
  /** `undefined` for none. */
  readonly cpuQuotaUs: number | undefined;
  readonly cpuPeriodUs: number;
  readonly memoryMaxUsageBytes: number;
  readonly memoryFailures: number;
  readonly memoryReservationBytes: number | undefined;
  readonly kernelMemoryBytes: number;
  readonly outOfMemoryKills: number;
  readonly threads: number;
  /** `undefined` for none. */
  readonly threadsMax: number | undefined;
  readonly devices: DevicesByNumber;
}

/** Returns the memory that the kernel cannot easily reclaim (cAdvisor: working set). */
export function workingSetBytes({ usageBytes, inactiveFileBytes }: MemorySample): number {
  return Math.max(0, usageBytes - inactiveFileBytes);
}

/** Port to the cgroups of a node. */
export interface CgroupReader {
  /** Reads CPU, memory and pressure; `undefined` when the cgroup does not exist. */
  sample(path: string, nowMs: number): CgroupSample | undefined;
  details(path: string): CgroupDetails;
  /** Returns when the cgroup was created, in milliseconds since the epoch; 0 when it is not known. */
  createdMs(path: string): number;
  /** Returns the pressure of I/O; `undefined` when the kernel has none. */
  ioPressure(path: string): PsiStats | undefined;
  /** Reports whether block I/O is accounted. */
  readonly hasIo: boolean;
  /** Returns the processes of a cgroup, without those of nested ones. */
  processes(path: string): readonly number[];
  /** Returns the paths of the cgroups directly in a cgroup. */
  children(path: string): Promise<readonly string[]>;
}
