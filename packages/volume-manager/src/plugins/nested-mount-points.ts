import type { Pod } from '@rxlet/kube-api';
import { podContainers } from '@rxlet/pod-model';
import { cleanPath } from '../payload/downward-api-payload.ts';

/**
 * Returns the directories that a volume needs for other volumes that containers mount below it, relative to the volume. Containers cannot create them in a
 * read-only volume. Those of volumes that are nested twice belong to the volume in between.
 *
 * @throws Error for a mount path above the container's root
 */
export function nestedMountPoints(pod: Pod, volumeName: string): readonly string[] {
  const found = new Set<string>();
  for (const { container } of podContainers(pod)) {
    const mounts = (container.volumeMounts ?? []).map(({ name, mountPath }) => ({ name, path: cleanPath(mountPath) }));
    const all = mounts.map(({ path }) => path).toSorted();
    for (const { path } of mounts.filter(({ name }) => name === volumeName)) {
      if (path.startsWith('../')) throw new Error(`invalid container mount point ${path}`);
      const outermost: string[] = [];
      for (const other of all) {
        if (!other.startsWith(`${path}/`) || outermost.some((above) => other.startsWith(`${above}/`))) continue;
        outermost.push(other);
        found.add(other.slice(path.length + 1));
      }
    }
  }
  return [...found];
}
