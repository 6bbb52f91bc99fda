import { type AdmissionHandler, admissionHandlers, type AgentModule, contribute } from '@rxlet/agent-api';
import { createTestMachine } from '@rxlet/machine/testing';
import { nodeAdmission } from '@rxlet/node-admission';
import type { Pod, PodCondition, PodStatus } from '@rxlet/kube-api';
import { createManualSource, podsFrom } from '@rxlet/pod-config';
import { manifestPod } from '@rxlet/pod-model/testing';
import { describe, expect, it, onTestFinished } from 'vitest';
import { getEndpoint } from '../test-support/journal-of.ts';
import { createTestNode, type TestNode } from '../test-node.ts';
import { contributing } from '../test-modules.ts';

/** A node of two CPUs with pods of an API server. */
interface SmallNode {
  readonly made: TestNode;
  desire(...pods: readonly Pod[]): void;
  start(): Promise<void>;
}

async function startNode(...pods: readonly Pod[]): Promise<SmallNode> {
  return startNodeWith([], ...pods);
}

async function startNodeWith(modules: readonly AgentModule[], ...pods: readonly Pod[]): Promise<SmallNode> {
  const made = createTestNode();
  onTestFinished(() => made[Symbol.asyncDispose]());
  made.desire();
  const machine = createTestMachine({ facts: { cores: 2, memoryBytes: 8 * 1024 ** 3 }, fileSystemBytes: 1e11 });
  let desired = pods;
  let source = createManualSource('api');
  const start = async (): Promise<void> => {
    source = createManualSource('api');
    source.set(desired);
    await made.start({
      modules: [podsFrom(source), nodeAdmission({ machine }), ...modules],
      without: ['cgroups'],
    });
    await made.advance(5_000);
  };
  await start();
  return { made, start, desire: (...given) => source.set((desired = given)) };
}

function podOf(name: string, cpu: string, generation = 1): Pod {
  const resources = { requests: { cpu }, limits: { cpu: '2' } };
  const app = { name: 'app', image: 'registry.example/app:1', command: ['serve'], resources };
  const pod = manifestPod(name, { containers: [app] });
  return { ...pod, metadata: { ...pod.metadata, generation } };
}

const statusOf = (made: TestNode, name: string): PodStatus | undefined =>
  made
    .agent()
    .pods.list()
    .find(({ metadata }) => metadata?.name === name)?.status;
const conditionOf = (made: TestNode, name: string, type: string): PodCondition | undefined =>
  statusOf(made, name)?.conditions?.find((condition) => condition.type === type);
const sharesOf = (made: TestNode, name: string): bigint | undefined =>
  made.instances(name).at(-1)?.resources?.linux?.cpuShares;
const reasonsOf = (made: TestNode): string[] =>
  made
    .agent()
    .events.list()
    .map(({ reason }) => reason)
    .filter((reason) => reason.startsWith('Resize'));

describe('a resize of a pod that waits for its admission', () => {
  it('is judged apart from the admission', async () => {
    const admission = Promise.withResolvers<undefined>();
    const slow: AdmissionHandler = { name: 'slow', admit: () => admission.promise };
    const module = contributing({ contributions: [contribute(admissionHandlers, slow)] }, 'slow');
    const { made, desire } = await startNodeWith([module], podOf('web', '500m'));
    expect(made.instances('web')).toEqual([]);
    desire(podOf('web', '3', 2));
    await made.advance(1_000);
    admission.resolve(undefined);
    await made.advance(5_000);
    expect(sharesOf(made, 'web')).toBe(512n);
    expect(statusOf(made, 'web')?.containerStatuses?.[0]?.allocatedResources).toEqual({ cpu: '500m' });
    expect(conditionOf(made, 'web', 'PodResizePending')).toMatchObject({ status: 'True', observedGeneration: 2 });
  });
});

describe('a resize of a running pod', () => {
  it('takes effect when it fits', async () => {
    const { made, desire } = await startNode(podOf('web', '500m'));
    expect(sharesOf(made, 'web')).toBe(512n);
    desire(podOf('web', '1', 2));
    await made.advance(10_000);
    expect(sharesOf(made, 'web')).toBe(1024n);
    expect(made.instances('web')).toHaveLength(1);
    expect(statusOf(made, 'web')?.containerStatuses?.[0]).toMatchObject({
      allocatedResources: { cpu: '1' },
      resources: { requests: { cpu: '1' } },
    });
    expect(conditionOf(made, 'web', 'PodResizePending')).toBeUndefined();
    expect(conditionOf(made, 'web', 'PodResizeInProgress')).toBeUndefined();
    expect(reasonsOf(made)).toEqual(['ResizeStarted', 'ResizeCompleted']);
  });

  it('is reported until it succeeds when the runtime rejects it', async () => {
    const { made, desire } = await startNode(podOf('web', '500m'));
    made.fake.setFailpoint('updateContainerResources', 'error(internal: no cgroup)');
    desire(podOf('web', '1', 2));
    await made.advance(10_000);
    expect(conditionOf(made, 'web', 'PodResizeInProgress')).toMatchObject({ status: 'True', reason: 'Error' });
    expect(conditionOf(made, 'web', 'PodResizeInProgress')?.message).toContain('no cgroup');
    expect(statusOf(made, 'web')?.containerStatuses?.[0]?.allocatedResources).toEqual({ cpu: '1' });
    expect(reasonsOf(made)).toEqual(['ResizeStarted', 'ResizeError']);
    made.fake.clearFailpoints();
    await made.advance(120_000);
    expect(sharesOf(made, 'web')).toBe(1024n);
    expect(conditionOf(made, 'web', 'PodResizeInProgress')).toBeUndefined();
    expect(reasonsOf(made).at(-1)).toBe('ResizeCompleted');
  });

  it('is deferred until the node has room', async () => {
    const { made, desire } = await startNode(podOf('web', '500m'), podOf('other', '1'));
    desire(podOf('web', '1500m', 2), podOf('other', '1'));
    await made.advance(10_000);
    expect(sharesOf(made, 'web')).toBe(512n);
    expect(statusOf(made, 'web')?.containerStatuses?.[0]?.allocatedResources).toEqual({ cpu: '500m' });
    expect(conditionOf(made, 'web', 'PodResizePending')).toMatchObject({
      status: 'True',
      reason: 'Deferred',
      observedGeneration: 2,
      message: "Node didn't have enough resource: cpu, requested: 1500, used: 1000, capacity: 2000",
    });
    expect(reasonsOf(made)).toEqual(['ResizeDeferred']);
    expect(await getEndpoint(made.agent(), 'explain', 'default', 'web')).toMatchObject({
      sentence: expect.stringMatching(
        /^runs, but its resize is deferred: Node didn't have enough resource: cpu/,
      ) as string,
      waitsFor: [{ kind: 'resize.deferred' }],
    });
    desire(podOf('web', '1500m', 2));
    await made.advance(120_000);
    expect(sharesOf(made, 'web')).toBe(1536n);
    expect(conditionOf(made, 'web', 'PodResizePending')).toBeUndefined();
    expect(reasonsOf(made)).toEqual(['ResizeDeferred', 'ResizeStarted', 'ResizeCompleted']);
  });

  it('waits until the containers of a pod that has failed are gone', async () => {
    const failing = podOf('other', '1');
    const { made, desire } = await startNode(podOf('web', '500m'), {
      ...failing,
      spec: {
        ...failing.spec!,
        activeDeadlineSeconds: 20,
        terminationGracePeriodSeconds: 60,
        containers: [{ ...failing.spec!.containers[0]!, command: ['sh', '-c', "trap '' TERM; sleep infinity"] }],
      },
    });
    const other = made
      .agent()
      .pods.list()
      .find(({ metadata }) => metadata?.name === 'other')!;
    desire(podOf('web', '1500m', 2), other);
    await made.advance(30_000);
    expect(statusOf(made, 'other')?.phase).toBe('Failed');
    expect(made.running()).toEqual(['other/app', 'web/app']);
    expect(sharesOf(made, 'web')).toBe(512n);
    await made.advance(300_000);
    expect(made.running()).toEqual(['web/app']);
    expect(sharesOf(made, 'web')).toBe(1536n);
  });

  it('stays deferred over a restart of the agent, which restarts no container', async () => {
    const { made, desire, start } = await startNode(podOf('web', '500m'), podOf('other', '1'));
    desire(podOf('web', '1500m', 2), podOf('other', '1'));
    await made.advance(10_000);
    await made.kill();
    await start();
    await made.advance(10_000);
    expect(made.running()).toEqual(['other/app', 'web/app']);
    expect(made.instances('web')).toHaveLength(1);
    expect(sharesOf(made, 'web')).toBe(512n);
    expect(conditionOf(made, 'web', 'PodResizePending')).toMatchObject({ reason: 'Deferred' });
    expect(reasonsOf(made)).toEqual([]);
  });

  it('is no longer pending when it is taken back', async () => {
    const { made, desire } = await startNode(podOf('web', '500m'), podOf('other', '1'));
    desire(podOf('web', '1500m', 2), podOf('other', '1'));
    await made.advance(10_000);
    desire(podOf('web', '500m', 3), podOf('other', '1'));
    await made.advance(10_000);
    expect(conditionOf(made, 'web', 'PodResizePending')).toBeUndefined();
    expect(sharesOf(made, 'web')).toBe(512n);
  });

  it('counts the allocated resources of other pods, not the desired ones', async () => {
    const { made, desire } = await startNode(podOf('web', '500m'), podOf('other', '500m'));
    // Both together do not fit: the first takes effect, and the second must not count against it.
    desire(podOf('web', '1500m', 2), podOf('other', '1500m', 2));
    await made.advance(10_000);
    expect([sharesOf(made, 'web'), sharesOf(made, 'other')].sort()).toEqual([1536n, 512n]);
  });
});
