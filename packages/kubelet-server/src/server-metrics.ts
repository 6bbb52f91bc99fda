import type { Clock } from '@rxlet/component-base';
import type { Metrics } from '@rxlet/component-base/metrics';
import { createAccessMetrics, type AccessMetrics } from './access/access-metrics.ts';
import { createRequestMeter, type RequestMeter } from './listeners/request-meter.ts';
import type { StreamKind } from './streams/stream-kind.ts';

/** Metrics of the kubelet's API, with the kubelet's names. */
export interface ServerMetrics {
  readonly access: AccessMetrics;
  readonly requests: RequestMeter;
  /** Counts a stream over a WebSocket that this server translates for the runtime. */
  webSocketStream(kind: StreamKind): void;
}

/** Registers the metrics. */
export function createServerMetrics(metrics: Metrics, clock: Pick<Clock, 'monotonicNow'>): ServerMetrics {
  const streams = metrics.counter({
    name: 'kubelet_websocket_streaming_requests_total',
    help: '[ALPHA] Total number of WebSocket streaming requests (exec/attach/portforward) received by the kubelet.',
    labelNames: ['subresource'],
  });
  return {
    access: createAccessMetrics(metrics, clock),
    requests: createRequestMeter(metrics, clock),
    webSocketStream: (subresource) => streams.inc({ subresource }),
  };
}
