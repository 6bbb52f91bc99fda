import type { PodVolumes } from '@rxlet/agent-api/volumes';
import type { Pod } from '@rxlet/kube-api';
import { podUid } from '@rxlet/pod-model';

/** Returns the groups of a pod's mounted volumes that are not among its supplemental groups (kubelet: GetExtraSupplementalGroupsForPod). */
export function volumeGroups(pod: Pod, volumes: Pick<PodVolumes, 'mountedVolumes'> | undefined): readonly bigint[] {
  const own = new Set((pod.spec?.securityContext?.supplementalGroups ?? []).map(BigInt));
  const mounted = [...(volumes?.mountedVolumes(podUid(pod)).values() ?? [])];
  const groups = mounted.flatMap(({ group }) => (group === undefined || own.has(group) ? [] : group));
  return [...new Set(groups)];
}
