import { KubeError } from '@rxlet/kube-api/client';
import { seededRandom } from '@rxlet/component-base';
import { createVirtualClock, recordingMetrics } from '@rxlet/component-base/testing';
import { describe, expect, it } from 'vitest';
import { createAccessMetrics } from './access-metrics.ts';
import { createTokenAuthenticator } from './bearer-token.ts';
import { createReviewClient } from './review-client.ts';

const reviewed = { status: { authenticated: true, user: { username: 'jane' } } };

describe('createAccessMetrics', () => {
  it('measures each attempt of a review by its status code', async () => {
    const clock = createVirtualClock();
    const metrics = recordingMetrics();
    const outcomes = [new KubeError('Unreachable', 'away'), new KubeError('InternalError', 'broken', { code: 500 })];
    const create = async (): Promise<never> => {
      await new Promise<void>((resolve) => clock.setTimer(100, resolve));
      const error = outcomes.shift();
      if (error !== undefined) throw error;
      return reviewed as never;
    };
    const { reviewToken } = createReviewClient({
      client: () => ({ create }),
      clock,
      random: seededRandom(1),
      metrics: createAccessMetrics(metrics, clock),
      signal: new AbortController().signal,
    });
    let owner: unknown;
    void reviewToken('t').then((status) => (owner = status));
    await clock.runUntil(() => owner !== undefined);
    for (const code of ['<error>', '500', '201']) {
      expect(metrics.values.get(`apiserver_delegated_authn_request_total{code="${code}"}`)).toBe(1);
      expect(metrics.observed(`apiserver_delegated_authn_request_duration_seconds{code="${code}"}`)).toEqual([0.1]);
    }
  });

  it('counts the requests of the token cache, and one review for those that wait together', async () => {
    const clock = createVirtualClock();
    const metrics = recordingMetrics();
    const value = (name: string, status: string) =>
      metrics.values.get(`authentication_token_cache_${name}{status="${status}"}`);
    const { promise, resolve } = Promise.withResolvers<(typeof reviewed)['status']>();
    const tokens = createTokenAuthenticator(
      { review: () => promise, clock, random: seededRandom(1), metrics: createAccessMetrics(metrics, clock).tokens },
      120_000,
    );
    const both = [tokens.authenticate('t', ''), tokens.authenticate('t', '')];
    expect([value('active_fetch_count', 'blocked'), value('active_fetch_count', 'in_flight')]).toEqual([2, 1]);
    resolve(reviewed.status);
    await Promise.all(both);
    await tokens.authenticate('t', '');
    expect([value('active_fetch_count', 'blocked'), value('active_fetch_count', 'in_flight')]).toEqual([0, 0]);
    expect([value('request_total', 'miss'), value('request_total', 'hit')]).toEqual([2, 1]);
    expect([value('fetch_total', 'ok'), value('fetch_total', 'error')]).toEqual([1, undefined]);
  });

  it('counts a failed review', async () => {
    const clock = createVirtualClock();
    const metrics = recordingMetrics();
    const review = () => Promise.reject(new Error('away'));
    const ports = { review, clock, random: seededRandom(1), metrics: createAccessMetrics(metrics, clock).tokens };
    await expect(createTokenAuthenticator(ports, 1).authenticate('t', '')).rejects.toThrow('away');
    expect(metrics.values.get('authentication_token_cache_fetch_total{status="error"}')).toBe(1);
  });
});
