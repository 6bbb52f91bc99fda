import { createServer } from 'node:net';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Node, Pod } from '@rxlet/kube-api';
import { resources } from '@rxlet/kube-api/resources';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { run } from './run.ts';
import { type RunningFleet, startFleet } from './test-support/running-fleet.ts';

let fleet: RunningFleet;
beforeAll(async () => {
  fleet = await startFleet('--nodes', '5', '--workers', '2');
}, 60_000);
afterAll(async () => {
  await fleet[Symbol.asyncDispose]();
});

const isReady = ({ status }: Node | Pod): boolean =>
  status?.conditions?.some(({ type, status: value }) => type === 'Ready' && value === 'True') === true;

describe('threads of a fleet', { timeout: 60_000 }, () => {
  it('share the nodes', async () => {
    const { items } = await fleet.client.list(resources.nodes);
    expect(items.filter(isReady).map(({ metadata }) => metadata?.name)).toEqual(
      [0, 1, 2, 3, 4].map((n) => `fake-${String(n)}`),
    );
  });

  it('answer for logs and statistics of every node', async () => {
    const names = [0, 1, 2, 3, 4].map((index) => `talker-${String(index)}`);
    for (const [index, name] of names.entries()) {
      await fleet.client.create(resources.pods, {
        metadata: { name, namespace: 'default' },
        spec: {
          nodeName: `fake-${String(index)}`,
          containers: [{ name: 'main', image: 'busybox', command: ['sh', '-c', `echo ${name}; sleep 1000`] }],
        },
      });
    }
    await vi.waitFor(
      async () => {
        for (const name of names)
          expect(await fleet.get(`/api/v1/namespaces/default/pods/${name}/log`)).toBe(`${name}\n`);
      },
      { timeout: 20_000, interval: 200 },
    );
    for (const index of names.keys()) {
      const summary = await fleet.getFromNode(`fake-${String(index)}`, '/stats/summary');
      expect(JSON.parse(summary)).toMatchObject({ node: { nodeName: `fake-${String(index)}` } });
    }
  });

  it('print nothing to standard error', () => {
    expect(fleet.stderr()).toBe('');
  });

  it('end with one line when one of them cannot listen', async () => {
    const blocker = createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => blocker.once('listening', resolve));
    const { port } = blocker.address() as { port: number };
    const folder = await mkdtemp(join(tmpdir(), 'rxlet-fleet-'));
    let stderr = '';
    // The port belongs to the first node of the second thread.
    const places = ['--listen', '127.0.0.1:0', '--admin-kubeconfig', join(folder, 'admin')];
    const args = ['--fake-kube', ...places, '--nodes', '4', '--workers', '2', '--node-port', String(port - 2)];
    const io = {
      stdout: () => undefined,
      stderr: (text: string) => (stderr += text),
      signal: new AbortController().signal,
    };
    expect(await run(args, io)).toBe(1);
    expect(stderr).toMatch(/^rxlet-fleet: .*EADDRINUSE.*\n$/);
    blocker.close();
    await rm(folder, { recursive: true });
  });
});
