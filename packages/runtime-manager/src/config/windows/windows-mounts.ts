import { create } from '@bufbuild/protobuf';
import { type Mount, MountPropagation, MountSchema } from '@rxlet/cri-api';
import type { Pod } from '@rxlet/kube-api';
import { podContainers } from '@rxlet/pod-model';
import { WINDOWS_HOSTS_FILE, windowsContainerPath, windowsHostPath } from './windows-paths.ts';
import { windowsOptions } from './windows-security.ts';

/** Returns a mount of a container on Windows: with paths of Windows, and private, because mounts do not propagate there. */
export function windowsMount(mount: Mount): Mount {
  return {
    ...mount,
    hostPath: windowsHostPath(mount.hostPath),
    containerPath: windowsContainerPath(mount.containerPath),
    propagation: MountPropagation.PROPAGATION_PRIVATE,
  };
}

/** Returns the mount of the hosts file of a pod; `undefined` for a pod with a HostProcess container, which uses that of the node. */
export function windowsHostsMount(pod: Pod, hostPath: string): Mount | undefined {
  if (podContainers(pod).some(({ container }) => windowsOptions(pod, container).hostProcess === true)) return undefined;
  return windowsMount(create(MountSchema, { hostPath, containerPath: WINDOWS_HOSTS_FILE }));
}
