import { seededRandom } from '@rxlet/component-base';
import { createVirtualClock } from '@rxlet/component-base/testing';
import { resources } from '@rxlet/kube-api/resources';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { nodeUser, type User } from './auth/user.ts';
import { createFakeKube } from './create-fake-kube.ts';
import { createTestServer, podNamed } from './test-support.ts';

const { pods, configMaps, nodes } = resources;
const PODS = '/api/v1/namespaces/default/pods';
const MAPS = '/api/v1/namespaces/default/configmaps';
const CSRS = '/apis/certificates.k8s.io/v1/certificatesigningrequests';

describe('watches', () => {
  it('send objects, changes and bookmarks, and end at their timeout', async () => {
    await using server = createTestServer();
    const { kube, clock } = server;
    kube.objects.create(pods, podNamed('a'));
    const watched = await server.watch(
      `${PODS}?watch=true&allowWatchBookmarks=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&timeoutSeconds=100`,
    );
    await clock.settle();
    expect(watched.lines).toEqual(['ADDED a', 'BOOKMARK 6 end']);
    kube.objects.delete(pods, 'a', 'default');
    await clock.advance(60_000);
    expect(watched.lines.slice(2)).toEqual(['DELETED a', 'BOOKMARK 7']);
    await clock.advance(40_000);
    expect([watched.isEnded, clock.pendingTimers]).toEqual([true, 0]);
  });

  it('resume from a version, unless it is compacted', async () => {
    await using server = createTestServer();
    const { kube, clock } = server;
    const { resourceVersion } = kube.objects.create(configMaps, {
      metadata: { name: 'a', namespace: 'default' },
    }).metadata;
    kube.objects.create(configMaps, { metadata: { name: 'b', namespace: 'default' } });
    kube.objects.create(pods, podNamed('other'));
    const resumed = await server.watch(`${MAPS}?watch=true&resourceVersion=${resourceVersion}`);
    const any = await server.watch(`${MAPS}?watch=true&resourceVersion=0`);
    await clock.settle();
    expect([resumed.lines, any.lines]).toEqual([['ADDED b'], ['ADDED a', 'ADDED b']]);
    kube.compact();
    const late = await server.watch(`${MAPS}?watch=true&resourceVersion=${resourceVersion}`);
    await clock.settle();
    expect(late).toMatchObject({ lines: ['ERROR Expired'], isEnded: true });
  });

  it('forget the oldest changes', async () => {
    await using server = createTestServer({ historyLimit: 3 });
    const { kube, clock } = server;
    const { resourceVersion } = kube.objects.create(configMaps, {
      metadata: { name: 'a', namespace: 'default' },
    }).metadata;
    for (let at = 0; at < 10; at += 1) kube.objects.merge(configMaps, 'a', 'default', { data: { at: String(at) } });
    const late = await server.watch(`${MAPS}?watch=true&resourceVersion=${resourceVersion}`);
    await clock.settle();
    expect(late.lines).toEqual(['ERROR Expired']);
  });

  it('break by resource or by user, and the others continue', async () => {
    await using server = createTestServer();
    const { kube, clock } = server;
    const watched = await server.watch(`${PODS}?watch=true`);
    const other = await server.watch(`${MAPS}?watch=true`);
    expect([kube.cutWatches({ user: 'somebody' }), kube.freezeWatches({ user: 'somebody' })]).toEqual([0, 0]);
    expect(kube.cutWatches({ resource: 'pods' })).toBe(1);
    await clock.settle();
    expect([watched.isEnded, other.isEnded]).toEqual([true, false]);
    expect(kube.cutWatches({ resource: 'configmaps', user: 'kubernetes-admin' })).toBe(1);
  });

  it('send changes again on request', async () => {
    await using server = createTestServer();
    const { kube, clock } = server;
    kube.objects.create(configMaps, { metadata: { name: 'a', namespace: 'default' } });
    const { resourceVersion } = kube.objects.merge(configMaps, 'a', 'default', { data: { at: '1' } }).metadata;
    kube.setReplay(1);
    const replayed = await server.watch(`${MAPS}?watch=true&resourceVersion=${resourceVersion}`);
    await clock.settle();
    expect(replayed.lines).toEqual(['MODIFIED a']);
  });

  it('reject parameters that do not fit together', async () => {
    await using server = createTestServer({ hasStreamingLists: false });
    const { json } = await server.request(
      'GET',
      `${PODS}?watch=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan`,
    );
    expect(json).toMatchObject({
      code: 422,
      reason: 'Invalid',
      message: expect.stringContaining('WatchList feature gate') as string,
    });
    expect((await server.request('GET', `${PODS}?watch=true&resourceVersionMatch=NotOlderThan`)).status).toBe(422);
    expect((await server.request('GET', `${PODS}?watch=true&resourceVersion=x`)).status).toBe(400);
  });
});

describe('lists', () => {
  it('show one state over all pages, until it is compacted', async () => {
    await using server = createTestServer();
    const { kube } = server;
    for (const name of ['a', 'b', 'c']) kube.objects.create(configMaps, { metadata: { name, namespace: 'default' } });
    const { json: first } = await server.request('GET', `${MAPS}?limit=2`);
    expect(first.metadata.remainingItemCount).toBe(1);
    kube.objects.delete(configMaps, 'c', 'default');
    kube.objects.create(configMaps, { metadata: { name: 'd', namespace: 'default' } });
    const rest = `${MAPS}?limit=2&continue=${first.metadata.continue!}`;
    const { json: second } = await server.request('GET', rest);
    expect(second.items.map(({ metadata }) => metadata.name)).toEqual(['c']);
    expect(second.metadata).toEqual({ resourceVersion: first.metadata.resourceVersion });
    kube.compact();
    expect((await server.request('GET', rest)).json).toMatchObject({ code: 410, reason: 'Expired' });
    expect((await server.request('GET', `${MAPS}?continue=nonsense`)).status).toBe(400);
  });

  it('wait for no version that does not exist yet', async () => {
    await using server = createTestServer();
    const { json, headers } = await server.request('GET', `${MAPS}?resourceVersion=999`);
    expect(json).toMatchObject({
      code: 504,
      reason: 'Timeout',
      details: { causes: [{ reason: 'ResourceVersionTooLarge' }] },
    });
    expect(headers['retry-after']).toBe('1');
  });

  it('lag behind where a cache may answer', async () => {
    await using server = createTestServer();
    const { kube } = server;
    kube.objects.create(configMaps, { metadata: { name: 'a', namespace: 'default' } });
    kube.objects.merge(configMaps, 'a', 'default', { data: { at: '1' } });
    kube.setStaleness(1);
    expect((await server.request('GET', `${MAPS}/a?resourceVersion=0`)).json.data).toBeUndefined();
    expect((await server.request('GET', `${MAPS}/a`)).json.data).toEqual({ at: '1' });
    expect((await server.request('GET', `${MAPS}?resourceVersion=0`)).json.items[0]?.data).toBeUndefined();
  });
});

describe('requests', () => {
  it('fail for unknown kinds, named in the message', async () => {
    await using server = createTestServer();
    expect((await server.request('GET', '/api/v1/widgets')).json).toMatchObject({
      code: 404,
      message: 'the server could not find the requested resource',
    });
    expect((await server.request('GET', '/apis/apps/v1/deployments')).status).toBe(404);
    expect((await server.request('POST', `${PODS}/a`, {})).status).toBe(405);
    expect((await server.request('GET', `${PODS}/a/unknown`)).status).toBe(404);
    expect(
      (await server.request('POST', PODS, { kind: 'Node', apiVersion: 'v1', metadata: { name: 'a' } })).json,
    ).toMatchObject({ code: 400, reason: 'BadRequest' });
    expect((await server.request('PATCH', `${PODS}/a`, {}, { type: 'application/apply-patch+yaml' })).status).toBe(404);
    server.kube.objects.create(pods, podNamed('a'));
    const { json } = await server.request('PATCH', `${PODS}/a`, {}, { type: 'application/apply-patch+yaml' });
    expect(json).toMatchObject({ code: 415, reason: 'UnsupportedMediaType' });
  });

  it('may use resources that the server is given', async () => {
    const deployments = {
      group: 'apps',
      version: 'v1',
      plural: 'deployments',
      kind: 'Deployment',
      isNamespaced: true,
      hasGeneration: true,
      subresources: ['status'],
    };
    await using server = createTestServer({ resources: [deployments] });
    const path = '/apis/apps/v1/namespaces/default/deployments';
    const created = await server.request('POST', path, {
      metadata: { name: 'a' },
      spec: { replicas: 1 },
      status: { replicas: 9 },
    });
    expect(created.json).toMatchObject({ apiVersion: 'apps/v1', kind: 'Deployment', metadata: { generation: 1 } });
    expect(created.json.status).toBeUndefined();
    const patched = await server.request(
      'PATCH',
      `${path}/a`,
      { spec: { replicas: 2 } },
      { type: 'application/merge-patch+json' },
    );
    expect(patched.json.metadata.generation).toBe(2);
    // The server has no table of its fields.
    expect(
      (await server.request('PATCH', `${path}/a`, {}, { type: 'application/strategic-merge-patch+json' })).status,
    ).toBe(415);
    const group = await server.request('GET', '/apis/apps/v1');
    expect(group.json.resources.map(({ name }) => name)).toEqual(['deployments', 'deployments/status']);
  });

  it('need credentials that the server knows', async () => {
    const jane: User = { name: 'jane', groups: ['system:masters'] };
    await using server = createTestServer({ authorization: 'node', tokens: { secret: jane } });
    expect((await server.request('GET', PODS, undefined, { token: 'secret' })).status).toBe(200);
    expect((await server.request('GET', PODS, undefined, { token: 'wrong' })).json).toMatchObject({
      code: 401,
      reason: 'Unauthorized',
    });
    expect((await server.request('GET', PODS, undefined, { token: '__proto__' })).status).toBe(401);
    const { json } = await server.request('GET', `${PODS}/a`, undefined, { user: { name: 'joe', groups: [] } });
    expect(json.message).toBe(
      'pods "a" is forbidden: User "joe" cannot get resource "pods" in API group "" in the namespace "default"',
    );
  });
});

describe('ephemeral containers', () => {
  const add = (kube: ReturnType<typeof createTestServer>['kube'], ...ephemeralContainers: readonly object[]): unknown =>
    kube.objects.merge(pods, 'a', 'default', { spec: { ephemeralContainers } }, 'ephemeralcontainers');
  const debug = { name: 'debug', image: 'busybox:1' };

  it('may be added with their defaults, and never changed or removed', async () => {
    await using server = createTestServer();
    const { kube } = server;
    kube.objects.create(pods, podNamed('a'));
    const more = { name: 'more', image: 'busybox:1' };
    add(kube, debug);
    expect(add(kube, debug, more)).toMatchObject({
      spec: { ephemeralContainers: [{ name: 'debug', imagePullPolicy: 'IfNotPresent' }, { name: 'more' }] },
    });
    kube.objects.merge(pods, 'a', 'default', { spec: { activeDeadlineSeconds: 60 } });
    expect(() => add(kube, more)).toThrow('existing ephemeral containers "debug" may not be removed');
    expect(() => add(kube, { ...debug, image: 'busybox:2' }, more)).toThrow(
      'existing ephemeral containers "debug" may not be changed',
    );
  });

  it('cannot be added to mirror pods', async () => {
    await using server = createTestServer();
    const { kube } = server;
    const pod = podNamed('a');
    const annotations = { 'kubernetes.io/config.mirror': 'hash' };
    kube.objects.create(pods, { ...pod, metadata: { ...pod.metadata, annotations } });
    expect(() => add(kube, debug)).toThrow('static pods do not support ephemeral containers');
  });
});

describe('namespaces', () => {
  it('take their content along, and wait for pods that end', async () => {
    await using server = createTestServer();
    const { kube } = server;
    kube.objects.create(resources.namespaces, { metadata: { name: 'team' } });
    kube.objects.create(configMaps, { metadata: { name: 'a', namespace: 'team' } });
    kube.objects.create(pods, podNamed('p', { nodeName: 'node1' }, { namespace: 'team' }));
    await server.request('DELETE', '/api/v1/namespaces/team');
    expect(kube.objects.list(configMaps, 'team')).toEqual([]);
    expect((await server.request('GET', '/api/v1/namespaces/team')).json.status?.phase).toBe('Terminating');
    const { json } = await server.request('POST', '/api/v1/namespaces/team/configmaps', { metadata: { name: 'b' } });
    expect(json).toMatchObject({ code: 403, reason: 'Forbidden' });
    kube.objects.delete(pods, 'p', 'team', 0);
    expect((await server.request('GET', '/api/v1/namespaces/team')).status).toBe(404);
  });
});

describe('certificate requests', () => {
  const approved = { status: { conditions: [{ type: 'Approved', status: 'True', reason: 'ok', message: '' }] } };

  it('record who asks, and are signed after their approval', async () => {
    await using server = createTestServer({ authorization: 'node', approvesNodeCertificates: false });
    const { kube } = server;
    const bootstrapper: User = { name: 'system:bootstrap:x', groups: ['system:bootstrappers'] };
    const request = Buffer.from(await certificateRequest()).toString('base64');
    const spec = {
      request,
      signerName: 'kubernetes.io/kube-apiserver-client-kubelet',
      usages: ['client auth'],
      username: 'forged',
    };
    const created = await server.request(
      'POST',
      CSRS,
      { metadata: { generateName: 'csr-' }, spec, status: { certificate: 'forged' } },
      { user: bootstrapper },
    );
    const { name = '' } = created.json.metadata;
    expect(created.json).toMatchObject({
      spec: { username: 'system:bootstrap:x', groups: ['system:bootstrappers'] },
      status: {},
    });
    await server.request('PATCH', `${CSRS}/${name}/approval`, approved, { type: 'application/merge-patch+json' });
    const certificate = await untilSigned(server, name);
    const { X509Certificate } = await import('node:crypto');
    const parsed = new X509Certificate(Buffer.from(certificate, 'base64'));
    expect(parsed.subject.split('\n').sort()).toEqual(['CN=system:node:node1', 'O=system:nodes']);
    expect(parsed.verify(new X509Certificate((await kube.authority()).certificatePem).publicKey)).toBe(true);
  });

  it('succeed for node agents unless approval is switched off', async () => {
    await using server = createTestServer();
    const request = Buffer.from(await certificateRequest()).toString('base64');
    const spec = { request, signerName: 'kubernetes.io/kubelet-serving', usages: ['server auth'] };
    await server.request('POST', CSRS, { metadata: { name: 'a' }, spec });
    expect(await untilSigned(server, 'a')).not.toBe('');
  });
});

describe('a generated name', () => {
  const create = (letters: readonly number[]): string[] => {
    const left = [...letters];
    const next = (): number => left.shift() ?? 0;
    const kube = createFakeKube({ clock: createVirtualClock(), random: { ...seededRandom(1), next } });
    onTestFinished(() => kube[Symbol.asyncDispose]());
    const metadata = { generateName: 'map-', namespace: 'default' };
    return [0, 1].map(() => kube.objects.create(configMaps, { metadata }).metadata.name);
  };

  it('is generated again while it is in use, at most seven times', () => {
    expect(create([0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0.99])).toEqual(['map-bbbbb', 'map-9bbbb']);
    expect(() => create([])).toThrow('configmaps "map-bbbbb" already exists');
  });
});

describe('a stopped server', () => {
  it('cannot be reached, and has lost its history when it is back', async () => {
    await using server = createTestServer();
    const { kube, clock } = server;
    const watched = await server.watch(`${PODS}?watch=true`);
    kube.stop();
    await clock.settle();
    expect(watched.isEnded).toBe(true);
    await expect(server.request('GET', PODS)).rejects.toMatchObject({ code: 'ECONNREFUSED' });
    kube.start();
    expect((await server.request('GET', PODS)).status).toBe(200);
  });

  it('is controlled by requests of administrators', async () => {
    await using server = createTestServer({ authorization: 'node' });
    const { clock } = server;
    expect((await server.request('POST', '/fake/outage', { ms: 5000 }, { user: nodeUser('node1') })).status).toBe(403);
    expect((await server.request('POST', '/fake/outage', { ms: 5000 })).status).toBe(200);
    await clock.advance(1000);
    await expect(server.request('GET', PODS)).rejects.toMatchObject({ code: 'ECONNREFUSED' });
    await clock.advance(4000);
    const { json } = await server.request('GET', '/fake/requests');
    expect(json.items[0]).toMatchObject({
      method: 'POST',
      path: '/fake/outage',
      status: 403,
      user: 'system:node:node1',
    });
    expect((await server.request('POST', '/fake/staleness', { revisions: 'x' })).status).toBe(400);
    await server.request('POST', '/fake/faults', {
      match: { resource: 'nodes' },
      action: { type: 'error', reason: 'Forbidden' },
    });
    expect((await server.request('GET', '/api/v1/nodes')).status).toBe(403);
    await server.request('DELETE', '/fake/faults');
    expect((await server.request('GET', '/api/v1/nodes')).status).toBe(200);
  });
});

describe('objects of a test', () => {
  it('keep their status when they are applied', async () => {
    await using server = createTestServer();
    const { kube } = server;
    kube.objects.apply({ apiVersion: 'v1', kind: 'Node', metadata: { name: 'a' }, status: { phase: 'Running' } });
    kube.objects.apply({ apiVersion: 'v1', kind: 'Pod', ...podNamed('a'), status: { phase: 'Running' } });
    expect([kube.objects.get(nodes, 'a')?.status, kube.objects.get(pods, 'a', 'default')?.status]).toEqual([
      { phase: 'Running' },
      { phase: 'Running' },
    ]);
  });
});

async function untilSigned(server: ReturnType<typeof createTestServer>, name: string): Promise<string> {
  // Keys and signatures are made by threads of the process, which the virtual clock does not wait for.
  return vi.waitUntil(
    async () => {
      const { json } = await server.request('GET', `${CSRS}/${name}`);
      return json.status?.certificate;
    },
    { interval: 1, timeout: 30_000 },
  );
}

async function certificateRequest(): Promise<string> {
  const { Pkcs10CertificateRequestGenerator } = await import('@peculiar/x509');
  const algorithm = { name: 'ECDSA', namedCurve: 'P-256' };
  const keys = await crypto.subtle.generateKey(algorithm, true, ['sign', 'verify']);
  const signingAlgorithm = { name: 'ECDSA', hash: 'SHA-256' };
  const request = await Pkcs10CertificateRequestGenerator.create({
    name: 'O=system:nodes, CN=system:node:node1',
    keys,
    signingAlgorithm,
  });
  return request.toString('pem');
}
