import { isKubeError, type KubeClient } from '@rxlet/kube-api/client';
import { type Clock, jitter, type Random, sleep } from '@rxlet/component-base';
import type { SubjectAccessReview, TokenReview } from '@rxlet/kube-api';
import { resources } from '@rxlet/kube-api/resources';
import type { AccessMetrics, ReviewKind } from './access-metrics.ts';

/** Asks the API server about clients. */
export interface ReviewClient {
  reviewToken(token: string): Promise<NonNullable<TokenReview['status']>>;
  reviewAccess(spec: SubjectAccessReview['spec']): Promise<NonNullable<SubjectAccessReview['status']>>;
}

/** Ports of {@link createReviewClient}. */
export interface ReviewClientPorts {
  readonly client: () => Pick<KubeClient, 'create'>;
  readonly clock: Clock;
  readonly random: Random;
  readonly metrics?: Pick<AccessMetrics, 'review'> | undefined;
  /** Ends the requests. */
  readonly signal: AbortSignal;
}

/** Back-off of a kubelet's requests of this kind. */
const FIRST_PAUSE_MS = 500;
const FACTOR = 1.5;
const JITTER = 0.2;
const ATTEMPTS = 5;
/** Deadline of a review with its retries. */
const TIMEOUT_MS = 10_000;

/** Creates a {@link ReviewClient} that repeats a request when the API server is overloaded or the connection broke. */
export function createReviewClient({ client, clock, random, metrics, signal }: ReviewClientPorts): ReviewClient {
  const retry = async <T>(kind: ReviewKind, request: (attemptSignal: AbortSignal) => Promise<T>): Promise<T> => {
    const timeout = new AbortController();
    using _timer = clock.setTimer(TIMEOUT_MS, () => timeout.abort(new Error('no answer from the API server in time')));
    const attemptSignal = AbortSignal.any([signal, timeout.signal]);
    for (let attempt = 1, pauseMs = FIRST_PAUSE_MS; ; attempt += 1, pauseMs *= FACTOR) {
      try {
        const send = (): Promise<T> => request(attemptSignal);
        return await (metrics === undefined ? send() : metrics.review(kind, send));
      } catch (error) {
        if (attempt === ATTEMPTS || !isTransient(error)) throw error;
        await sleep(clock, jitter(random, pauseMs, JITTER), attemptSignal);
      }
    }
  };
  return {
    reviewToken: (token) =>
      retry('authn', async (attemptSignal) => {
        const review: TokenReview = {
          apiVersion: 'authentication.k8s.io/v1',
          kind: 'TokenReview',
          metadata: {},
          spec: { token },
        };
        return (await client().create(resources.tokenReviews, review, { signal: attemptSignal })).status ?? {};
      }),
    reviewAccess: (spec) =>
      retry('authz', async (attemptSignal) => {
        const review: SubjectAccessReview = {
          apiVersion: 'authorization.k8s.io/v1',
          kind: 'SubjectAccessReview',
          metadata: {},
          spec,
        };
        const { status } = await client().create(resources.subjectAccessReviews, review, { signal: attemptSignal });
        return status ?? { allowed: false };
      }),
  };
}

function isTransient(error: unknown): boolean {
  return isKubeError(error) && (error.reason === 'Unreachable' || error.code === 429 || error.code === 500);
}
