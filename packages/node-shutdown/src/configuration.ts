import type { ModuleConfiguration, NodeConfiguration } from '@rxlet/agent-api/configuration';
import { nodeShutdown, type NodeShutdownModuleOptions } from './node-shutdown-module.ts';
import { shutdownGroups } from './plan/shutdown-groups.ts';

/** Configuration of the module `nodeShutdown`. */
export const nodeShutdownConfiguration: ModuleConfiguration<NodeShutdownModuleOptions> = {
  name: 'node-shutdown',
  gates: ['GracefulNodeShutdown', 'GracefulNodeShutdownBasedOnPodPriority'],
  fields: ['shutdownGracePeriod', 'shutdownGracePeriodByPodPriority', 'shutdownGracePeriodCriticalPods'],
  options: toNodeShutdown,
  module: nodeShutdown,
};

/** Returns the options; `undefined` without a grace period, and when the feature gate is off. */
function toNodeShutdown({ configuration, gates }: NodeConfiguration): NodeShutdownModuleOptions | undefined {
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
