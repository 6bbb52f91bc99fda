import type { Lifetime, Logger } from '@rxlet/component-base';
import { follow } from '@rxlet/component-base/streams';
import { podUid } from '@rxlet/pod-model';
import type { PodConfig } from '@rxlet/pod-config';
import type { PodStartLatency, StatusManager } from '@rxlet/status-manager';

/** Ports of {@link measurePodStarts}. */
export interface MeasurePodStartsPorts {
  readonly startLatency: PodStartLatency;
  readonly config: Pick<PodConfig, 'updates$'>;
  readonly statusManager: Pick<StatusManager, 'published$' | 'forgotten$'>;
  readonly logger: Logger;
}

/** Feeds the measurement of pod starts (`kubelet_pod_start_sli_duration_seconds`). As in the kubelet, only pods of the API count. */
export function measurePodStarts(ports: MeasurePodStartsPorts, lifetime: Lifetime): void {
  const { startLatency, config, statusManager, logger } = ports;
  const task = 'measuring pod starts';
  const subscriptions = [
    follow(config.updates$, {
      task,
      logger,
      next({ op, source, pods }) {
        if (source !== 'api') return;
        // A pod that was removed before it had a status is not among the forgotten ones.
        if (op === 'REMOVE') pods.forEach((pod) => startLatency.forget(podUid(pod)));
        else pods.forEach(startLatency.observedOnWatch);
      },
    }),
    follow(statusManager.published$, {
      task,
      logger,
      next: ({ pod, status }) => startLatency.statusPublished(pod, status),
    }),
    follow(statusManager.forgotten$, { task, logger, next: ({ pod }) => startLatency.forget(podUid(pod)) }),
  ];
  lifetime.defer(() => subscriptions.forEach((subscription) => subscription.unsubscribe()));
}
