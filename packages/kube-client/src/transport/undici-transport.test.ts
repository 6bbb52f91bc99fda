import { spawnSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect, createServer as createTcpServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isKubeError, type KubeClient, type TlsKeyPair } from '@rxlet/kube-api/client';
import { sleep, systemClock as clock, systemRandom as random } from '@rxlet/component-base';
import { createVirtualClock, recordingLogger } from '@rxlet/component-base/testing';
import {
  admin,
  createCertificateAuthority,
  createFakeKube,
  type FakeKube,
  type FakeKubeOptions,
  type FakeKubeServer,
  nodeUser,
  serveFakeKube,
} from '@rxlet/fake-kube';
import { createCurrentValue } from '@rxlet/component-base/streams';
import { createHostFiles } from '@rxlet/node-files';
import { resources } from '@rxlet/kube-api/resources';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createKubeClient } from '../create-kube-client.ts';
import { loadKubeconfig } from '../kubeconfig/load-kubeconfig.ts';
import { parseKubeconfig } from '../kubeconfig/parse-kubeconfig.ts';
import type { KubeEndpoint } from '../kubeconfig/kube-endpoint.ts';
import { podNamed } from '../test-support/cluster.ts';
import { createUndiciTransport, type UndiciTransport, type UndiciTransportPorts } from './undici-transport.ts';

const { pods } = resources;
const USER_AGENT = 'kubelet/v1.36.2 (linux/amd64) kubernetes/test';

let stack: AsyncDisposableStack;
let folder: string;
beforeEach(async () => {
  stack = new AsyncDisposableStack();
  folder = await mkdtemp(join(tmpdir(), 'kube-client-'));
  stack.defer(() => rm(folder, { recursive: true }));
});
afterEach(() => stack.disposeAsync());

async function serve(options: FakeKubeOptions = {}): Promise<{ kube: FakeKube; server: FakeKubeServer }> {
  const kube = stack.use(createFakeKube({ clock, random }, options));
  const server = stack.use(await serveFakeKube(kube));
  return { kube, server };
}

function connectTo(
  endpoint: KubeEndpoint,
  ports: Partial<UndiciTransportPorts> = {},
): { client: KubeClient; transport: UndiciTransport } {
  const transport = stack.use(createUndiciTransport({ clock, env: {}, ...ports }, endpoint));
  return { transport, client: createKubeClient({ transport, clock, random }, { userAgent: USER_AGENT }) };
}

describe('a transport', () => {
  // In a process of its own: without the reset by CANCEL it would run until the memory of the machine is used up.
  it('survives aborted requests whose bodies wait to be sent', { timeout: 30_000 }, () => {
    const script = new URL('../test-support/abort-many-requests.ts', import.meta.url).pathname;
    const { stdout, signal } = spawnSync(process.execPath, ['--conditions=@rxlet/source', script], {
      encoding: 'utf8',
      timeout: 20_000,
      killSignal: 'SIGKILL',
    });
    expect([stdout, signal]).toEqual(['answered', null]);
  });

  it('reaches an API server with the certificates of a kubeconfig, over one connection', async () => {
    const { kube, server } = await serve({ authorization: 'node' });
    kube.objects.create(pods, podNamed('a', 'node1'));
    await writeFile(join(folder, 'config'), await server.kubeconfig(nodeUser('node1')));
    const { client } = connectTo(await loadKubeconfig(createHostFiles(), join(folder, 'config')));
    await using watch = client.watch(pods, { fieldSelector: 'spec.nodeName=node1' });
    watch.start();
    await vi.waitFor(() => expect(watch.isSynced).toBe(true));
    const read = await Promise.all(
      Array.from({ length: 50 }, () => client.get(pods, { namespace: 'default', name: 'a' })),
    );
    expect(new Set(read.map(({ metadata }) => metadata?.name))).toEqual(new Set(['a']));
    kube.objects.create(pods, podNamed('b', 'node1'));
    await vi.waitFor(() => expect(watch.list()).toHaveLength(2));
    expect(server.connections()).toBe(1);
    expect(kube.requests()[0]).toMatchObject({ user: 'system:node:node1', userAgent: USER_AGENT });
  });

  it('resumes its watches when the server breaks all connections', async () => {
    const { kube, server } = await serve();
    const { client } = connectTo(parseKubeconfig(await server.kubeconfig(admin), '/config'));
    await using watch = client.watch(pods);
    watch.start();
    await vi.waitFor(() => expect(watch.isSynced).toBe(true));
    server.dropConnections();
    kube.objects.create(pods, podNamed('a'));
    await vi.waitFor(() => expect(watch.list()).toHaveLength(1), { timeout: 10_000 });
  });

  it('reports a server that is not there, and one with another authority', async () => {
    const { server } = await serve();
    const endpoint = parseKubeconfig(await server.kubeconfig(admin), '/config');
    const stranger = await (await serve()).kube.authority();
    const other = connectTo({ ...endpoint, ca: { pem: stranger.certificatePem } });
    const failure = await other.client.list(pods).catch((error: unknown) => error);
    expect(failure).toMatchObject({ reason: 'Unreachable' });
    expect(String(failure)).toMatch(/cannot GET \/api\/v1\/pods: .*certificate/);
    const trusting = connectTo({ ...endpoint, ca: undefined, isInsecure: true });
    expect((await trusting.client.list(pods)).items).toEqual([]);
    const url = server.url;
    await server[Symbol.asyncDispose]();
    const gone = connectTo({ ...endpoint, server: url });
    await expect(gone.client.list(pods)).rejects.toMatchObject({
      reason: 'Unreachable',
      message: expect.stringContaining('ECONNREFUSED') as string,
    });
  });

  it('follows a kubeconfig that was replaced: another authority, address and client certificate', async () => {
    const path = join(folder, 'config');
    const begin = async (): Promise<{ kube: FakeKube; server: FakeKubeServer }> => {
      const served = await serve({ authorization: 'node' });
      await writeFile(path, await served.server.kubeconfig(nodeUser('node1')));
      return served;
    };
    const first = await begin();
    const readEndpoint = (): Promise<KubeEndpoint> => loadKubeconfig(createHostFiles(), path);
    const { client, transport } = connectTo(await readEndpoint(), { readEndpoint });
    await using watch = client.watch(pods, { fieldSelector: 'spec.nodeName=node1' });
    watch.start();
    await vi.waitFor(() => expect(watch.isSynced).toBe(true));
    await first.server[Symbol.asyncDispose]();
    const { kube } = await begin();
    kube.objects.create(pods, podNamed('a', 'node1'));
    await transport.reload();
    await vi.waitFor(() => expect(watch.list()).toHaveLength(1), { timeout: 10_000 });
  });

  it('uses a rotated client certificate, and moves its watches to new connections', async () => {
    const { kube, server } = await serve({ authorization: 'node' });
    const authority = await kube.authority();
    const write = async (name: string): Promise<void> => {
      const subject = {
        commonName: `system:node:${name}`,
        organizations: ['system:nodes'],
        usages: ['client auth'],
      } as const;
      const { certificatePem, keyPem } = await authority.issue(subject);
      await writeFile(join(folder, 'client.pem'), `${certificatePem}${keyPem}`);
    };
    await write('node1');
    const file = { file: join(folder, 'client.pem') };
    const endpoint = {
      server: server.url,
      ca: { pem: server.caPem },
      clientCertificate: { certificate: file, key: file },
    };
    const { client, transport } = connectTo(endpoint);
    await using watch = client.watch(pods, { fieldSelector: 'spec.nodeName=node1' });
    watch.start();
    await vi.waitFor(() => expect(watch.isSynced).toBe(true));
    await write('node2');
    await transport.reload();
    // The watch is rejected, because the new certificate is of another node.
    await vi.waitFor(() => expect(isKubeError(watch.problem, 'Forbidden')).toBe(true));
    await client.list(pods, { fieldSelector: 'spec.nodeName=node2' });
    expect(kube.requests().at(-1)?.user).toBe('system:node:node2');
  });

  it('sends nothing before its certificate is issued, and loses no event when it is renewed', async () => {
    const { kube, server } = await serve({ authorization: 'node', tokens: { bootstrap: admin } });
    const authority = await kube.authority();
    const issue = (): Promise<TlsKeyPair> =>
      authority.issue({ commonName: 'system:node:node1', organizations: ['system:nodes'], usages: ['client auth'] });
    const clientCertificate = createCurrentValue<TlsKeyPair | undefined>(undefined);
    // Other credentials of the endpoint are not sent.
    const endpoint = { server: server.url, ca: { pem: server.caPem }, token: 'bootstrap' };
    const { client } = connectTo(endpoint, { clientCertificate });
    await expect(client.list(pods)).rejects.toMatchObject({ reason: 'InvalidCredentials' });
    expect([kube.requests(), server.connections()]).toEqual([[], 0]);

    clientCertificate.set(await issue());
    const seen: string[] = [];
    await using watch = client.watch(pods, { fieldSelector: 'spec.nodeName=node1' });
    watch.changes$.subscribe((change) => {
      if (change.type === 'added') seen.push(change.object.metadata?.name ?? '');
    });
    watch.start();
    await vi.waitFor(() => expect(watch.isSynced).toBe(true));
    for (const name of ['a', 'b', 'c']) {
      clientCertificate.set(await issue());
      kube.objects.create(pods, podNamed(name, 'node1'));
      await vi.waitFor(() => expect(seen.at(-1)).toBe(name), { timeout: 10_000 });
    }
    expect(seen).toEqual(['a', 'b', 'c']);
    await vi.waitFor(() => expect(server.connections()).toBe(1));
    expect(new Set(kube.requests().map(({ user }) => user))).toEqual(new Set(['system:node:node1']));

    clientCertificate.set(undefined);
    await expect(client.list(pods)).rejects.toMatchObject({ reason: 'InvalidCredentials' });
  });

  it('reports a certificate that is not valid, and an unknown server, until the files are replaced', async () => {
    const { kube, server } = await serve({ authorization: 'node' });
    const authority = await kube.authority();
    const foreign = await createCertificateAuthority({ clock, random });
    const subject = { commonName: 'admin', organizations: ['system:masters'], usages: ['client auth'] } as const;
    const file = { file: join(folder, 'client.pem') };
    const put = ({ certificatePem, keyPem }: TlsKeyPair): Promise<void> =>
      writeFile(file.file, certificatePem + keyPem);
    const ca = { file: join(folder, 'ca.crt') };
    await writeFile(ca.file, foreign.certificatePem);
    await put(await authority.issue({ ...subject, lifetimeMs: -1000 }));
    const time = createVirtualClock();
    const logger = recordingLogger();
    const endpoint = { server: server.url, ca, clientCertificate: { certificate: file, key: file } };
    const transport = stack.use(createUndiciTransport({ clock: time, env: {} }, endpoint));
    const client = createKubeClient({ transport, clock, random, logger }, { userAgent: USER_AGENT });
    const read = () => client.list(pods);
    const fail = async (reason: string): Promise<void> => {
      await expect(read()).rejects.toMatchObject({ reason });
      await expect(read()).rejects.toMatchObject({ reason });
    };

    await fail('Unreachable');
    await writeFile(ca.file, server.caPem);
    await time.advance(10_000);
    await fail('Unauthorized');
    await put(await foreign.issue(subject));
    await fail('Unauthorized');
    await put(await authority.issue(subject));
    expect((await read()).items).toEqual([]);
    expect(
      logger.lines.filter(({ level }) => level !== 'debug').map(({ message, fields }) => [message, fields['error']]),
    ).toEqual([
      [
        'cannot use the API server; requests are repeated',
        expect.stringMatching(/self-signed certificate|unable to verify|signature failure/),
      ],
      ['cannot use the API server; requests are repeated', 'Unauthorized'],
      ['the API server answers again', undefined],
    ]);
    expect(kube.requests().filter(({ status }) => status === 401)).toHaveLength(4);
  });

  it('reads a token file again after a rejection', async () => {
    const { server } = await serve({ authorization: 'node', tokens: { good: admin } });
    await writeFile(join(folder, 'token'), 'stale\n');
    const { client } = connectTo({ server: server.url, ca: { pem: server.caPem }, tokenFile: join(folder, 'token') });
    await expect(client.list(pods)).rejects.toMatchObject({ reason: 'Unauthorized', code: 401 });
    await writeFile(join(folder, 'token'), 'good\n');
    expect((await client.list(pods)).items).toEqual([]);
  });

  it('runs an exec plugin once for many requests, and again when the credentials expire', async () => {
    const { server } = await serve({ authorization: 'node', tokens: { first: admin, second: admin } });
    const runs: string[] = [];
    const exec = {
      apiVersion: 'client.authentication.k8s.io/v1',
      command: 'login',
      args: ['x'],
      env: {},
      installHint: undefined,
      cluster: undefined,
    };
    const { client } = connectTo(
      { server: server.url, ca: { pem: server.caPem }, exec },
      {
        runPlugin: async (command, args, env) => {
          runs.push(`${command} ${args.join()} ${env['KUBERNETES_EXEC_INFO'] ?? ''}`);
          const expirationTimestamp = runs.length === 1 ? new Date(clock.now() + 200).toISOString() : undefined;
          const status = { token: runs.length === 1 ? 'first' : 'second', expirationTimestamp };
          return JSON.stringify({ kind: 'ExecCredential', apiVersion: exec.apiVersion, status });
        },
      },
    );
    await Promise.all(Array.from({ length: 10 }, () => client.list(pods)));
    expect(runs).toEqual([
      'login x {"kind":"ExecCredential","apiVersion":"client.authentication.k8s.io/v1","spec":{"interactive":false}}',
    ]);
    await sleep(clock, 300);
    await client.list(pods);
    expect(runs).toHaveLength(2);
  });

  it('ends an exec plugin that hangs when it is disposed of', async () => {
    const exec = { apiVersion: 'client.authentication.k8s.io/v1', command: '/bin/sh', args: ['-c', 'exec sleep 600'] };
    const { client, transport } = connectTo({
      server: 'https://127.0.0.1:1',
      exec: { ...exec, env: {}, installHint: undefined, cluster: undefined },
    });
    const watch = client.watch(pods);
    watch.start();
    const listed = expect(client.list(pods)).rejects.toThrow('cannot run exec plugin /bin/sh');
    await sleep(clock, 50);
    // None of these waits for the plugin, which would outlast the test.
    await watch[Symbol.asyncDispose]();
    await transport[Symbol.asyncDispose]();
    await listed;
  });

  it('reads compressed answers, and reports one that is cut', async () => {
    const { kube, server } = await serve();
    for (let index = 0; index < 300; index += 1) kube.objects.create(pods, podNamed(`pod-${String(index)}`));
    const { client } = connectTo(parseKubeconfig(await server.kubeconfig(admin), '/config'));
    expect((await client.list(pods)).items).toHaveLength(300);
    expect((await client.list(pods, { limit: 70 })).items).toHaveLength(300);
    kube.faults.add({ times: 1, action: { type: 'drop', when: 'after' } });
    await expect(client.create(pods, podNamed('new'))).rejects.toMatchObject({ reason: 'Unreachable' });
    expect(kube.objects.get(pods, 'new', 'default')).toBeDefined();
    kube.faults.add({ times: 1, action: { type: 'drop', when: 'before' } });
    expect((await client.get(pods, { namespace: 'default', name: 'new' })).metadata?.name).toBe('new');
    expect(server.connections()).toBe(1);
  });

  it('goes through a proxy', async () => {
    const { server } = await serve();
    const tunnels: string[] = [];
    const proxy: Server = createServer();
    proxy.on('connect', (request, socket) => {
      tunnels.push(request.url ?? '');
      const [, port] = (request.url ?? '').split(':');
      const upstream = connect(Number(port), '127.0.0.1', () => {
        socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
        upstream.pipe(socket).pipe(upstream);
      });
      upstream.on('error', () => socket.destroy());
      socket.on('error', () => upstream.destroy());
      stack.defer(() => void (upstream.destroy() && socket.destroy()));
    });
    await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
    stack.defer(() => new Promise<void>((resolve) => proxy.close(() => resolve())));
    const proxyUrl = `http://127.0.0.1:${String((proxy.address() as AddressInfo).port)}`;
    const endpoint = parseKubeconfig(await server.kubeconfig(admin), '/config');
    const { client } = connectTo({ ...endpoint, proxyUrl });
    expect((await client.list(pods)).items).toEqual([]);
    expect(tunnels).toEqual([server.url.slice(8)]);
    // A name for the same server, which only the proxy knows.
    const named = { ...endpoint, server: server.url.replace('127.0.0.1', 'api.example'), tlsServerName: 'localhost' };
    const byEnvironment = connectTo(named, { env: { HTTPS_PROXY: proxyUrl, NO_PROXY: '127.0.0.0/8' } });
    expect((await byEnvironment.client.list(pods)).items).toEqual([]);
    const direct = connectTo(endpoint, { env: { HTTPS_PROXY: proxyUrl } });
    expect((await direct.client.list(pods)).items).toEqual([]);
    expect(tunnels).toEqual([server.url.slice(8), named.server.slice(8)]);
  });

  it('ends requests without an answer, and bodies that are read or left, when it is disposed of', async () => {
    const { kube, server } = await serve();
    const endpoint = parseKubeconfig(await server.kubeconfig(admin), '/config');
    const transport = createUndiciTransport({ clock, env: {} }, endpoint);
    const send = (path: string) => {
      const { signal } = new AbortController();
      return transport.send({ method: 'GET', path, headers: {}, signal, body: undefined });
    };
    const watch = '/api/v1/pods?watch=true';
    const [read] = await Promise.all([send(watch), send(watch)]);
    const reading = read.body[Symbol.asyncIterator]().next();
    kube.faults.add({ match: { resource: 'nodes' }, action: { type: 'hang' } });
    const unanswered = send('/api/v1/nodes');
    // Both are in flight then.
    await sleep(clock, 20, new AbortController().signal);
    const ended = Promise.allSettled([reading, unanswered]);
    await transport[Symbol.asyncDispose]();
    const rejected = { status: 'rejected', reason: { name: 'LifetimeEnded' } };
    expect(await ended).toMatchObject([rejected, rejected]);
  });

  it('replaces a connection that died silently', async () => {
    const { kube, server } = await serve();
    const port = Number(new URL(server.url).port);
    let isDead = false;
    // A network that stops to carry the packets of existing connections.
    const relay = createTcpServer((socket) => {
      const upstream = connect(port, '127.0.0.1');
      let isCut = false;
      socket.on('data', (data) => {
        isCut ||= isDead;
        if (!isCut) upstream.write(data);
      });
      upstream.on('data', (data) => {
        isCut ||= isDead;
        if (!isCut) socket.write(data);
      });
      for (const [end, other] of [
        [socket, upstream],
        [upstream, socket],
      ] as const) {
        end.on('error', () => other.destroy());
        end.on('close', () => other.destroy());
      }
    });
    await new Promise<void>((resolve) => relay.listen(0, '127.0.0.1', resolve));
    stack.defer(() => new Promise<void>((resolve) => relay.close(() => resolve())));
    const url = `https://127.0.0.1:${String((relay.address() as AddressInfo).port)}`;
    const endpoint = { ...parseKubeconfig(await server.kubeconfig(admin), '/config'), server: url };
    const transport = stack.use(createUndiciTransport({ clock, env: {} }, endpoint));
    const client = createKubeClient({ transport, clock, random }, { userAgent: USER_AGENT, timeoutMs: 500 });
    await using watch = client.watch(pods);
    watch.start();
    await vi.waitFor(() => expect(watch.isSynced).toBe(true));
    isDead = true;
    await expect(client.list(pods)).rejects.toMatchObject({ reason: 'DeadlineExceeded' });
    isDead = false;
    kube.objects.create(pods, podNamed('a'));
    await vi.waitFor(() => expect(watch.list()).toHaveLength(1), { timeout: 15_000 });
    expect((await client.list(pods)).items).toHaveLength(1);
  });
});
