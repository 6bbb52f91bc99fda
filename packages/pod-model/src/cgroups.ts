export { milliCpuToQuota, milliCpuToShares, quotaToMilliCpu, sharesToMilliCpu } from './linux-resources.ts';
export {
  type CgroupDriver,
  type CgroupName,
  cgroupPath,
  podCgroupName,
  podsCgroupName,
  qosCgroupName,
} from './pod-cgroup-name.ts';
export { podCgroupResources, type PodCgroupOptions, type PodCgroupResources } from './pod-cgroup-resources.ts';
export { oomScoreAdj } from './qos.ts';
