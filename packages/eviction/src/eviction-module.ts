import { admissionHandlers, type AgentModule, contribute, debugSections } from '@rxlet/agent-api';
import { imageReclaimer } from '@rxlet/agent-api/images';
import { reconfiguration, reconfigurations } from '@rxlet/agent-api/configuration';
import { nodeStatistics, nodeStatusSetters } from '@rxlet/agent-api/node';
import { podUid } from '@rxlet/pod-model';
import { pressureCondition, pressureTypes } from '@rxlet/pod-model/eviction-thresholds';
import { hasRunningContainer } from '@rxlet/pod-model/runtime';
import { admitUnderPressure } from './admit-under-pressure.ts';
import type { EvictionSettings } from './eviction-state.ts';
import { createEvictionManager } from './eviction-manager.ts';
import { createPodEvictor } from './evict-pod.ts';
import { parseThresholds, type ThresholdConfiguration } from './parse-thresholds.ts';

/** Options of {@link eviction}. */
export interface EvictionOptions extends ThresholdConfiguration {
  /** Time for which a condition of pressure stays after it was last observed, in milliseconds. Default: five minutes. */
  readonly pressureTransitionPeriodMs?: number | undefined;
  /** Longest grace period of a pod that is evicted at a soft threshold, in seconds. Default: 0. */
  readonly maxPodGracePeriodSeconds?: number | undefined;
  /** Whether pods beyond a limit of local storage are evicted. Default: true. */
  readonly localStorageCapacityIsolation?: boolean | undefined;
  /**
   * Reports in logs and in the debug section what would be evicted, and does nothing else: no pod is killed or rejected, nothing is collected, and the node has no
   * condition of pressure. Default: false.
   */
  readonly evictionDryRun?: boolean | undefined;
}

/**
 * Creates the agent module that evicts pods from a node under pressure: it checks the node every ten seconds, and its memory up to every 200 ms near a hard threshold.
 * It owns the node's conditions of pressure and rejects pods meanwhile. Its set-up throws an EvictionValueError for a threshold that cannot be used.
 *
 * @example
 * ```ts
 * import { eviction } from '@rxlet/eviction';
 *
 * const module = eviction({ evictionHard: { 'memory.available': '250Mi', 'nodefs.available': '10%' } });
 * ```
 */
export function eviction(options: EvictionOptions = {}): AgentModule {
  return {
    name: 'eviction',
    needs: [nodeStatistics],
    uses: [imageReclaimer],
    setup({ services, core, clock, events, logger, metrics, node }) {
      const { evictionDryRun: isDryRun = false, localStorageCapacityIsolation } = options;
      const manager = createEvictionManager(
        {
          clock,
          logger,
          events,
          core,
          statistics: services.get(nodeStatistics),
          images: services.find(imageReclaimer),
          evictor: createPodEvictor({ clock, logger, events, metrics, killPod: core.killPod }),
        },
        {
          nodeName: node.name,
          isDryRun,
          settings: settingsOf(options),
        },
      );
      const conditions = () => (isDryRun ? [] : manager.conditions());
      return {
        contributions: [
          contribute(admissionHandlers, {
            name: 'eviction',
            // After a restart of the agent, a pod that runs is evicted if it is chosen, and never rejected.
            admit: (pod) =>
              hasRunningContainer(core.runtimePod(podUid(pod))) ? undefined : admitUnderPressure(pod, conditions()),
          }),
          contribute(nodeStatusSetters, {
            name: 'eviction',
            conditionTypes: pressureTypes,
            contribute: () => ({
              conditions: pressureTypes.map((type) => pressureCondition(type, conditions().includes(type))),
            }),
          }),
          contribute(
            reconfigurations,
            reconfiguration('eviction', (next: EvictionOptions) =>
              manager.configure(settingsOf({ ...next, localStorageCapacityIsolation })),
            ),
          ),
          contribute(debugSections, { name: 'eviction', inspect: manager.inspect }),
        ],
        start: () => manager.start(),
        [Symbol.asyncDispose]: () => manager[Symbol.asyncDispose](),
      };
    },
  };
}

const DEFAULT_TRANSITION_PERIOD_MS = 300_000;

/** @throws EvictionValueError for a threshold that cannot be used */
function settingsOf(options: EvictionOptions): EvictionSettings {
  return {
    thresholds: parseThresholds(options),
    pressureTransitionPeriodMs: options.pressureTransitionPeriodMs ?? DEFAULT_TRANSITION_PERIOD_MS,
    maxPodGracePeriodSeconds: options.maxPodGracePeriodSeconds ?? 0,
    localStorageCapacityIsolation: options.localStorageCapacityIsolation ?? true,
  };
}
