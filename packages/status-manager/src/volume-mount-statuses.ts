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
    const recursiveReadOnly = recursiveReadOnlyMode(mount, recursiveReadOnlySupported);
    return { ...status, readOnly: true, ...(recursiveReadOnly !== undefined && { recursiveReadOnly }) };
  });
}

/** KEP-3857. Undefined for a mount that demands what the runtime cannot do: its container never starts. */
function recursiveReadOnlyMode(mount: VolumeMount, supported: boolean): 'Enabled' | 'Disabled' | undefined {
  switch (mount.recursiveReadOnly) {
    case 'Enabled':
      return supported ? 'Enabled' : undefined;
    case 'IfPossible':
      return supported ? 'Enabled' : 'Disabled';
    default:
      return 'Disabled';
  }
}
