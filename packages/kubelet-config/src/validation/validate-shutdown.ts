import type { FeatureGates, KubeletConfiguration } from '@rxlet/component-base/kubelet-configuration';
import type { ProblemReport } from './problem-report.ts';

/** Validates the grace periods of a shutdown of the node. */
export function validateShutdown(
  configuration: KubeletConfiguration,
  gates: FeatureGates,
  report: ProblemReport,
): void {
  const { shutdownGracePeriod: all = 0, shutdownGracePeriodCriticalPods: critical = 0 } = configuration;
  const byPriority = configuration.shutdownGracePeriodByPodPriority ?? [];
  if (gates.isEnabled('GracefulNodeShutdown')) {
    if (critical > all)
      report(
        ['shutdownGracePeriod', 'shutdownGracePeriodCriticalPods'],
        'shutdownGracePeriodCriticalPods must not be longer than shutdownGracePeriod',
      );
    for (const [field, value] of [
      ['shutdownGracePeriod', all],
      ['shutdownGracePeriodCriticalPods', critical],
    ] as const)
      if (value < 0 || (value > 0 && value < 1000)) report([field], `${field} must be either zero or at least 1s`);
  } else if (all > 0 || critical > 0) {
    report(
      ['shutdownGracePeriod', 'shutdownGracePeriodCriticalPods'],
      'shutdownGracePeriod and shutdownGracePeriodCriticalPods require feature gate GracefulNodeShutdown',
    );
  }
  if (byPriority.length === 0) return;
  if (!gates.isEnabled('GracefulNodeShutdownBasedOnPodPriority'))
    report(
      ['shutdownGracePeriodByPodPriority'],
      'shutdownGracePeriodByPodPriority requires feature gate GracefulNodeShutdownBasedOnPodPriority',
    );
  else if (all > 0 || critical > 0)
    report(
      ['shutdownGracePeriod', 'shutdownGracePeriodByPodPriority'],
      'shutdownGracePeriodByPodPriority and shutdownGracePeriod exclude each other',
    );
}
