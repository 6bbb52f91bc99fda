import type { Pod } from '@rxlet/kube-api';
import { resources } from '@rxlet/kube-api/resources';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { type RunningFleet, startFleet } from './test-support/running-fleet.ts';

let fleet: RunningFleet;
beforeAll(async () => {
  fleet = await startFleet('--nodes', '10', '--zones', 'a,b');
}, 60_000);
afterAll(async () => {
  await fleet[Symbol.asyncDispose]();
});

/** Creates pods, and waits until all are ready. */
async function runPods(count: number, prefix: string, spec: Partial<Pod['spec']> = {}): Promise<readonly Pod[]> {
  const names = Array.from({ length: count }, (_, index) => `${prefix}-${String(index)}`);
  for (const name of names) {
    await fleet.client.create(resources.pods, {
      metadata: { name, namespace: 'default' },
      spec: { containers: [{ name: 'main', image: 'nginx:1.27' }], ...spec },
    });
  }
  const isReady = ({ status }: Pod): boolean =>
    status?.conditions?.some(({ type, status: value }) => type === 'Ready' && value === 'True') === true;
  return vi.waitFor(
    async () => {
      const { items } = await fleet.client.list(resources.pods, { namespace: 'default' });
      const found = items.filter(({ metadata }) => names.includes(metadata?.name ?? ''));
      expect(found.filter(isReady)).toHaveLength(count);
      return found;
    },
    { timeout: 20_000, interval: 50 },
  );
}

describe('pods of a fleet', { timeout: 30_000 }, () => {
  it('run on all nodes, each with an address of its node', async () => {
    const pods = await runPods(20, 'spread');
    const nodes = new Set(pods.map(({ spec }) => spec?.nodeName));
    expect(nodes.size).toBe(10);
    expect(new Set(pods.map(({ status }) => status?.podIP)).size).toBe(20);
  });

  it('run in the zone that they select', async () => {
    const [pod] = await runPods(1, 'zonal', { nodeSelector: { 'topology.kubernetes.io/zone': 'b' } });
    expect(Number(pod!.spec!.nodeName!.replace('fake-', '')) % 2).toBe(1);
  });

  it('write logs that the API server returns', async () => {
    const containers = [{ name: 'main', image: 'busybox', command: ['sh', '-c', 'echo hello; sleep 1000'] }];
    await runPods(1, 'talker', { containers });
    await vi.waitFor(async () =>
      expect(await fleet.get('/api/v1/namespaces/default/pods/talker-0/log')).toBe('hello\n'),
    );
  });

  it('leave nothing to complain about', () => {
    expect(fleet.stderr()).toBe('');
  });
});
