import type { Clock } from '@rxlet/component-base';
import type { Metrics } from '@rxlet/component-base/metrics';
import { createCallMetrics } from './call-metrics.ts';
import type { CriServices } from './cri-services.ts';
import { observeCalls } from './observe-calls.ts';

/** Ports of {@link instrumented}. */
export interface InstrumentedPorts {
  readonly metrics: Metrics;
  readonly clock: Clock;
}

/**
 * Measures every call under the kubelet's names: `kubelet_runtime_operations_total`, `kubelet_runtime_operations_errors_total` and
 * `kubelet_runtime_operations_duration_seconds`, each by `operation_type`. Like the kubelet's instrumented services it counts a call when it ends, also one
 * that was rejected before it was sent. A stream counts once, with the time until its end; leaving it is not an error.
 */
export function instrumented(services: CriServices, ports: InstrumentedPorts): CriServices {
  const { metrics, clock } = ports;
  const recorderFor = createCallMetrics(metrics, clock);
  return observeCalls(services, ({ method }) => {
    const record = recorderFor(method.name);
    return () => {
      const startedMs = clock.monotonicNow();
      return { ended: ({ kind }) => record(startedMs, kind === 'failed') };
    };
  });
}
