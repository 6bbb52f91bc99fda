import type { CgroupDriver, CgroupName } from '@rxlet/pod-model/cgroups';

/**
 * Parses the path of a cgroup as administrators write it: a path for cgroupfs, the path of a slice for systemd (`/kube.slice/kube-reserved.slice`, or only its last
 * part).
 */
export function parseCgroupName(path: string, driver: CgroupDriver): CgroupName {
  const parts = path.split('/').filter((part) => part !== '');
  const slice = parts.at(-1);
  if (driver === 'cgroupfs' || slice === undefined) return parts;
  return slice
    .replace(/\.slice$/, '')
    .split('-')
    .map((part) => part.replaceAll('_', '-'));
}
