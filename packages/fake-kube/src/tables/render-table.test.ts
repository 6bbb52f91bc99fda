import { resources } from '@rxlet/kube-api/resources';
import { describe, expect, it } from 'vitest';
import { admin } from '../auth/user.ts';
import { createTestServer, podNamed, type TestServer } from '../test-support.ts';

const KUBECTL =
  'application/json;as=Table;v=v1;g=meta.k8s.io,application/json;as=Table;v=v1beta1;g=meta.k8s.io,application/json';
const PODS = '/api/v1/namespaces/default/pods';

interface Table {
  readonly kind: string;
  readonly apiVersion: string;
  readonly metadata: { readonly resourceVersion: string };
  readonly columnDefinitions: readonly { readonly name: string; readonly priority: number }[];
  readonly rows: readonly { readonly cells: readonly unknown[]; readonly object?: { readonly kind: string } }[];
}

async function read({ kube }: TestServer, path: string, accept = KUBECTL): Promise<Table> {
  const answer = await kube.handle({ method: 'GET', path, headers: { accept }, user: admin });
  const chunks = [];
  for await (const chunk of answer.body) chunks.push(chunk);
  return JSON.parse(Buffer.concat(chunks).toString()) as Table;
}

describe('tables', () => {
  it('show what kubectl shows of a list, an object and a watch', async () => {
    await using server = createTestServer();
    const { kube, clock } = server;
    const status = {
      phase: 'Running',
      podIP: '10.0.0.1',
      containerStatuses: [
        { name: 'c', ready: false, restartCount: 3, state: { waiting: { reason: 'CrashLoopBackOff' } } },
      ],
    };
    kube.objects.apply({ apiVersion: 'v1', kind: 'Pod', ...podNamed('a', { nodeName: 'n1' }), status });
    await clock.advance(90_000);
    const table = await read(server, PODS);
    expect([table.kind, table.apiVersion]).toEqual(['Table', 'meta.k8s.io/v1']);
    expect(table.columnDefinitions.map(({ name, priority }) => `${name}${String(priority)}`)).toEqual([
      'Name0',
      'Ready0',
      'Status0',
      'Restarts0',
      'Age0',
      'IP1',
      'Node1',
      'Nominated Node1',
      'Readiness Gates1',
    ]);
    const cells = ['a', '0/1', 'CrashLoopBackOff', '3', '90s', '10.0.0.1', 'n1', '<none>', '<none>'];
    expect(table.rows).toMatchObject([{ cells, object: { kind: 'PartialObjectMetadata' } }]);
    expect((await read(server, `${PODS}/a`)).rows).toMatchObject([{ cells }]);
    expect((await read(server, `${PODS}?includeObject=Object`)).rows[0]?.object).toMatchObject({ kind: 'Pod' });
    expect((await read(server, `${PODS}?includeObject=None`)).rows).toEqual([{ cells }]);

    const { body } = await kube.handle({
      method: 'GET',
      path: `${PODS}?watch=true`,
      headers: { accept: KUBECTL },
      user: admin,
    });
    for await (const chunk of body) {
      expect(JSON.parse(Buffer.from(chunk).toString())).toMatchObject({
        type: 'ADDED',
        object: { kind: 'Table', rows: [{ cells }] },
      });
      break;
    }
  });

  it('go only to clients that prefer them', async () => {
    await using server = createTestServer();
    expect((await read(server, PODS, 'application/json')).kind).toBe('PodList');
    expect((await read(server, PODS, 'application/json, application/json;as=Table;v=v1;g=meta.k8s.io')).kind).toBe(
      'PodList',
    );
    expect((await read(server, `${PODS}?includeObject=All`)).kind).toBe('Status');
  });

  it('define columns for the kinds of a node', async () => {
    await using server = createTestServer();
    const { objects } = server.kube;
    const metadata = { name: 'a' };
    objects.apply({
      apiVersion: 'v1',
      kind: 'Node',
      metadata: { ...metadata, labels: { 'node-role.kubernetes.io/worker': '' } },
      spec: { unschedulable: true },
      status: { conditions: [{ type: 'Ready', status: 'True' }], nodeInfo: { kubeletVersion: 'v1.36.2' } },
    });
    objects.create(resources.leases, {
      metadata: { ...metadata, namespace: 'default' },
      spec: { holderIdentity: 'a' },
    });
    objects.create(resources.secrets, { metadata: { ...metadata, namespace: 'default' }, data: { x: '' } });
    const cells = async (path: string): Promise<unknown> => (await read(server, path)).rows[0]?.cells.slice(0, 5);
    expect(await cells('/api/v1/nodes')).toEqual(['a', 'Ready,SchedulingDisabled', 'worker', '0s', 'v1.36.2']);
    expect(await cells('/apis/coordination.k8s.io/v1/leases')).toEqual(['a', 'a', '0s']);
    expect(await cells('/api/v1/secrets')).toEqual(['a', 'Opaque', 1, '0s']);
    expect(await cells('/api/v1/namespaces')).toEqual(['default', 'Active', '0s']);
  });
});
