import type { Pod } from '@rxlet/kube-api';
import { podContainers } from '@rxlet/pod-model';

/** Returns the user that all containers of a pod run as, the owner of its credentials; `undefined` when one sets none or they differ (kubelet: FsUserFrom). */
export function fsUserOf(pod: Pod): number | undefined {
  const ofPod = pod.spec?.securityContext?.runAsUser;
  const users = new Set(podContainers(pod).map(({ container }) => container.securityContext?.runAsUser ?? ofPod));
  return users.size === 1 ? [...users][0] : undefined;
}
