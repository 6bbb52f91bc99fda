import { isKubeError } from '@rxlet/kube-api/client';
import type { Clock } from '@rxlet/component-base';
import type { Metrics } from '@rxlet/component-base/metrics';

/** Metrics of authentication and authorization, with the kubelet's names. */
export interface AccessMetrics {
  /** Observes the remaining validity of a client's certificate, in milliseconds; negative for an expired one. */
  clientCertificate(remainingMs: number): void;
  /** Measures a request of a review to the API server. */
  review<T>(kind: ReviewKind, request: () => Promise<T>): Promise<T>;
  readonly tokens: TokenCacheMetrics;
}

/** Kind of a review: of a token (`authn`), or of a permission (`authz`). */
export type ReviewKind = 'authn' | 'authz';

/** Metrics of the cache of tokens. */
export interface TokenCacheMetrics {
  /** Measures the wait for the owner of a token; `isKept` when the cache has it. */
  request<T>(isKept: boolean, wait: () => Promise<T>): Promise<T>;
  /** Measures a review, whatever the number of requests that wait for it. */
  fetch<T>(load: () => Promise<T>): Promise<T>;
}

const HOUR = 3600;
const DAY = 24 * HOUR;
const LIFETIMES = [
  0,
  HOUR / 2,
  HOUR,
  2 * HOUR,
  6 * HOUR,
  12 * HOUR,
  ...[1, 2, 4, 7, 30, 90, 180, 360].map((n) => n * DAY),
];
const REVIEW_BUCKETS = [0.25, 0.5, 0.7, 1, 1.5, 3, 5, 10];
const SECONDS_BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
/** Status code of a successful creation, by which reviews are requested. */
const CREATED = '201';

/** Registers the metrics. */
export function createAccessMetrics(metrics: Metrics, clock: Pick<Clock, 'monotonicNow'>): AccessMetrics {
  const lifetimes = metrics.histogram({
    name: 'apiserver_client_certificate_expiration_seconds',
    help: '[ALPHA] Distribution of the remaining lifetime on the certificate used to authenticate a request.',
    buckets: LIFETIMES,
  });
  const reviews = { authn: reviewMetrics(metrics, 'authn'), authz: reviewMetrics(metrics, 'authz') };
  return {
    clientCertificate: (remainingMs) => lifetimes.observe(remainingMs / 1000),
    async review(kind, request) {
      const beganMs = clock.monotonicNow();
      const { total, seconds } = reviews[kind];
      const ended = (code: string): void => {
        total.inc({ code });
        seconds.observe((clock.monotonicNow() - beganMs) / 1000, { code });
      };
      try {
        const answer = await request();
        ended(CREATED);
        return answer;
      } catch (error) {
        ended(isKubeError(error) && error.code !== undefined ? String(error.code) : '<error>');
        throw error;
      }
    },
    tokens: createTokenCacheMetrics(metrics, clock),
  };
}

function reviewMetrics(metrics: Metrics, kind: ReviewKind) {
  return {
    total: metrics.counter({
      name: `apiserver_delegated_${kind}_request_total`,
      help: '[ALPHA] Number of HTTP requests partitioned by status code.',
      labelNames: ['code'],
    }),
    seconds: metrics.histogram({
      name: `apiserver_delegated_${kind}_request_duration_seconds`,
      help: '[ALPHA] Request latency in seconds. Broken down by status code.',
      labelNames: ['code'],
      buckets: REVIEW_BUCKETS,
    }),
  };
}

/** The kubelet's metrics of this cache have a stability level, and no text. */
const HELP = '[ALPHA] ';

function createTokenCacheMetrics(metrics: Metrics, clock: Pick<Clock, 'monotonicNow'>): TokenCacheMetrics {
  const labelNames = ['status'];
  const named = (name: string) => ({ name: `authentication_token_cache_${name}`, help: HELP, labelNames });
  const requests = metrics.counter(named('request_total'));
  const seconds = metrics.histogram({ ...named('request_duration_seconds'), buckets: SECONDS_BUCKETS });
  const fetches = metrics.counter(named('fetch_total'));
  const active = metrics.gauge(named('active_fetch_count'));
  const counts = { blocked: 0, in_flight: 0 };
  const during = async <T>(status: keyof typeof counts, work: () => Promise<T>): Promise<T> => {
    active.set((counts[status] += 1), { status });
    try {
      return await work();
    } finally {
      active.set((counts[status] -= 1), { status });
    }
  };
  return {
    async request(isKept, wait) {
      const beganMs = clock.monotonicNow();
      try {
        return await (isKept ? wait() : during('blocked', wait));
      } finally {
        const status = isKept ? 'hit' : 'miss';
        requests.inc({ status });
        seconds.observe((clock.monotonicNow() - beganMs) / 1000, { status });
      }
    },
    async fetch(load) {
      let status = 'error';
      try {
        const value = await during('in_flight', load);
        status = 'ok';
        return value;
      } finally {
        fetches.inc({ status });
      }
    },
  };
}
