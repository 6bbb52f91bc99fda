import type { Pod } from '@rxlet/kube-api';
import { podQosClass, type QosClass } from './qos.ts';

/** Who makes the cgroups of containers: the runtime itself, in the cgroup file system, or systemd, as slices (KubeletConfiguration `cgroupDriver`). */
export type CgroupDriver = 'cgroupfs' | 'systemd';

/** The name of a cgroup whatever the driver: the names on the way to it from the kubelet's cgroup root. Empty for the root itself. */
export type CgroupName = readonly string[];

/** The cgroup that all pods of the node are in; what it may use is what is allocatable to pods. */
export const podsCgroupName: CgroupName = ['kubepods'];

/** The cgroup of the pods of a QoS class. Guaranteed pods are in the one of all pods. */
export function qosCgroupName(qosClass: QosClass): CgroupName {
  return qosClass === 'Guaranteed' ? podsCgroupName : [...podsCgroupName, qosClass.toLowerCase()];
}

/** The cgroup of a pod: below its QoS class, as with the KubeletConfiguration's default `cgroupsPerQOS: true`. */
export function podCgroupName(pod: Pod): CgroupName {
  return [...qosCgroupName(podQosClass(pod)), `pod${pod.metadata?.uid ?? ''}`];
}

/**
 * The path of a cgroup below the cgroup root, in the notation of a driver; `/` for the root. A slice of systemd carries the names of all slices above
 * it, joined by dashes, so that dashes in a name turn into underscores.
 *
 * The runtime is handed the path itself (`cgroup_parent` of a CRI sandbox) for cgroupfs, and only its last part, the slice, for systemd.
 *
 * @throws RangeError for a name that would lead to another cgroup: one that is empty, has a slash in it, or leads upwards.
 */
export function cgroupPath(name: CgroupName, driver: CgroupDriver): string {
  for (const part of name) {
    if (part === '' || part === '.' || part === '..' || /[/\0]/.test(part)) {
      throw new RangeError(`${JSON.stringify(part)} is no name of a cgroup`);
    }
  }
  const parts = driver === 'cgroupfs' ? name : name.map((_, index) => sliceName(name.slice(0, index + 1)));
  return `/${parts.join('/')}`;
}

function sliceName(name: CgroupName): string {
  return `${name.map((part) => part.replaceAll('-', '_')).join('-')}.slice`;
}
