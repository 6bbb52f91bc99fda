import type { Metrics } from '@rxlet/component-base';
import type { Pod } from '@rxlet/kube-api';
import { isStaticPod } from '@rxlet/pod-model';

/** Tells the metrics how many pods there are. */
export type PodCounts = (pods: {
  /** All that the sources want. */
  readonly desired: readonly Pod[];
  /** Those of them that need something of the node, now or soon. */
  readonly active: readonly Pod[];
  /** Static pods that have a mirror. */
  readonly mirrors: number;
}) => void;

/** Creates {@link PodCounts}, in the kubelet's metrics, which are told by whether a pod is static. */
export function createPodCounts(metrics: Metrics): PodCounts {
  const labelNames = ['static'];
  const desiredPods = metrics.gauge({ name: 'kubelet_desired_pods', help: 'Pods that the sources want.', labelNames });
  const activePods = metrics.gauge({
    name: 'kubelet_active_pods',
    help: 'Pods that the sources want and that have neither ended nor been refused.',
    labelNames,
  });
  const mirrorPods = metrics.gauge({ name: 'kubelet_mirror_pods', help: 'Static pods that an API server shows.' });
  const ephemeral = metrics.gauge({
    name: 'kubelet_managed_ephemeral_containers',
    help: 'Ephemeral containers of the pods that the sources want.',
  });
  return ({ desired, active, mirrors }) => {
    for (const [gauge, pods] of [
      [desiredPods, desired],
      [activePods, active],
    ] as const) {
      const staticPods = pods.filter(isStaticPod).length;
      gauge.set(staticPods, { static: 'true' });
      gauge.set(pods.length - staticPods, { static: '' });
    }
    mirrorPods.set(mirrors);
    ephemeral.set(desired.reduce((sum, { spec }) => sum + (spec?.ephemeralContainers?.length ?? 0), 0));
  };
}
