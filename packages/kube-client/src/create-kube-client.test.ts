import { isKubeError } from '@rxlet/kube-api/client';
import { resources, subresources } from '@rxlet/kube-api/resources';
import { describe, expect, it } from 'vitest';
import { createKubeClient } from './create-kube-client.ts';
import { createKubeClients } from './create-kube-clients.ts';
import { createTestCluster, podNamed } from './test-support/cluster.ts';
import type { TransportRequest } from './transport/kube-transport.ts';
import { userAgent } from './user-agent.ts';
import { createVirtualClock } from '@rxlet/component-base/testing';
import { seededRandom } from '@rxlet/component-base';

const { pods, leases } = resources;
const WEB = { namespace: 'default', name: 'web' };

/** A client whose requests are recorded and answered with an object. */
function recordingClient(): { client: ReturnType<typeof createKubeClient>; requests: string[] } {
  const requests: string[] = [];
  const send = async ({ method, path, headers, body }: TransportRequest) => {
    requests.push([method, path, headers['content-type'] ?? '', body ?? ''].join(' ').trim());
    return {
      status: 200,
      headers: {},
      body: (async function* () {
        yield new TextEncoder().encode('{}');
      })(),
    };
  };
  const client = createKubeClient(
    { transport: { send }, clock: createVirtualClock(), random: seededRandom(1) },
    { userAgent: 'test' },
  );
  return { client, requests };
}

describe('a client', () => {
  it('sends requests as a kubelet does', async () => {
    const { client, requests } = recordingClient();
    await client.get(resources.csiNodes, { name: 'node1' }, { resourceVersion: '0' });
    await client.create(leases, { metadata: { name: 'node1', namespace: 'kube-node-lease' } });
    await client.createSubresource(
      subresources.serviceAccountToken,
      { namespace: 'default', name: 'sa' },
      { spec: { audiences: [] } },
    );
    await client.patch(pods, WEB, { type: 'strategic', body: { status: {} } }, { subresource: 'status' });
    await client.delete(pods, WEB, { gracePeriodSeconds: 0, preconditions: { uid: 'u' } });
    await client.deleteCollection(resources.resourceSlices, { fieldSelector: 'spec.nodeName=node1' });
    await client.patch(pods, WEB, { type: 'apply', body: {}, force: true }, { fieldManager: 'me' });
    expect(requests).toEqual([
      'GET /apis/storage.k8s.io/v1/csinodes/node1?resourceVersion=0',
      'POST /apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases application/json {"metadata":{"name":"node1","namespace":"kube-node-lease"},"apiVersion":"coordination.k8s.io/v1","kind":"Lease"}',
      'POST /api/v1/namespaces/default/serviceaccounts/sa/token application/json {"spec":{"audiences":[]}}',
      'PATCH /api/v1/namespaces/default/pods/web/status application/strategic-merge-patch+json {"status":{}}',
      'DELETE /api/v1/namespaces/default/pods/web application/json {"kind":"DeleteOptions","apiVersion":"v1","gracePeriodSeconds":0,"preconditions":{"uid":"u"}}',
      'DELETE /apis/resource.k8s.io/v1/resourceslices?fieldSelector=spec.nodeName%3Dnode1 application/json {"kind":"DeleteOptions","apiVersion":"resource.k8s.io/v1"}',
      'PATCH /api/v1/namespaces/default/pods/web?fieldManager=me&force=true application/apply-patch+yaml {}',
    ]);
  });

  it('sends nothing for an object without a name or namespace, or with a name that leads elsewhere', async () => {
    const { client, requests } = recordingClient();
    await expect(client.get(pods, { name: 'web' })).rejects.toThrow('cannot address pods "web" without a namespace');
    await expect(client.get(pods, { ...WEB, name: '' })).rejects.toThrow('without a name');
    await expect(client.get(pods, { ...WEB, name: '..' })).rejects.toThrow('named ".."');
    expect(() => client.create(pods, { metadata: { name: 'a' } })).toThrow('without a namespace');
    await client.get(pods, { ...WEB, name: 'a/b?c' });
    expect(requests).toEqual(['GET /api/v1/namespaces/default/pods/a%2Fb%3Fc']);
  });

  it('repeats a request when the server asks for that, and only then', async () => {
    await using cluster = createTestCluster();
    const { kube, client, clock } = cluster;
    kube.faults.add({ times: 2, action: { type: 'error', reason: 'TooManyRequests', retryAfterSeconds: 3 } });
    const created = client.create(pods, podNamed('web'));
    await clock.advance(5999);
    expect(kube.objects.list(pods)).toEqual([]);
    await clock.advance(1);
    expect((await created).metadata?.name).toBe('web');
    kube.faults.add({ times: 1, action: { type: 'error', reason: 'InternalError' } });
    await expect(client.get(pods, WEB)).rejects.toMatchObject({ reason: 'InternalError', code: 500 });
    kube.faults.add({ action: { type: 'error', reason: 'ServiceUnavailable', retryAfterSeconds: 1 } });
    const failing = expect(client.get(pods, WEB)).rejects.toMatchObject({
      reason: 'ServiceUnavailable',
      retryAfterMs: 1000,
    });
    await clock.advance(11_000);
    await failing;
    expect(clock.pendingTimers).toBe(0);
  });

  it('repeats a read whose connection broke, but no write', async () => {
    await using cluster = createTestCluster();
    const { kube, client, clock } = cluster;
    kube.objects.create(pods, podNamed('web'));
    kube.faults.add({ times: 1, action: { type: 'drop', when: 'before' } });
    const read = client.get(pods, WEB);
    await clock.advance(1000);
    expect((await read).metadata?.name).toBe('web');
    kube.faults.add({ times: 1, action: { type: 'drop', when: 'after' } });
    await expect(client.create(pods, podNamed('other'))).rejects.toMatchObject({
      reason: 'Unreachable',
      code: undefined,
    });
    expect(kube.objects.list(pods)).toHaveLength(2);
  });

  it('gives up after its deadline, and when its caller does', async () => {
    await using cluster = createTestCluster({ client: { timeoutMs: 10_000, sendsTimeout: true } });
    const { kube, client, clock } = cluster;
    kube.faults.add({ action: { type: 'hang' } });
    const late = expect(client.get(pods, WEB)).rejects.toMatchObject({
      reason: 'DeadlineExceeded',
      message: 'cannot GET /api/v1/namespaces/default/pods/web: no answer within 10000 ms',
    });
    await clock.advance(10_000);
    await late;
    expect(kube.requests()[0]?.query).toBe('timeout=10s');
    const leaving = new AbortController();
    const left = client.delete(pods, WEB, { signal: leaving.signal });
    leaving.abort(new Error('no longer needed'));
    await expect(left).rejects.toThrow('no longer needed');
    expect(clock.pendingTimers).toBe(0);
  });

  it('reports answers that are none of an API server', async () => {
    await using cluster = createTestCluster();
    const { kube, client } = cluster;
    kube.faults.add({ times: 1, action: { type: 'garbage' } });
    const failure: unknown = await client.get(pods, WEB).catch((error: unknown) => error);
    expect(isKubeError(failure, 'InvalidResponse')).toBe(true);
  });

  it('lists everything again when the server forgets the version between two pages', async () => {
    await using cluster = createTestCluster();
    const { kube, client, clock } = cluster;
    for (const name of ['a', 'b', 'c']) kube.objects.create(pods, podNamed(name));
    kube.faults.add({ match: { verb: 'list' }, times: 2, delayMs: 100 });
    const listed = client.list(pods, { limit: 2 });
    await clock.advance(150);
    kube.objects.create(pods, podNamed('d'));
    kube.compact();
    await clock.advance(1000);
    expect((await listed).items.map(({ metadata }) => metadata?.name)).toEqual(['a', 'b', 'c', 'd']);
  });
});

describe('the clients of a kubelet', () => {
  it('do not wait for reviews', async () => {
    await using cluster = createTestCluster();
    const { kube, clock } = cluster;
    const transport = { send: (request: TransportRequest) => kube.handle(request) };
    const clients = createKubeClients({ transport, clock, random: seededRandom(1) }, { userAgent: 'test' });
    const leaving = new AbortController();
    const { signal } = leaving;
    const reviews = Promise.allSettled(Array.from({ length: 2000 }, () => clients.reviews.list(pods, { signal })));
    expect((await clients.main.list(pods)).items).toEqual([]);
    expect(clock.monotonicNow()).toBe(0);
    leaving.abort(new Error('enough'));
    await reviews;
    expect(clock.pendingTimers).toBe(0);
  });

  it('let heartbeats pass while other requests wait', async () => {
    await using cluster = createTestCluster();
    const { kube, clock } = cluster;
    const transport = { send: (request: TransportRequest) => kube.handle(request) };
    const clients = createKubeClients(
      { transport, clock, random: seededRandom(1) },
      { userAgent: 'test', kubeAPIQPS: 1, kubeAPIBurst: 2 },
    );
    const waiting = Array.from({ length: 5 }, () => clients.main.list(pods));
    const lease = { namespace: 'kube-node-lease', name: 'node1' };
    await expect(clients.heartbeats.get(leases, lease)).rejects.toMatchObject({ code: 404 });
    expect(kube.requests()).toHaveLength(3);
    await clock.advance(3000);
    await Promise.all(waiting);
    expect(kube.requests()).toHaveLength(6);
  });
});

describe('a client with a deadline for the API server too', () => {
  it('does not wait beyond it for a server that asks to be asked later', async () => {
    await using cluster = createTestCluster();
    const { kube, clock } = cluster;
    const transport = { send: (request: TransportRequest) => kube.handle(request) };
    const clients = createKubeClients(
      { transport, clock, random: seededRandom(1) },
      { userAgent: 'test', heartbeatTimeoutMs: 10_000 },
    );
    const lease = { metadata: { namespace: 'kube-node-lease', name: 'node1' } };
    kube.faults.add({ times: 2, action: { type: 'error', reason: 'ServiceUnavailable', retryAfterSeconds: 8 } });
    const renewal = expect(clients.heartbeats.create(leases, lease)).rejects.toMatchObject({
      reason: 'ServiceUnavailable',
      retryAfterMs: 8000,
    });
    await clock.advance(9_999);
    expect(kube.requests()).toHaveLength(2);
    await clock.advance(1);
    await renewal;
    await clock.advance(60_000);
    expect(kube.requests()).toHaveLength(2);
    kube.faults.add({ times: 1, action: { type: 'error', reason: 'ServiceUnavailable', retryAfterSeconds: 8 } });
    kube.faults.add({ action: { type: 'hang' } });
    const hanging = expect(clients.heartbeats.create(leases, lease)).rejects.toMatchObject({
      reason: 'DeadlineExceeded',
    });
    await clock.advance(10_000);
    await hanging;
    expect(clock.pendingTimers).toBe(0);
  });
});

describe('userAgent', () => {
  it('has the shape of client-go', () => {
    const parts = { program: 'kubelet', version: 'v1.36.2', platform: 'linux', architecture: 'x64' };
    expect(userAgent({ ...parts, commit: '0123456789' })).toBe('kubelet/v1.36.2 (linux/amd64) kubernetes/0123456');
    expect(userAgent({ ...parts, architecture: 'arm64' })).toBe('kubelet/v1.36.2 (linux/arm64) kubernetes/unknown');
  });
});
