import type { PodSpec } from '@rxlet/kube-api';
import { podQosClass } from '@rxlet/pod-model';
import { cgroupPath, podCgroupName, podCgroupResources } from '@rxlet/pod-model/cgroups';
import type { Answer } from '../vector-kind.ts';

interface CgroupsVector {
  readonly input: {
    readonly uid: string;
    readonly spec: PodSpec;
    readonly enforceCPULimits: boolean;
    readonly cpuPeriodUs: number;
  };
  readonly want: {
    readonly qosClass: string;
    readonly cgroupfs: string;
    readonly systemd: string;
    readonly cpuShares: number | null;
    readonly cpuQuota: number | null;
    readonly cpuPeriod: number | null;
    readonly memory: number | null;
    /** Limits in bytes by page size in bytes. */
    readonly hugepages: Readonly<Record<string, number>> | null;
  };
}

/** Returns a pod's cgroup, and its limits as a whole. */
export function run({ input, want }: CgroupsVector): Answer {
  const pod = { metadata: { uid: input.uid }, spec: input.spec };
  const name = podCgroupName(pod);
  const resources = podCgroupResources(pod, {
    enforceCpuLimits: input.enforceCPULimits,
    cpuPeriodUs: input.cpuPeriodUs,
  });
  const got: CgroupsVector['want'] = {
    qosClass: podQosClass(pod),
    cgroupfs: cgroupPath(name, 'cgroupfs'),
    systemd: cgroupPath(name, 'systemd'),
    cpuShares: resources.cpuShares,
    cpuQuota: resources.cpuQuotaUs ?? null,
    cpuPeriod: resources.cpuPeriodUs ?? null,
    memory: resources.memoryLimitBytes ?? null,
    hugepages: resources.hugePageLimits,
  };
  return { got, want };
}
