import type { AgentCore } from '@rxlet/agent-api';
import { type Clock, errorMessage, type Logger, toRfc3339 } from '@rxlet/component-base';
import type { EventRecorder } from '@rxlet/component-base/events';
import type { Metrics } from '@rxlet/component-base/metrics';
import { formatPod, podEventObject } from '@rxlet/pod-model';
import { evictedStatus } from './evicted-status.ts';
import { EVICTED, type Eviction } from './evictions.ts';

/** Ports of {@link createPodEvictor}. */
export interface PodEvictorPorts extends Pick<AgentCore, 'killPod'> {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly events: EventRecorder;
  readonly metrics: Metrics;
}

/** Carries out evictions. */
export interface PodEvictor {
  /**
   * Records the event of an eviction and kills the pod. Resolves when none of its containers runs, or when that has taken too long: the pod is then still being
   * terminated. Never rejects.
   *
   * @param measuredMs time of the statistics behind the eviction; `undefined` when it is not known
   */
  evict(eviction: Eviction, measuredMs: number | undefined, signal: AbortSignal): Promise<void>;
}

/** Creates a {@link PodEvictor}. */
export function createPodEvictor({ clock, logger, events, metrics, killPod }: PodEvictorPorts): PodEvictor {
  const evictions = metrics.counter({
    name: 'kubelet_evictions',
    help: '[ALPHA] Cumulative number of pod evictions by eviction signal',
    labelNames: ['eviction_signal'],
  });
  const statsAge = metrics.histogram({
    name: 'kubelet_eviction_stats_age_seconds',
    help: '[ALPHA] Time between when stats are collected, and when pod is evicted based on those stats by eviction signal',
    labelNames: ['eviction_signal'],
    buckets: SECONDS_BUCKETS,
  });
  return {
    async evict(eviction, measuredMs, signal) {
      const { pod, cause, message, annotations, explanation, gracePeriodSeconds } = eviction;
      const condition = eviction.condition && {
        ...eviction.condition,
        lastTransitionTime: toRfc3339(clock.now()),
      };
      evictions.inc({ eviction_signal: cause });
      if (measuredMs) statsAge.observe((clock.now() - measuredMs) / 1000, { eviction_signal: cause });
      events.event(podEventObject(pod), 'Warning', EVICTED, message, annotations);
      logger.warn('pod is evicted', { pod: formatPod(pod), cause, explanation, gracePeriodSeconds });
      try {
        await killPod(
          pod,
          {
            reason: 'evicted',
            gracePeriodSeconds,
            amendStatus: (status) => evictedStatus({ ...pod, status }, { message, ...(condition && { condition }) }),
          },
          signal,
        );
      } catch (error) {
        if (signal.aborted) return;
        logger.error('cannot evict a pod in time', { pod: formatPod(pod), error: errorMessage(error) });
      }
    },
  };
}

/** The default buckets of Prometheus' client for Go, in seconds. */
const SECONDS_BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
