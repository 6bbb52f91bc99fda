import type { Agent } from '@rxlet/agent';
import { seededRandom } from '@rxlet/component-base';
import { createVirtualClock, recordingLogger } from '@rxlet/component-base/testing';
import { createFakeKube, nodeUser } from '@rxlet/fake-kube';
import type { Node, Pod, PodSpec } from '@rxlet/kube-api';
import { resources } from '@rxlet/kube-api/resources';
import { createKubeClients } from '@rxlet/kube-client';
import { createMemoryFiles } from '@rxlet/node-files/testing';
import { onTestFinished } from 'vitest';
import { createVirtualNode, type VirtualNodeOptions } from '../create-virtual-node.ts';
import { createMemoryProvider } from '../testing/memory-provider.ts';

/** Creates an API server in memory and a virtual node `cloud` of it, on a virtual clock. Pods live in a provider that outlives the agents. */
export function createTestCloud(options: Partial<VirtualNodeOptions> = {}) {
  const clock = createVirtualClock();
  const random = seededRandom(1);
  const logger = recordingLogger();
  const kube = createFakeKube({ clock, random }, { authorization: 'node' });
  const cloud = createMemoryProvider({ clock });
  const { nodeFiles: files, hostFiles } = createMemoryFiles();
  const transport = {
    send: (request: Parameters<typeof kube.handle>[0] & { readonly signal: AbortSignal }) =>
      kube.handle({ ...request, user: nodeUser('cloud') }),
  };
  let agent: Agent | undefined;

  const stop = async (): Promise<void> => {
    const stopping = agent;
    agent = undefined;
    let isStopped = stopping === undefined;
    const end = (): void => void (isStopped = true);
    const disposal = stopping?.[Symbol.asyncDispose]();
    disposal?.then(end, end);
    await clock.runUntil(() => isStopped);
    await disposal;
  };
  onTestFinished(async () => {
    await stop();
    await kube[Symbol.asyncDispose]();
  });

  const pod = (name: string): Pod | undefined => kube.objects.get(resources.pods, name, 'default') as Pod | undefined;
  return {
    clock,
    logger,
    kube,
    cloud,
    pod,
    stop,
    agent: (): Agent => agent!,
    node: (): Node | undefined => kube.objects.get(resources.nodes, 'cloud') as Node | undefined,
    events: (): readonly string[] => agent!.events.list().map(({ reason }) => reason),
    /** Starts an agent; one that runs is stopped first. */
    async start(more: Partial<VirtualNodeOptions> = {}): Promise<Agent> {
      await stop();
      const { main, events, heartbeats, reviews } = createKubeClients(
        { transport, clock, random, logger },
        { userAgent: 'virtual-node' },
      );
      const clients = { main, events, heartbeats, reviews };
      const capacity = { cpu: '64', memory: '256Gi', pods: '500', 'example.com/gpu': '8' };
      agent = await createVirtualNode(
        cloud.provider,
        { name: 'cloud', clients, capacity, addresses: ['192.0.2.7'], ...options, ...more },
        { clock, random, logger, files, hostFiles },
      );
      await agent.start();
      await clock.advance(1_000);
      return agent;
    },
    /** Creates a pod that is bound to the node. Its UID is that of the API server. */
    bind(name: string, spec: Partial<PodSpec> = {}): Pod {
      return kube.objects.create(resources.pods, {
        metadata: { name, namespace: 'default' },
        spec: { nodeName: 'cloud', containers: [{ name: 'main', image: 'app:1' }], ...spec },
      }) as unknown as Pod;
    },
    delete: (name: string, gracePeriodSeconds?: number): void =>
      void kube.objects.delete(resources.pods, name, 'default', gracePeriodSeconds),
    /** Moves the clock until the API server shows a pod with this phase. */
    untilPhase: (name: string, phase: string): Promise<void> =>
      clock.runUntil(() => pod(name)?.status?.phase === phase, 600_000),
    untilGone: (name: string): Promise<void> => clock.runUntil(() => pod(name) === undefined, 600_000),
  };
}
