import type { Lifetime } from '@rxlet/component-base';
import type { PodConfig } from '@rxlet/pod-source';
import type { PodStartLatency, StatusManager } from '@rxlet/status-manager';

/** Tells the measure of pod starts (`kubelet_pod_start_sli_duration_seconds`) what it goes by. As in the kubelet only pods of an API count. */
export function measurePodStarts(
  latency: PodStartLatency,
  config: Pick<PodConfig, 'updates$'>,
  statusManager: Pick<StatusManager, 'published$' | 'forgotten$'>,
  lifetime: Lifetime,
): void {
  const subscriptions = [
    config.updates$.subscribe(({ op, source, pods }) => {
      if (source === 'api' && op !== 'REMOVE') pods.forEach(latency.observedOnWatch);
    }),
    statusManager.published$.subscribe(({ pod, status }) => latency.statusPublished(pod, status)),
    statusManager.forgotten$.subscribe(({ pod }) => latency.forget(pod.metadata?.uid ?? '')),
  ];
  lifetime.defer(() => subscriptions.forEach((subscription) => subscription.unsubscribe()));
}
