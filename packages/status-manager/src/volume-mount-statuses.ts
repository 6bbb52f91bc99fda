import type { Container, VolumeMount, VolumeMountStatus } from '@rxlet/kube-api';

/** How a container's volumes are mounted, from its spec; undefined without any. */
export function volumeMountStatuses(
  container: Pick<Container, 'volumeMounts'>,
  recursiveReadOnlySupported: boolean,
): readonly VolumeMountStatus[] | undefined {
  if (container.volumeMounts === undefined || container.volumeMounts.length === 0) return undefined;
  return container.volumeMounts.map((mount) => {
    const status: VolumeMountStatus = { name: mount.name, mountPath: mount.mountPath };
    if (mount.readOnly !== true) return status;
    const recursive = recursiveReadOnlySupported && wantsRecursiveReadOnly(mount);
    return { ...status, readOnly: true, recursiveReadOnly: recursive ? 'Enabled' : 'Disabled' };
  });
}

/** KEP-3857. It does not go with mounts that propagate; a container that demands it all the same never starts. */
function wantsRecursiveReadOnly({ recursiveReadOnly, mountPropagation = 'None' }: VolumeMount): boolean {
  return mountPropagation === 'None' && (recursiveReadOnly === 'Enabled' || recursiveReadOnly === 'IfPossible');
}
