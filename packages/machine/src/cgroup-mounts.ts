import { decodeMountField } from './mount-field.ts';

/** Mounted cgroup file systems of a node. */
export interface CgroupMounts {
  /** Mount points of cgroup v1 by controller; one hierarchy may have several controllers. A named hierarchy has the key `name=<name>`. */
  readonly hierarchies: ReadonlyMap<string, string>;
  /** Mount point of cgroup v2. */
  readonly unified: string | undefined;
}

const CONTROLLER =
  /^(?:blkio|cpu|cpuacct|cpuset|devices|freezer|hugetlb|memory|misc|net_cls|net_prio|perf_event|pids|rdma|name=.+)$/;

/** Parses `/proc/self/mounts`. Only mounts of a whole hierarchy count, and of several the first. */
export function parseCgroupMounts(mounts: string): CgroupMounts {
  const hierarchies = new Map<string, string>();
  let unified: string | undefined;
  for (const line of mounts.split('\n')) {
    const [, target, type, options] = line.split(' ');
    if (target === undefined || options === undefined) continue;
    const path = decodeMountField(target);
    if (type === 'cgroup2') unified ??= path;
    if (type !== 'cgroup') continue;
    for (const option of options.split(',')) {
      if (CONTROLLER.test(option) && !hierarchies.has(option)) hierarchies.set(option, path);
    }
  }
  return { hierarchies, unified };
}
