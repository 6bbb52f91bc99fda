import type { Pod } from '@rxlet/kube-api';
import { podQosClass, type QosClass } from './qos.ts';
import { podUid } from './pod-names.ts';

/** Creator of the containers' cgroups: the runtime in the cgroup file system, or systemd as slices (KubeletConfiguration `cgroupDriver`). */
export type CgroupDriver = 'cgroupfs' | 'systemd';

/** Name of a cgroup, independent of the driver: the path from the kubelet's cgroup root. Empty for the root. */
export type CgroupName = readonly string[];

/** Name of the cgroup of all pods, which is limited to the node's allocatable resources. */
export const podsCgroupName: CgroupName = ['kubepods'];

/** Returns the name of the parent cgroup of a QoS class's pods. Guaranteed pods are in the cgroup of all pods. */
export function qosCgroupName(qosClass: QosClass): CgroupName {
  return qosClass === 'Guaranteed' ? podsCgroupName : [...podsCgroupName, qosClass.toLowerCase()];
}

/** Returns the name of a pod's cgroup, below its QoS class (KubeletConfiguration `cgroupsPerQOS: true`). */
export function podCgroupName(pod: Pod): CgroupName {
  return [...qosCgroupName(podQosClass(pod)), `pod${podUid(pod)}`];
}

/**
 * Returns the path of a cgroup below the cgroup root in the notation of a driver; `/` for the root. The name of a systemd slice contains the names of its
 * parents, joined by dashes; dashes in names become underscores.
 *
 * `cgroup_parent` of a CRI sandbox is this path for cgroupfs, and only its last part, the slice, for systemd.
 *
 * @throws RangeError for a name that is empty, has a slash in it, or refers to a parent, because it would lead to another cgroup
 */
export function cgroupPath(name: CgroupName, driver: CgroupDriver): string {
  for (const part of name) {
    if (part === '' || part === '.' || part === '..' || /[/\0]/.test(part)) {
      throw new RangeError(`invalid cgroup name ${JSON.stringify(part)}`);
    }
  }
  const parts = driver === 'cgroupfs' ? name : name.map((_, index) => sliceName(name.slice(0, index + 1)));
  return `/${parts.join('/')}`;
}

function sliceName(name: CgroupName): string {
  return `${name.map((part) => part.replaceAll('-', '_')).join('-')}.slice`;
}
