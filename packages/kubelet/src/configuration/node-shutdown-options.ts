import type { LoadedConfiguration } from '@rxlet/kubelet-config';
import { type NodeShutdownModuleOptions, shutdownGroups } from '@rxlet/node-shutdown';

/** Returns the options of the module `nodeShutdown`; `undefined` without a grace period, and when its feature gate is off. */
export function toNodeShutdown({
  configuration,
  gates,
}: Pick<LoadedConfiguration, 'configuration' | 'gates'>): NodeShutdownModuleOptions | undefined {
  if (!gates.isEnabled('GracefulNodeShutdown')) return undefined;
  const { shutdownGracePeriod, shutdownGracePeriodCriticalPods, shutdownGracePeriodByPodPriority = [] } = configuration;
  const options = {
    allPodsMs: shutdownGracePeriod,
    criticalPodsMs: shutdownGracePeriodCriticalPods,
    byPodPriority: gates.isEnabled('GracefulNodeShutdownBasedOnPodPriority')
      ? shutdownGracePeriodByPodPriority.map(({ priority = 0, shutdownGracePeriodSeconds = 0 }) => ({
          priority,
          gracePeriodSeconds: shutdownGracePeriodSeconds,
        }))
      : [],
  };
  return shutdownGroups(options).length === 0 ? undefined : options;
}
