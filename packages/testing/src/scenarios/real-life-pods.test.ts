import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Pod } from '@rxlet/kube-api';
import { podQosClass } from '@rxlet/pod-model';
import { staticPods } from '@rxlet/pod-source';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { createTestNode, type TestNode } from '../test-node.ts';

const WORKLOADS = join(import.meta.dirname, '../../../../apps/agent/workloads');

/** Starts an agent on a folder of manifests, and waits until it knows their pods. The runtime has programs that run until they are stopped in place of all images. */
async function startWith(folder: string, podCount: number, prepare?: (node: TestNode) => void): Promise<TestNode> {
  const node = createTestNode();
  onTestFinished(() => node[Symbol.asyncDispose]());
  for (const file of readdirSync(join(WORKLOADS, folder)))
    node.files.put(`/manifests/${file}`, readFileSync(join(WORKLOADS, folder, file), 'utf8'));
  prepare?.(node);
  await startAgent(node);
  // The decoder of manifests is loaded from the disk, for which the virtual clock does not wait.
  const known = async (): Promise<void> => {
    await node.advance(1_000);
    expect(podsOf(node)).toHaveLength(podCount);
  };
  await vi.waitFor(known, { timeout: 30_000, interval: 10 });
  return node;
}

async function startAgent(node: TestNode): Promise<void> {
  const folder = staticPods({ path: '/manifests', documents: true });
  await node.start({ modules: [folder], without: ['pods-from-file'] });
}

const podsOf = (node: TestNode): readonly Pod[] =>
  node
    .agent()
    .pods.list()
    .toSorted((a, b) => ((a.metadata?.name ?? '') < (b.metadata?.name ?? '') ? -1 : 1));
const isReady = ({ status }: Pod): boolean =>
  status?.conditions?.some(({ type, status: is }) => type === 'Ready' && is === 'True') === true;
const mountsOf = (node: TestNode, pod: string, container: string): Readonly<Record<string, string>> => {
  const mounts = node.instances(`${pod}-node1`, container)[0]?.mounts ?? [];
  return Object.fromEntries(mounts.map(({ containerPath, hostPath }) => [containerPath, hostPath]));
};
/** Makes the stand-in of a container answer at a port like a server that needs a while to become ready. */
const serve = (node: TestNode, container: string, port: number): void =>
  node.fake.setScript(
    { container },
    { ports: [{ port, protocol: 'http', responses: [{ status: 500 }, { afterSeconds: 5, status: 200 }] }] },
  );

describe('the static pods of a kubeadm control plane', () => {
  const start = (): Promise<TestNode> =>
    startWith('control-plane', 4, (node) => {
      serve(node, 'etcd', 2381);
      serve(node, 'kube-apiserver', 6443);
      serve(node, 'kube-controller-manager', 10257);
      serve(node, 'kube-scheduler', 10259);
    });

  it('pass admission and become ready by their probes', async () => {
    const node = await start();
    await node.advance(60_000);
    const names = ['etcd', 'kube-apiserver', 'kube-controller-manager', 'kube-scheduler'];
    expect(node.agent().sourceProblems.value).toEqual([]);
    expect(podsOf(node).map(({ metadata }) => metadata?.name)).toEqual(names.map((name) => `${name}-node1`));
    expect(podsOf(node).map(isReady)).toEqual(names.map(() => true));
    expect(podsOf(node).map(podQosClass)).toEqual(names.map(() => 'Burstable'));
    expect(node.running()).toEqual(names.map((name) => `${name}-node1/${name}`));
    for (const { status } of podsOf(node)) expect(status).toMatchObject({ phase: 'Running', hostIP: '192.0.2.1' });
    await node.expectNoLeaks();
  });

  it('get the files and directories of the host, which are created where they are missing', async () => {
    const node = await start();
    await node.advance(60_000);
    expect(mountsOf(node, 'etcd', 'etcd')).toMatchObject({ '/var/lib/etcd': '/var/lib/etcd' });
    const config = '/etc/kubernetes/controller-manager.conf';
    expect(mountsOf(node, 'kube-controller-manager', 'kube-controller-manager')).toMatchObject({ [config]: config });
    expect(node.files.info('/var/lib/etcd')).toMatchObject({ kind: 'directory' });
    expect(node.files.info(config)).toMatchObject({ kind: 'file' });
  });

  it('share the network of the node', async () => {
    const node = await start();
    await node.advance(60_000);
    const { sandboxes, containers } = node.fake.snapshot();
    for (const { linux } of sandboxes) expect(linux?.namespaces?.options).toMatchObject({ network: 2 });
    expect(containers).toHaveLength(4);
  });

  it('stay through a restart of the agent, and end with their manifests', async () => {
    const node = await start();
    await node.advance(60_000);
    await node.kill();
    await startAgent(node);
    await node.advance(30_000);
    expect(node.fake.snapshot().containers).toHaveLength(4);
    expect(podsOf(node).every(isReady)).toBe(true);
    for (const name of ['etcd', 'kube-apiserver', 'kube-controller-manager', 'kube-scheduler'])
      node.files.remove(`/manifests/${name}.yaml`);
    await node.advance(120_000);
    expect(node.running()).toEqual([]);
    await node.expectNoLeaks();
  });
});

describe('the pod template of a Deployment as a pod', () => {
  const start = (): Promise<TestNode> => startWith('shop', 1);

  it('is admitted, and becomes ready with its init container, sidecar, volumes and environment', async () => {
    const node = await start();
    await node.advance(60_000);
    expect(node.agent().sourceProblems.value).toEqual([]);
    const [shop] = podsOf(node);
    expect(shop?.status).toMatchObject({ phase: 'Running' });
    expect(isReady(shop!)).toBe(true);
    expect(node.running()).toEqual(['shop-node1/access-log', 'shop-node1/web']);
    expect(Object.keys(mountsOf(node, 'shop', 'web'))).toEqual(
      expect.arrayContaining(['/www', '/logs', '/run/secrets/database']),
    );
    await node.expectNoLeaks();
  });

  it('gets what the ConfigMap and the Secret beside it hold', async () => {
    const node = await start();
    await node.advance(60_000);
    const { '/run/secrets/database': secret = '' } = mountsOf(node, 'shop', 'web');
    expect(node.files.text(`${secret}/username`)).toBe('shop');
    const { '/settings': settings = '' } = mountsOf(node, 'shop', 'migrate');
    expect(node.files.text(`${settings}/index.html`)).toBe('<h1>The shop is open</h1>\n');
  });

  it('ends its sidecar after its web server', async () => {
    const node = await start();
    await node.advance(60_000);
    node.files.remove('/manifests/shop.yaml');
    const endsMs = (container: string): number =>
      Number(node.instances('shop-node1', container)[0]?.finishedAt ?? 0n) / 1e6;
    await node.until(() => node.running().length === 0);
    expect(endsMs('web')).toBeGreaterThan(0);
    expect(endsMs('access-log')).toBeGreaterThanOrEqual(endsMs('web'));
    await node.expectNoLeaks();
  });
});
