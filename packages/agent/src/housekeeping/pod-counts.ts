import type { Metrics } from '@rxlet/component-base/metrics';
import type { Pod } from '@rxlet/kube-api';
import { isStaticPod } from '@rxlet/pod-model';

/** Sets the metrics of numbers of pods. */
export type PodCounts = (pods: {
  /** Desired pods. */
  readonly desired: readonly Pod[];
  /** Desired pods that neither ended nor were rejected. */
  readonly active: readonly Pod[];
  /** Number of static pods with a mirror. */
  readonly mirrors: number;
}) => void;

/** Creates {@link PodCounts} for the kubelet's metrics, which have a label for static pods. */
export function createPodCounts(metrics: Metrics): PodCounts {
  const labelNames = ['static'];
  const desiredPods = metrics.gauge({
    name: 'kubelet_desired_pods',
    help: '[ALPHA] The number of pods the kubelet is being instructed to run. static is true if the pod is not from the apiserver.',
    labelNames,
  });
  const activePods = metrics.gauge({
    name: 'kubelet_active_pods',
    help: '[ALPHA] The number of pods the kubelet considers active and which are being considered when admitting new pods. static is true if the pod is not from the apiserver.',
    labelNames,
  });
  const mirrorPods = metrics.gauge({
    name: 'kubelet_mirror_pods',
    help: '[ALPHA] The number of mirror pods the kubelet will try to create (one per admitted static pod)',
  });
  const ephemeral = metrics.gauge({
    name: 'kubelet_managed_ephemeral_containers',
    help: '[ALPHA] Current number of ephemeral containers in pods managed by this kubelet.',
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
