import { type Metrics, noopMetrics } from '@rxlet/component-base/metrics';
import { podUid } from '@rxlet/pod-model';
import { probeKindNames, type ProbeTarget } from './probe-target.ts';

/** Prometheus' default buckets, in seconds. */
const durationBuckets: readonly number[] = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** Metrics of one probe, with the kubelet's names. */
export interface ProbeMeter {
  success(durationMs: number): void;
  failure(): void;
  /** Removes the series of the probe, if the metrics port supports that. */
  end(): void;
}

/** Returns a function that creates the {@link ProbeMeter} of a probe. */
export function createProbeMetrics(metrics: Metrics = noopMetrics): (target: ProbeTarget) => ProbeMeter {
  const total = metrics.counter({
    name: 'prober_probe_total',
    help: '[BETA] Cumulative number of a liveness, readiness or startup probe for a container by result.',
    labelNames: ['probe_type', 'result', 'container', 'pod', 'namespace', 'pod_uid'],
  });
  const duration = metrics.histogram({
    name: 'prober_probe_duration_seconds',
    help: '[ALPHA] Duration in seconds for a probe response.',
    labelNames: ['probe_type', 'container', 'pod', 'namespace'],
    buckets: durationBuckets,
  });
  return ({ kind, pod, container }) => {
    const durationLabels = {
      probe_type: probeKindNames[kind],
      container: container.name,
      pod: pod.metadata?.name ?? '',
      namespace: pod.metadata?.namespace ?? '',
    };
    const totalLabels = { ...durationLabels, pod_uid: podUid(pod) };
    const successLabels = { ...totalLabels, result: 'successful' };
    const failureLabels = { ...totalLabels, result: 'failed' };
    return {
      success(durationMs) {
        total.inc(successLabels);
        duration.observe(durationMs / 1000, durationLabels);
      },
      failure: () => total.inc(failureLabels),
      end() {
        total.remove?.(successLabels);
        total.remove?.(failureLabels);
        duration.remove?.(durationLabels);
      },
    };
  };
}
