import type { Clock } from '@rxlet/component-base';
import type { Metrics } from '@rxlet/component-base/metrics';

/** Kind of a server, as the metrics name it: with or without access control. */
export type ServerType = 'readwrite' | 'readonly';

/** Metrics of the requests to a server. */
export interface RequestMeter {
  /** Counts a request while it is served. */
  measure(serverType: ServerType, method: string, path: string, serve: () => Promise<void>): Promise<void>;
}

/** The default buckets of Prometheus' client for Go, in seconds. */
const SECONDS_BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** Paths with series of their own; all others share one, so that clients cannot create series. */
const PATHS: ReadonlySet<string> = new Set([
  ...['attach', 'checkpoint', 'configz', 'containerLogs', 'debug', 'exec', 'flagz', 'healthz', 'logs', 'metrics'],
  ...['metrics/cadvisor', 'metrics/probes', 'metrics/resource', 'pods', 'portForward', 'run', 'runningpods'],
  ...['stats', 'statusz'],
]);
/** Methods with series of their own, likewise. */
const METHODS: ReadonlySet<string> = new Set(['OPTIONS', 'GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'TRACE', 'CONNECT']);
/** Paths of long-running requests by the kubelet's list, which does not have `portForward`. */
const LONG_RUNNING: ReadonlySet<string> = new Set(['exec', 'attach', 'debug']);

/** Registers the metrics. */
export function createRequestMeter(metrics: Metrics, clock: Pick<Clock, 'monotonicNow'>): RequestMeter {
  const labelNames = ['method', 'path', 'server_type', 'long_running'];
  const total = metrics.counter({
    name: 'kubelet_http_requests_total',
    help: '[ALPHA] Number of the http requests received since the server started',
    labelNames,
  });
  const seconds = metrics.histogram({
    name: 'kubelet_http_requests_duration_seconds',
    help: '[ALPHA] Duration in seconds to serve http requests',
    labelNames,
    buckets: SECONDS_BUCKETS,
  });
  const inFlight = metrics.gauge({
    name: 'kubelet_http_inflight_requests',
    help: '[ALPHA] Number of the inflight http requests',
    labelNames,
  });
  const counts = new Map<string, number>();
  return {
    async measure(serverType, method, path, serve) {
      const bucket = pathBucket(path);
      const labels = {
        method: METHODS.has(method) ? method : 'other',
        path: bucket,
        server_type: serverType,
        long_running: String(LONG_RUNNING.has(bucket)),
      };
      const key = Object.values(labels).join(' ');
      const count = (change: number): void => {
        const value = (counts.get(key) ?? 0) + change;
        counts.set(key, value);
        inFlight.set(value, labels);
      };
      const beganMs = clock.monotonicNow();
      total.inc(labels);
      count(1);
      try {
        await serve();
      } finally {
        count(-1);
        seconds.observe((clock.monotonicNow() - beganMs) / 1000, labels);
      }
    },
  };
}

/** Returns the label `path`: the first segment, for metrics the first two. */
function pathBucket(path: string): string {
  const [first = '', second] = path.replace(/^\//, '').split('/', 2);
  const root = first === 'metrics' && second !== undefined ? `${first}/${second}` : first;
  return PATHS.has(root) ? root : 'other';
}
