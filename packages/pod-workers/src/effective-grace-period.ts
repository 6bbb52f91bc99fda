import type { Pod } from '@rxlet/kube-api';

/**
 * Returns the grace period of a pod, in seconds: the shortest of `current`, the pod's deletionGracePeriodSeconds and the request's `override`; without any
 * of them the spec's; at least 1. So it never grows (kubelet: calculateEffectiveGracePeriod).
 */
export function effectiveGracePeriodSeconds(
  pod: Pod | undefined,
  current: number | undefined,
  override: number | undefined,
): number {
  const given = [current, pod?.metadata?.deletionGracePeriodSeconds, override].filter(
    (seconds) => seconds !== undefined,
  );
  const seconds = given.length > 0 ? Math.min(...given) : (pod?.spec?.terminationGracePeriodSeconds ?? 1);
  return Math.max(1, seconds);
}
