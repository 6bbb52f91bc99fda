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
  for (const mounts of mountsOf(pod)) {
    for (const path of mounts.pathsByVolume.get(volumeName) ?? []) {
      if (path.startsWith('../')) throw new Error(`invalid container mount point ${path}`);
      for (const below of mounts.nested.get(path) ?? []) found.add(below.slice(path.length + 1));
    }
  }
  return [...found];
}

/** Mount paths of a container. */
interface ContainerMounts {
  readonly pathsByVolume: ReadonlyMap<string, ReadonlySet<string>>;
  /** Mount paths by the nearest mount path above them, in order. */
  readonly nested: ReadonlyMap<string, readonly string[]>;
}

/** Mounts of the containers by pod: a pod may have thousands of them, and as many volumes that need them. */
const mountsByPod = new WeakMap<Pod, readonly ContainerMounts[]>();

function mountsOf(pod: Pod): readonly ContainerMounts[] {
  const known = mountsByPod.get(pod);
  if (known !== undefined) return known;
  const mounts = podContainers(pod).map(({ container }) => {
    const pathsByVolume = new Map<string, Set<string>>();
    for (const { name, mountPath } of container.volumeMounts ?? []) {
      const paths = pathsByVolume.get(name) ?? new Set();
      pathsByVolume.set(name, paths.add(cleanPath(mountPath)));
    }
    return { pathsByVolume, nested: nestedPaths([...pathsByVolume.values()].flatMap((paths) => [...paths])) };
  });
  mountsByPod.set(pod, mounts);
  return mounts;
}

function nestedPaths(paths: readonly string[]): ReadonlyMap<string, readonly string[]> {
  // A path comes directly before all paths below it when the slash is the first of all characters.
  const sorted = paths.map((path) => ({ path, key: path.replaceAll('/', '\0') }));
  sorted.sort((one, other) => (one.key < other.key ? -1 : Number(one.key > other.key)));
  const nested = new Map<string, string[]>();
  const above: string[] = [];
  for (const { path } of sorted) {
    while (above.length > 0 && !path.startsWith(`${above.at(-1)!}/`)) above.pop();
    const nearest = above.at(-1);
    if (nearest !== undefined) {
      const below = nested.get(nearest) ?? [];
      below.push(path);
      nested.set(nearest, below);
    }
    above.push(path);
  }
  for (const below of nested.values()) below.sort();
  return nested;
}
