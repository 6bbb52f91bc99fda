import { recordingLogger, createVirtualClock } from '@rxlet/component-base/testing';
import { seededRandom, toRfc3339 } from '@rxlet/component-base';
import { createFakeKube, nodeUser } from '@rxlet/fake-kube';
import type { Pod, PodStatus } from '@rxlet/kube-api';
import { resources } from '@rxlet/kube-api/resources';
import { createKubeClients } from '@rxlet/kube-client';
import { expect, it, onTestFinished } from 'vitest';
import type { NamedNode } from './node-heartbeat.ts';
import { type PodProvider, startVirtualNode } from './virtual-node.ts';

const { leases, nodes, pods } = resources;
const node: NamedNode = { metadata: { name: 'cloud' }, status: { conditions: [{ type: 'Ready', status: 'True' }] } };

function setUp() {
  const clock = createVirtualClock();
  const random = seededRandom(1);
  const logger = recordingLogger();
  const kube = createFakeKube({ clock, random }, { authorization: 'node' });
  onTestFinished(() => kube[Symbol.asyncDispose]());
  const transport = { send: kubeRequest };
  const { main: client } = createKubeClients({ transport, clock, random, logger }, { userAgent: 'virtual-node' });
  const running = new Set<string>();
  let failures = 0;
  const statusOf = (pod: Pod, phase: 'Running' | 'Succeeded'): PodStatus => ({
    phase,
    startTime: pod.metadata?.creationTimestamp ?? toRfc3339(clock.now()),
  });
  const provider: PodProvider = {
    async apply(pod) {
      if ((failures -= 1) >= 0) throw new Error('the cloud is full');
      running.add(pod.metadata!.name!);
      return statusOf(pod, 'Running');
    },
    async remove(pod) {
      running.delete(pod.metadata!.name!);
      return statusOf(pod, 'Succeeded');
    },
  };
  const bind = (name: string): void =>
    void kube.objects.apply({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name, namespace: 'default' },
      spec: { nodeName: 'cloud', containers: [{ name: 'main', image: 'app:1' }] },
      status: { phase: 'Pending' },
    });
  const podOf = (name: string): Pod | undefined => kube.objects.get(pods, name, 'default') as Pod | undefined;
  const start = (): AsyncDisposable => startVirtualNode({ client, clock, logger }, node, provider);
  return { clock, logger, kube, running, bind, podOf, start, fail: (times: number) => void (failures = times) };

  function kubeRequest(request: Parameters<typeof kube.handle>[0] & { readonly signal: AbortSignal }) {
    return kube.handle({ ...request, user: nodeUser('cloud') });
  }
}

it('is a node of the cluster, and renews its lease', async () => {
  const { clock, kube, start } = setUp();
  await using _ = start();
  await clock.advance(1_000);
  expect(kube.objects.get(nodes, 'cloud')).toMatchObject(node);
  const renewTime = () => kube.objects.get(leases, 'cloud', 'kube-node-lease')!['spec'] as { renewTime: string };
  const first = renewTime();
  await clock.advance(10_000);
  expect(Date.parse(renewTime().renewTime) - Date.parse(first.renewTime)).toBe(10_000);
});

it('gives the pods that are bound to it to the provider, and confirms their deletion', async () => {
  const { clock, kube, running, bind, podOf, start } = setUp();
  await using _ = start();
  bind('web');
  bind('job');
  await clock.advance(1_000);
  expect([...running].sort()).toEqual(['job', 'web']);
  expect(podOf('web')?.status?.phase).toBe('Running');
  kube.objects.delete(pods, 'web', 'default');
  kube.objects.delete(pods, 'job', 'default', 0);
  await clock.advance(1_000);
  expect([...running]).toEqual([]);
  expect(podOf('web')).toBeUndefined();
});

it('repeats a call of the provider that failed', async () => {
  const { clock, bind, podOf, start, logger, fail } = setUp();
  await using _ = start();
  fail(2);
  bind('web');
  await clock.advance(9_000);
  expect(podOf('web')?.status?.phase).toBe('Pending');
  expect(logger.lines.map(({ fields }) => fields?.['error'])).toContain('the cloud is full');
  await clock.advance(2_000);
  expect(podOf('web')?.status?.phase).toBe('Running');
});

it('leaves no timer and no watch', async () => {
  const { clock, kube, start, bind } = setUp();
  const virtualNode = start();
  bind('web');
  await clock.advance(1_000);
  await virtualNode[Symbol.asyncDispose]();
  expect(kube.cutWatches()).toBe(0);
  expect(clock.pendingTimers).toBe(0);
});
