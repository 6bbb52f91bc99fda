import type { Container, EphemeralContainer, Pod } from '@rxlet/kube-api';
import { findPodContainer } from '@rxlet/pod-model';
import type { KillReason } from '../compute/pod-actions.ts';

/** The shortest time a container gets to stop, in seconds, whatever anybody asks for. */
export const MINIMUM_GRACE_SECONDS = 2;

/** The time that a container of a pod gets to stop, in seconds: the deletion's, else that of the probe that failed, else the pod's. */
export function gracePeriodSeconds(pod: Pod, containerName: string, reason: KillReason): number {
  const ofDeletion = pod.metadata?.deletionGracePeriodSeconds;
  if (ofDeletion !== undefined) return ofDeletion;
  const ofPod = pod.spec?.terminationGracePeriodSeconds;
  if (ofPod === undefined) return MINIMUM_GRACE_SECONDS;
  return probeGracePeriod(findPodContainer(pod, containerName)?.container, reason) ?? ofPod;
}

function probeGracePeriod(
  container: Container | EphemeralContainer | undefined,
  reason: KillReason,
): number | undefined {
  switch (reason) {
    case 'LivenessProbe':
      return container?.livenessProbe?.terminationGracePeriodSeconds;
    case 'StartupProbe':
      return container?.startupProbe?.terminationGracePeriodSeconds;
    default:
      return undefined;
  }
}
