import { type ChildProcess, spawn } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import { openSync } from 'node:fs';
import { access, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sleep, systemClock as clock, systemRandom as random } from '@rxlet/component-base';
import { createCertificateAuthority, type User } from '@rxlet/fake-kube';
import type { KubeEndpoint } from '../kubeconfig/kube-endpoint.ts';
import { createUndiciTransport } from '../transport/undici-transport.ts';

/** A real API server with its database, on free ports of the loopback. */
export interface ControlPlane extends AsyncDisposable {
  endpointOf(user: User): Promise<KubeEndpoint>;
}

const START_TIMEOUT_MS = 60_000;
const POLL_MS = 250;

/** Starts `etcd` and `kube-apiserver` of a folder of programs. */
export async function startControlPlane(programs: string): Promise<ControlPlane> {
  await using stack = new AsyncDisposableStack();
  const folder = await mkdtemp(join(tmpdir(), 'control-plane-'));
  stack.defer(() => rm(folder, { recursive: true, force: true }));
  const file = async (name: string, content: string): Promise<string> => {
    await writeFile(join(folder, name), content, { mode: 0o600 });
    return join(folder, name);
  };
  const start = (program: string, args: readonly string[]): ChildProcess => {
    const log = openSync(join(folder, `${program}.log`), 'a');
    const child = spawn(join(programs, program), args, { stdio: ['ignore', log, log], cwd: folder });
    stack.defer(async () => {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const ended = once(child, 'exit');
      child.kill('SIGKILL');
      await ended;
    });
    return child;
  };
  for (const program of ['etcd', 'kube-apiserver']) await access(join(programs, program));

  const authority = await createCertificateAuthority({ clock, random });
  const serving = await authority.issue({
    commonName: 'kube-apiserver',
    hosts: ['127.0.0.1'],
    usages: ['server auth'],
  });
  const tokenKey = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const ca = await file('ca.crt', authority.certificatePem);
  const signingKey = await file('sa.key', tokenKey.privateKey.export({ type: 'pkcs1', format: 'pem' }) as string);
  const publicKey = await file('sa.pub', tokenKey.publicKey.export({ type: 'spki', format: 'pem' }) as string);
  const [client, peer, secure] = await freePorts(3);
  const etcd = `http://127.0.0.1:${String(client)}`;
  start('etcd', [
    `--data-dir=${join(folder, 'etcd')}`,
    `--listen-client-urls=${etcd}`,
    `--advertise-client-urls=${etcd}`,
    `--listen-peer-urls=http://127.0.0.1:${String(peer)}`,
    '--unsafe-no-fsync',
  ]);
  start('kube-apiserver', [
    `--etcd-servers=${etcd}`,
    `--secure-port=${String(secure)}`,
    '--bind-address=127.0.0.1',
    '--advertise-address=127.0.0.1',
    `--tls-cert-file=${await file('server.crt', serving.certificatePem)}`,
    `--tls-private-key-file=${await file('server.key', serving.keyPem)}`,
    `--client-ca-file=${ca}`,
    `--service-account-key-file=${publicKey}`,
    `--service-account-signing-key-file=${signingKey}`,
    '--service-account-issuer=https://kubernetes.default.svc',
    '--authorization-mode=Node,RBAC',
    '--enable-admission-plugins=NodeRestriction',
    '--service-cluster-ip-range=10.96.0.0/16',
    '--allow-privileged=true',
  ]);

  const endpointOf = async ({ name, groups }: User): Promise<KubeEndpoint> => {
    const usages = ['client auth'] as const;
    const { certificatePem, keyPem } = await authority.issue({ commonName: name, organizations: groups, usages });
    return {
      server: `https://127.0.0.1:${String(secure)}`,
      ca: { pem: authority.certificatePem },
      clientCertificate: { certificate: { pem: certificatePem }, key: { pem: keyPem } },
    };
  };
  await untilReady(await endpointOf({ name: 'admin', groups: ['system:masters'] }));
  const started = stack.move();
  return { endpointOf, [Symbol.asyncDispose]: () => started.disposeAsync() };
}

async function untilReady(endpoint: KubeEndpoint): Promise<void> {
  await using transport = createUndiciTransport({ clock, env: {} }, endpoint);
  const deadlineMs = clock.monotonicNow() + START_TIMEOUT_MS;
  const isReady = async (): Promise<boolean> => {
    try {
      const signal = new AbortController().signal;
      const { status, body } = await transport.send({ method: 'GET', path: '/readyz', headers: {}, signal });
      for await (const _ of body);
      return status === 200;
    } catch {
      return false;
    }
  };
  while (!(await isReady())) {
    if (clock.monotonicNow() > deadlineMs) throw new Error('the API server did not become ready in time');
    await sleep(clock, POLL_MS);
  }
}

async function freePorts(count: number): Promise<readonly number[]> {
  const servers = await Promise.all(
    Array.from({ length: count }, async () => {
      const server = createServer().listen(0, '127.0.0.1');
      await once(server, 'listening');
      return server;
    }),
  );
  const ports = servers.map((server) => (server.address() as AddressInfo).port);
  await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
  return ports;
}
