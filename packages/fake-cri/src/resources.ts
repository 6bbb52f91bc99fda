import { create } from '@bufbuild/protobuf';
import {
  type ContainerResources,
  ContainerResourcesSchema,
  type LinuxContainerResources,
  LinuxContainerResourcesSchema,
} from '@rxlet/cri-api';

/** Returns the resources of a container after an update. A field that the update leaves at zero or empty keeps its value, as in containerd. */
export function mergeResources(
  current: ContainerResources | undefined,
  update: LinuxContainerResources,
): ContainerResources {
  const before = current?.linux ?? create(LinuxContainerResourcesSchema);
  return create(ContainerResourcesSchema, {
    linux: create(LinuxContainerResourcesSchema, {
      cpuPeriod: update.cpuPeriod || before.cpuPeriod,
      cpuQuota: update.cpuQuota || before.cpuQuota,
      cpuShares: update.cpuShares || before.cpuShares,
      memoryLimitInBytes: update.memoryLimitInBytes || before.memoryLimitInBytes,
      oomScoreAdj: update.oomScoreAdj || before.oomScoreAdj,
      cpusetCpus: update.cpusetCpus || before.cpusetCpus,
      cpusetMems: update.cpusetMems || before.cpusetMems,
      hugepageLimits: update.hugepageLimits.length > 0 ? update.hugepageLimits : before.hugepageLimits,
      unified: { ...before.unified, ...update.unified },
      memorySwapLimitInBytes: update.memorySwapLimitInBytes || before.memorySwapLimitInBytes,
    }),
  });
}
