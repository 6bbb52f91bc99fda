import type { Pod } from '@rxlet/kube-api';

/**
 * The grace period that applies to a pod, in seconds: of `current`, the pod's deletionGracePeriodSeconds and the request's `override`, the shortest;
 * without any of them it is the spec's; at least 1 (kubelet: pod workers, effective grace period). So it never grows.
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
