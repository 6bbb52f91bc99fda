import { createVirtualClock, recordingMetrics } from '@rxlet/component-base/testing';
import { seededRandom } from '@rxlet/component-base';
import { resources } from '@rxlet/kube-api/resources';
import { expect, it } from 'vitest';
import { createKubeClient } from '../create-kube-client.ts';
import type { KubeTransport } from '../transport/kube-transport.ts';

const host = '192.0.2.1:6443';

async function* bytes(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text);
}

it('measures requests by verb and host, and counts them by their status', async () => {
  const clock = createVirtualClock();
  const metrics = recordingMetrics();
  const statuses = [200, 404, undefined];
  const transport: KubeTransport = {
    host,
    async send() {
      await new Promise<void>((resolve) => clock.setTimer(500, resolve));
      const status = statuses.shift();
      if (status === undefined) throw new Error('refused');
      return { status, headers: {}, body: bytes('{"kind":"Pod"}') };
    },
  };
  const rateLimit = { perSecond: 1, burst: 2 };
  const client = createKubeClient(
    { transport, clock, random: seededRandom(1), metrics },
    { userAgent: 'a', rateLimit },
  );
  let done = 0;
  for (const name of ['a', 'b', 'c']) {
    const ended = (): void => void (done += 1);
    client.get(resources.pods, { name, namespace: 'default' }).then(ended, ended);
  }
  await clock.runUntil(() => done === 3);
  const labels = `{host="${host}",verb="GET"}`;
  for (const code of ['200', '404', '<error>'])
    expect(metrics.values.get(`rest_client_requests_total{code="${code}",host="${host}",method="GET"}`)).toBe(1);
  expect(metrics.observed(`rest_client_rate_limiter_duration_seconds${labels}`)).toEqual([0, 0, 1]);
  expect(metrics.observed(`rest_client_request_duration_seconds${labels}`)).toEqual([0.5, 0.5, 0.5]);
  expect(metrics.observed(`rest_client_request_size_bytes${labels}`)).toEqual([0, 0, 0]);
  expect(metrics.observed(`rest_client_response_size_bytes${labels}`)).toEqual([14, 14]);
});
