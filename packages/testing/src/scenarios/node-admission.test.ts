import type { Pod, PodSpec, PodStatus } from '@rxlet/kube-api';
import { createTestMachine } from '@rxlet/machine/testing';
import { nodeAdmission, type NodeAdmissionOptions } from '@rxlet/node-admission';
import { createManualSource, podsFrom } from '@rxlet/pod-config';
import { manifestPod } from '@rxlet/pod-model/testing';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createTestNode, type TestNode } from '../test-node.ts';

const CRITICAL = 2_000_000_000;

/** Creates a pod of one container with requests. */
function podOf(name: string, spec: Partial<PodSpec> = {}, requests: Readonly<Record<string, string>> = {}): Pod {
  const app = { name: 'app', image: 'registry.example/app:1', command: ['serve'], resources: { requests } };
  return manifestPod(name, { containers: [app], ...spec });
}

interface SmallNode {
  readonly made: TestNode;
  /** Sets the pods of the API server. Those of the test node itself are static pods, and so all critical. */
  desire(...pods: readonly Pod[]): void;
  /** Starts the agent again. When the API server is away, the source reports its pods with the next ones. */
  start(options?: { readonly isApiAway: boolean }): Promise<void>;
}

/** Creates a node of two CPUs and four pods. */
async function startNode(...pods: readonly Pod[]): Promise<SmallNode> {
  const made = createTestNode();
  onTestFinished(() => made[Symbol.asyncDispose]());
  made.desire();
  const options: NodeAdmissionOptions = {
    machine: createTestMachine({ facts: { cores: 2, memoryBytes: 8 * 1024 ** 3 }, fileSystemBytes: 1e11 }),
    podsPerCore: 2,
  };
  let desired = pods;
  let source = createManualSource('api');
  const start = async ({ isApiAway } = { isApiAway: false }): Promise<void> => {
    source = createManualSource('api');
    if (!isApiAway) source.set(desired);
    await made.start({ modules: [podsFrom(source), nodeAdmission(options)], without: ['cgroups'] });
  };
  await start();
  await made.advance(5_000);
  const desire = (...given: readonly Pod[]): void => source.set((desired = given));
  return { made, desire, start };
}

const statusOf = (made: TestNode, name: string): PodStatus | undefined =>
  made
    .agent()
    .pods.list()
    .find(({ metadata }) => metadata?.name === name)?.status;

describe('a node', () => {
  it('rejects a pod whose host port is taken', async () => {
    const ports = [{ containerPort: 80, hostPort: 80 }];
    const containers = [{ name: 'app', image: 'registry.example/app:1', command: ['serve'], ports }];
    const listening = (name: string) => podOf(name, { containers });
    const { made } = await startNode(listening('first'), listening('second'));
    expect(made.running()).toEqual(['first/app']);
    expect(statusOf(made, 'second')).toMatchObject({
      phase: 'Failed',
      reason: 'NodePorts',
      message:
        "Pod was rejected: Predicate NodePorts failed: node(s) didn't have free ports for the requested pod ports",
    });
    await made.expectNoLeaks();
  });

  it('rejects pods for which it lacks CPUs or places', async () => {
    const { made } = await startNode(
      podOf('a', {}, { cpu: '1500m' }),
      podOf('b', {}, { cpu: '1' }),
      podOf('c'),
      podOf('d'),
      podOf('e'),
      podOf('f'),
    );
    expect(made.running()).toEqual(['a/app', 'c/app', 'd/app', 'e/app']);
    expect(statusOf(made, 'b')).toMatchObject({
      reason: 'OutOfcpu',
      message: "Pod was rejected: Node didn't have enough resource: cpu, requested: 1000, used: 1500, capacity: 2000",
    });
    expect(statusOf(made, 'f')).toMatchObject({ reason: 'OutOfpods' });
  });

  it('gives the resources of a pod that has ended to the next one', async () => {
    const { made, desire } = await startNode(podOf('a', {}, { cpu: '2' }));
    desire();
    await made.advance(60_000);
    desire(podOf('b', {}, { cpu: '2' }));
    await made.advance(5_000);
    expect(made.running()).toEqual(['b/app']);
  });

  it('judges pods anew after a restart, with those that it runs first', async () => {
    const { made, desire, start } = await startNode(podOf('a', {}, { cpu: '1500m' }), podOf('b', {}, { cpu: '1' }));
    expect(statusOf(made, 'b')).toMatchObject({ reason: 'OutOfcpu' });
    await made.kill();
    await start();
    await made.advance(5_000);
    expect(made.running()).toEqual(['a/app']);
    expect(statusOf(made, 'b')).toMatchObject({ reason: 'OutOfcpu' });
    await made.kill();
    desire(podOf('b', {}, { cpu: '1' }));
    await start();
    await made.advance(60_000);
    expect(made.running()).toEqual(['b/app']);
    expect(statusOf(made, 'b')).toMatchObject({ phase: 'Running' });
    expect(made.startsMs('a')).toHaveLength(1);
  });
});

describe('a critical pod', () => {
  /** A pod of all CPUs that takes fifteen seconds to end. */
  const slowVictim = (): Pod => {
    const [app] = podOf('victim', {}, { cpu: '2' }).spec!.containers;
    const lifecycle = { preStop: { sleep: { seconds: 15 } } };
    return podOf('victim', { terminationGracePeriodSeconds: 20, containers: [{ ...app!, lifecycle }] });
  };

  it('runs once the pods that it preempts have ended, while other pods go on', async () => {
    const victim = slowVictim();
    const { made, desire } = await startNode(victim, podOf('other'));
    desire(victim, podOf('other'), podOf('critical', { priority: CRITICAL }, { cpu: '1' }), podOf('late'));
    await made.advance(10_000);
    expect(made.running()).toEqual(['other/app', 'victim/app']);
    expect(statusOf(made, 'critical')?.phase).not.toBe('Failed');
    await made.advance(20_000);
    expect(made.running()).toEqual(['critical/app', 'late/app', 'other/app']);
    expect(statusOf(made, 'victim')).toMatchObject({
      phase: 'Failed',
      reason: 'Preempting',
      message: 'Preempted in order to admit critical pod',
    });
    expect(statusOf(made, 'victim')?.conditions).toContainEqual(
      expect.objectContaining({ type: 'DisruptionTarget', status: 'True', reason: 'TerminationByKubelet' }),
    );
    const reasons = made
      .agent()
      .events.list()
      .map(({ reason, object }) => `${reason} ${object.name}`);
    expect(reasons).toContain('Preempting victim');
    await made.expectNoLeaks();
  });

  it('leaves the node to the next pod when it is removed meanwhile', async () => {
    const victim = slowVictim();
    const { made, desire } = await startNode(victim);
    desire(victim, podOf('critical', { priority: CRITICAL }, { cpu: '2' }));
    await made.advance(100);
    desire(victim, podOf('next', {}, { cpu: '2' }));
    await made.advance(60_000);
    expect(made.running()).not.toContain('critical/app');
    expect(statusOf(made, 'victim')).toMatchObject({ reason: 'Preempting' });
  });
});

it('a static pod preempts pods of the API server', async () => {
  const { made } = await startNode(podOf('victim', {}, { cpu: '2' }));
  made.desire(podOf('static', {}, { cpu: '1' }));
  await made.advance(60_000);
  expect(made.running()).toEqual(['static/app']);
});

it('a running pod of the API server stays when a static pod takes its place after a restart', async () => {
  const { made, desire, start } = await startNode(podOf('running', {}, { cpu: '2' }));
  await made.kill();
  made.desire(podOf('static', {}, { cpu: '1' }));
  desire();
  await start({ isApiAway: true });
  await made.advance(5_000);
  expect(made.running()).toEqual(['running/app', 'static/app']);
  desire(podOf('running', {}, { cpu: '2' }), podOf('late', {}, { cpu: '1' }));
  await made.advance(60_000);
  expect(made.running()).toEqual(['running/app', 'static/app']);
  expect(made.startsMs('running')).toHaveLength(1);
  expect(statusOf(made, 'running')).toMatchObject({ phase: 'Running' });
  expect(statusOf(made, 'late')).toMatchObject({ reason: 'OutOfcpu' });
});
