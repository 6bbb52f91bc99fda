import type { LinuxContainerResources } from '@rxlet/cri-api';
import type { DockerHostConfig } from '../engine/docker-types.ts';

/** Returns Docker's resources; fields that are not set are left out, so that an update keeps them. */
export function dockerResources(resources: LinuxContainerResources | undefined): DockerHostConfig {
  if (resources === undefined) return {};
  const { cpuPeriod, cpuQuota, cpuShares, memoryLimitInBytes, memorySwapLimitInBytes } = resources;
  const { cpusetCpus, cpusetMems } = resources;
  // Without a limit of its own, swap would be as large as memory again.
  const swap = memorySwapLimitInBytes !== 0n ? memorySwapLimitInBytes : memoryLimitInBytes;
  return {
    ...(cpuPeriod !== 0n && { CpuPeriod: Number(cpuPeriod) }),
    ...(cpuQuota !== 0n && { CpuQuota: Number(cpuQuota) }),
    ...(cpuShares !== 0n && { CpuShares: Number(cpuShares) }),
    ...(memoryLimitInBytes !== 0n && { Memory: Number(memoryLimitInBytes), MemorySwap: Number(swap) }),
    ...(cpusetCpus !== '' && { CpusetCpus: cpusetCpus }),
    ...(cpusetMems !== '' && { CpusetMems: cpusetMems }),
  };
}

/** Returns the resources that Docker cannot set; the cgroup of the pod may still limit them. */
export function resourcesWithoutEffect(resources: LinuxContainerResources | undefined): readonly string[] {
  if (resources === undefined) return [];
  const hugePages = resources.hugepageLimits.filter(({ limit }) => limit > 0n);
  return [
    ...hugePages.map(({ pageSize }) => `huge pages of ${pageSize}`),
    ...Object.keys(resources.unified).map((file) => `cgroup v2 ${file}`),
  ];
}

/** Returns the parent cgroup in the form of Docker's driver: systemd takes the name of a slice, cgroupfs a path. */
export function dockerCgroupParent(cgroupParent: string, driver: string): DockerHostConfig {
  if (cgroupParent === '') return {};
  return { CgroupParent: driver === 'systemd' ? cgroupParent.split('/').at(-1)! : cgroupParent };
}
