import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '@rxlet/component-base';
import type { Node, Pod } from '@rxlet/kube-api';
import { type ControlPlane, controlPlaneUnavailable, startControlPlane } from '@rxlet/test-containerd/control-plane';
import { eventually } from '@rxlet/test-containerd/eventually';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { run } from './run.ts';

const REPLICAS = 300;
const NODES = 50;

interface Deployment {
  readonly status?: { readonly availableReplicas?: number; readonly replicas?: number };
}

const deployment = (image: string, replicas = REPLICAS) => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'web', namespace: 'default' },
  spec: {
    replicas,
    selector: { matchLabels: { app: 'web' } },
    template: {
      metadata: { labels: { app: 'web' } },
      spec: {
        terminationGracePeriodSeconds: 5,
        containers: [{ name: 'web', image, readinessProbe: { httpGet: { path: '/', port: 80 }, periodSeconds: 1 } }],
      },
    },
  },
});

let folder: string;
let plane: ControlPlane;
let certificate: { readonly certificate: string; readonly key: string };
const unavailable = controlPlaneUnavailable();

/** Runs a fleet while `body` does. @returns what it wrote to standard error */
async function withFleet(args: readonly string[], body: () => Promise<void>): Promise<string> {
  const stop = new AbortController();
  const ready = Promise.withResolvers<void>();
  let stderr = '';
  const files = ['--tls-cert-file', certificate.certificate, '--tls-private-key-file', certificate.key];
  const running = run(['--kubeconfig', plane.adminKubeconfig, '--node-ip', '127.0.0.1', ...files, ...args], {
    stdout: (text) => void (text.includes('ready') && ready.resolve()),
    stderr: (text) => (stderr += text),
    signal: stop.signal,
  });
  running.then(() => ready.reject(new Error(`the fleet ended: ${stderr}`)), ready.reject);
  await ready.promise;
  try {
    await body();
  } finally {
    stop.abort();
    await running;
  }
  return stderr;
}

const get = async <T>(...args: readonly string[]): Promise<T> =>
  JSON.parse(await plane.kubectl(['get', '-o', 'json', ...args])) as T;
const pods = async (): Promise<readonly Pod[]> => (await get<{ items: readonly Pod[] }>('pods')).items;
const rolledOut = () => plane.kubectl(['rollout', 'status', 'deployment/web', '--timeout=110s']);

describe.skipIf(unavailable !== undefined)(
  'a fleet in a cluster with a real control plane',
  { timeout: 300_000 },
  () => {
    beforeAll(async () => {
      folder = await mkdtemp(join(tmpdir(), 'rxlet-fleet-'));
      plane = await startControlPlane(folder);
      // The API server verifies the certificates of nodes.
      const subject = { commonName: 'system:node:rxlet-fleet', organizations: ['system:nodes'], hosts: ['127.0.0.1'] };
      certificate = await plane.issue('fleet', { ...subject, usages: ['server auth'] });
    });
    afterAll(async () => {
      await plane[Symbol.asyncDispose]();
      await rm(folder, { recursive: true, force: true });
    });

    it('updates a Deployment of 300 pods on 50 nodes while enough of them are available', async () => {
      const stderr = await withFleet(['--nodes', String(NODES), '--workers', '2'], async () => {
        await plane.apply(deployment('nginx:1'));
        await rolledOut();
        const perNode = Map.groupBy(await pods(), ({ spec }) => spec?.nodeName);
        expect(Array.from(perNode.values(), ({ length }) => length)).toEqual(
          Array<number>(NODES).fill(REPLICAS / NODES),
        );
        await plane.apply(deployment('nginx:2'));
        let isDone = false;
        const done = rolledOut().then(() => void (isDone = true));
        let [fewest, most] = [REPLICAS, 0];
        while (!isDone) {
          const { status } = await get<Deployment>('deployment', 'web');
          fewest = Math.min(fewest, status?.availableReplicas ?? 0);
          most = Math.max(most, status?.replicas ?? 0);
          await new Promise((resolve) => systemClock.setTimer(200, () => resolve(undefined)));
        }
        await done;
        expect(fewest).toBeGreaterThanOrEqual(REPLICAS * 0.75);
        expect(most).toBeLessThanOrEqual(REPLICAS * 1.25);
        const current = (await pods()).filter(({ metadata }) => metadata?.deletionTimestamp === undefined);
        expect(current.map(({ spec }) => spec?.containers[0]?.image)).toEqual(Array<string>(REPLICAS).fill('nginx:2'));
        await plane.kubectl(['delete', 'deployment', 'web']);
        await eventually('all pods have ended', async () => (await pods()).length === 0, undefined, 120_000);
      });
      expect(stderr).toBe('');
      expect((await get<{ items: readonly Node[] }>('nodes')).items).toEqual([]);
    });

    it('is permitted everything that it does as nodes, answers kubectl, and is drained', async () => {
      const forbidden = async () =>
        (await plane.kubectl(['get', '--raw', '/metrics']))
          .split('\n')
          .filter((line) => line.startsWith('apiserver_request_total') && line.includes('code="403"'));
      const before = await forbidden();
      const stderr = await withFleet(['--nodes', '3', '--node-credentials'], async () => {
        await plane.apply(deployment('nginx:1', 6));
        await rolledOut();
        const [pod] = await pods();
        const { metadata: { name = '' } = {}, spec: { nodeName = '' } = {} } = pod!;
        expect((await plane.kubectl(['exec', name, '--', 'hostname'])).trim()).toBe(name);
        await plane.kubectl(['logs', name]);
        await plane.kubectl(['drain', nodeName, '--timeout=60s']);
        const moved = await pods();
        expect(moved.filter(({ spec }) => spec?.nodeName === nodeName)).toEqual([]);
        await rolledOut();
        await plane.kubectl(['delete', 'deployment', 'web']);
        await eventually('all pods have ended', async () => (await pods()).length === 0, undefined, 60_000);
      });
      expect(stderr).toBe('');
      expect(await forbidden()).toEqual(before);
      expect((await get<{ items: readonly Node[] }>('nodes')).items).toEqual([]);
    });
  },
);
