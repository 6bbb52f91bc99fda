import type { Metrics } from '@rxlet/component-base/metrics';
import type { TransportRequest } from '../transport/kube-transport.ts';

/** Metrics of the requests to an API server, with the names of client-go. */
export interface RequestMetrics {
  /** Observes the wait for the rate limit. */
  waited(method: Method, waitMs: number): void;
  /** Counts a request by the status of its answer; `undefined` without one. */
  answered(method: Method, status: number | undefined): void;
  /** Observes a request whose answer was read, or failed. Watches, which have no end, are not observed. */
  ended(method: Method, exchange: Exchange): void;
}

type Method = TransportRequest['method'];

/** A request and its answer. */
export interface Exchange {
  readonly durationMs: number;
  readonly requestBytes: number;
  /** Absent without an answer. */
  readonly responseBytes?: number | undefined;
}

const SECONDS = [0.005, 0.025, 0.1, 0.25, 0.5, 1, 2, 4, 8, 15, 30, 60];
/** 64 bytes to 16 MiB. */
const BYTES = [64, 256, 512, 1024, 4096, 16_384, 65_536, 262_144, 1_048_576, 4_194_304, 16_777_216];

/** Registers the metrics of the client of an API server, which is named by host and port. */
export function createRequestMetrics(metrics: Metrics, host: string): RequestMetrics {
  const histogram = (name: string, help: string, buckets: readonly number[]) =>
    metrics.histogram({ name: `rest_client_${name}`, help: `[ALPHA] ${help}`, labelNames: ['verb', 'host'], buckets });
  const waits = histogram(
    'rate_limiter_duration_seconds',
    'Client side rate limiter latency in seconds. Broken down by verb, and host.',
    SECONDS,
  );
  const durations = histogram(
    'request_duration_seconds',
    'Request latency in seconds. Broken down by verb, and host.',
    SECONDS,
  );
  const requestSizes = histogram('request_size_bytes', 'Request size in bytes. Broken down by verb and host.', BYTES);
  const responseSizes = histogram(
    'response_size_bytes',
    'Response size in bytes. Broken down by verb and host.',
    BYTES,
  );
  const requests = metrics.counter({
    name: 'rest_client_requests_total',
    help: '[ALPHA] Number of HTTP requests, partitioned by status code, method, and host.',
    labelNames: ['code', 'method', 'host'],
  });
  return {
    waited: (verb, waitMs) => waits.observe(waitMs / 1000, { verb, host }),
    answered: (method, status) =>
      requests.inc({ code: status === undefined ? '<error>' : String(status), method, host }),
    ended(verb, { durationMs, requestBytes, responseBytes }) {
      durations.observe(durationMs / 1000, { verb, host });
      requestSizes.observe(requestBytes, { verb, host });
      if (responseBytes !== undefined) responseSizes.observe(responseBytes, { verb, host });
    },
  };
}
