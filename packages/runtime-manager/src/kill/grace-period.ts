import type { Container, EphemeralContainer, Pod } from '@rxlet/kube-api';
import { findPodContainer } from '@rxlet/pod-model';
import type { KillReason } from '../compute/pod-actions.ts';

/** Minimum grace period of a container, in seconds. It overrides shorter periods. */
export const MINIMUM_GRACE_SECONDS = 2;

/** Returns the grace period of a container, in seconds: that of the pod's deletion, else of the failed probe, else of the pod's spec. */
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
