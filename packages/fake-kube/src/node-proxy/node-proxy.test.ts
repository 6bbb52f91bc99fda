import { once } from 'node:events';
import { createServer, request } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import type { TLSSocket } from 'node:tls';
import { seededRandom, systemClock } from '@rxlet/component-base';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { admin, nodeUser, type User } from '../auth/user.ts';
import { createFakeKube } from '../create-fake-kube.ts';
import type { FakeKube } from '../fake-kube.ts';
import { podNamed } from '../test-support.ts';

const PODS = '/api/v1/namespaces/default/pods';

let stack: AsyncDisposableStack;
let kube: FakeKube;
/** Paths and clients of the requests that the kubelet got. */
let seen: string[];

beforeEach(async () => {
  stack = new AsyncDisposableStack();
  kube = stack.use(createFakeKube({ clock: systemClock, random: seededRandom(1) }, { authorization: 'node' }));
  seen = [];
  const port = await serveKubelet();
  kube.objects.apply({
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name: 'n1' },
    status: {
      addresses: [{ type: 'InternalIP', address: '127.0.0.1' }],
      daemonEndpoints: { kubeletEndpoint: { Port: port } },
    },
  });
  kube.objects.create({ group: '', plural: 'pods' }, podNamed('web', { nodeName: 'n1' }));
  kube.objects.create({ group: '', plural: 'pods' }, podNamed('pending'));
});
afterEach(() => stack.disposeAsync());

/** Serves a kubelet that records its requests, and echoes what streams send. @returns its port */
async function serveKubelet(): Promise<number> {
  const authority = await kube.authority();
  const { certificatePem: cert, keyPem: key } = await authority.issue({ commonName: 'n1', usages: ['server auth'] });
  const options = { cert, key, ca: authority.certificatePem, requestCert: true, rejectUnauthorized: true };
  const record = (socket: unknown, url = ''): void => {
    const { subject } = (socket as TLSSocket).getPeerCertificate();
    seen.push(`${String(subject.CN)} ${url}`);
  };
  const server = createServer(options, (message, response) => {
    record(message.socket, message.url);
    response.end('line\n');
  });
  server.on('upgrade', (message, socket: Duplex) => {
    record(socket, message.url);
    socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: echo\r\n\r\n');
    socket.pipe(socket);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  stack.defer(() => {
    server.closeAllConnections();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}

async function read(path: string, user: User = admin): Promise<{ status: number; text: string }> {
  const { status, body } = await kube.handle({ method: 'GET', path, headers: {}, user });
  const chunks: Uint8Array[] = [];
  for await (const chunk of body) chunks.push(chunk);
  return { status, text: Buffer.concat(chunks).toString() };
}

describe('requests for a kubelet', () => {
  it('read logs by the identity of the API server', async () => {
    expect(await read(`${PODS}/web/log?follow=true&tailLines=3&container=c`)).toEqual({ status: 200, text: 'line\n' });
    expect(seen).toEqual(['kube-apiserver-kubelet-client /containerLogs/default/web/c?follow=true&tailLines=3']);
  });

  it.each([
    ['pending/log', 400, 'pod pending does not have a host assigned'],
    ['web/log?container=none', 400, 'container none is not valid for pod web'],
    ['absent/log', 404, 'pods \\"absent\\" not found'],
  ])('fail for %s', async (path, status, message) => {
    const answer = await read(`${PODS}/${path}`);
    expect(answer).toEqual({ status, text: expect.stringContaining(message) as string });
    expect(seen).toEqual([]);
  });

  it('fail for node agents, and follow faults', async () => {
    expect((await read(`${PODS}/web/log`, nodeUser('n1'))).status).toBe(403);
    kube.faults.add({ match: { subresource: 'log' }, times: 1, action: { type: 'error', reason: 'TooManyRequests' } });
    expect((await read(`${PODS}/web/log`)).status).toBe(429);
  });

  it('name the failure when the node cannot be reached', async () => {
    const status = { daemonEndpoints: { kubeletEndpoint: { Port: 1 } } };
    kube.objects.merge({ group: '', plural: 'nodes' }, 'n1', undefined, { status }, 'status');
    expect(await read(`${PODS}/web/log`)).toMatchObject({
      status: 500,
      text: expect.stringContaining('error dialing backend: connect ECONNREFUSED') as string,
    });
  });

  it('join streams with the kubelet, in both directions', async () => {
    const { serveFakeKube } = await import('../server/serve-fake-kube.ts');
    const server = stack.use(await serveFakeKube(kube));
    const { certificatePem: cert, keyPem: key } = await (
      await kube.authority()
    ).issue({ commonName: admin.name, organizations: ['system:masters'], usages: ['client auth'] });
    const open = (path: string) => {
      const headers = { connection: 'Upgrade', upgrade: 'echo', 'content-length': '0' };
      const sent = request(`${server.url}${path}`, { method: 'POST', headers, cert, key, ca: server.caPem });
      sent.end();
      return sent;
    };
    const [answer, socket] = (await once(
      open(`${PODS}/web/exec?command=a%20b&command=c&stdin=true&tty=false`),
      'upgrade',
    )) as [{ statusCode: number }, Duplex];
    expect(answer.statusCode).toBe(101);
    socket.write('ping');
    expect(String(await once(socket, 'data'))).toBe('ping');
    socket.destroy();
    expect(seen).toEqual(['kube-apiserver-kubelet-client /exec/default/web/c?command=a+b&command=c&input=1']);
    const [rejected] = (await once(open(`${PODS}/pending/exec?command=a`), 'response')) as [{ statusCode: number }];
    expect(rejected.statusCode).toBe(400);
  });
});
