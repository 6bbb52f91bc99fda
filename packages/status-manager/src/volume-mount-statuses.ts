import type { Container, VolumeMount, VolumeMountStatus } from '@rxlet/kube-api';

/** Returns the volume mount statuses of a container from its spec; `undefined` without mounts. */
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

/** Reports whether a mount is recursively read-only (KEP-3857), which excludes mount propagation. A container that requires both never starts. */
function wantsRecursiveReadOnly({ recursiveReadOnly, mountPropagation = 'None' }: VolumeMount): boolean {
  return mountPropagation === 'None' && (recursiveReadOnly === 'Enabled' || recursiveReadOnly === 'IfPossible');
}
