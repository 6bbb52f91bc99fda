import { httpEndpoints } from '@rxlet/agent-api/http';
import type { Node, Pod } from '@rxlet/kube-api';
import { resources } from '@rxlet/kube-api/resources';
import { nodeShutdown, type NodeShutdownModuleOptions } from '@rxlet/node-shutdown';
import { createFakeLogind, type FakeLogind } from '@rxlet/node-shutdown/testing';
import { sleep } from '@rxlet/component-base';
import { manifestPod } from '@rxlet/pod-model/testing';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createTestCluster, type TestCluster } from '../test-cluster.ts';

const MESSAGE = 'Pod was terminated in response to imminent node shutdown.';
const stubborn = {
  containers: [{ name: 'app', image: 'busybox', command: ['sh', '-c', 'trap "" TERM; sleep infinity'] }],
};
const groups: NodeShutdownModuleOptions = {
  byPodPriority: [
    { priority: 0, gracePeriodSeconds: 20 },
    { priority: 1_000, gracePeriodSeconds: 10 },
    { priority: 2_000_000_000, gracePeriodSeconds: 5 },
  ],
};

interface Bench {
  readonly cluster: TestCluster;
  readonly logind: FakeLogind;
  /** Starts the agent, with other grace periods if they are given. */
  start(options?: NodeShutdownModuleOptions): Promise<void>;
  /** Returns the seconds from the beginning of the shutdown to the end of a pod. */
  endedAt(podName: string): number;
  shutDown(): void;
  /** Lets {@link Bench.endedAt} count from now. */
  mark(): void;
}

async function createBench(options = groups): Promise<Bench> {
  const cluster = createTestCluster();
  onTestFinished(() => cluster[Symbol.asyncDispose]());
  const { clock, files } = cluster.node;
  files.put('/proc/sys/kernel/random/boot_id', 'boot-1\n');
  const logind = createFakeLogind(clock);
  let beganMs = 0;
  const start = async (current = options): Promise<void> => {
    await cluster.start({ modules: [nodeShutdown({ ...current, logind })] });
  };
  cluster.node.desire();
  await start();
  return {
    cluster,
    logind,
    start,
    endedAt: (name) => Math.round((Number(cluster.instances(name)[0]!.finishedAt / 1_000_000n) - beganMs) / 1000),
    mark: () => void (beganMs = clock.now()),
    shutDown() {
      beganMs = clock.now();
      logind.shutDown();
    },
  };
}

function bindAll({ cluster }: Bench): void {
  cluster.bind('low', { priority: 0, terminationGracePeriodSeconds: 2 });
  cluster.bind('stubborn', { ...stubborn, priority: 5, terminationGracePeriodSeconds: 600 });
  cluster.bind('high', { priority: 1_000, terminationGracePeriodSeconds: 600 });
  cluster.bind('critical', { priority: 2_000_001_000, terminationGracePeriodSeconds: 600 });
}

const ready = ({ cluster }: Bench) =>
  (cluster.kube.objects.get(resources.nodes, 'node1') as Node).status?.conditions?.find(({ type }) => type === 'Ready');

const statusOf = ({ cluster }: Bench, name: string): Pod['status'] => cluster.pod(name)?.status;

it('ends pods in the order of their priorities, and gives the lock back as soon as the API server has their statuses', async () => {
  const bench = await createBench();
  const { cluster, logind, endedAt } = bench;
  bindAll(bench);
  await cluster.until(() => cluster.running().length === 4);
  await cluster.advance(15_000);
  expect(logind.isInhibited()).toBe(true);
  expect(logind.delayMs).toBe(35_000);
  expect(ready(bench)).toMatchObject({ status: 'True' });

  const beganMs = cluster.node.clock.now();
  bench.shutDown();
  await cluster.advance(500);
  expect(ready(bench)).toMatchObject({ status: 'False', reason: 'KubeletNotReady', message: 'node is shutting down' });
  cluster.bind('late');
  await cluster.untilPhase('late', 'Failed', 5_000);
  expect(statusOf(bench, 'late')).toMatchObject({
    reason: 'NodeShutdown',
    message: 'Pod was rejected: Pod was rejected as the node is shutting down.',
  });
  expect(cluster.running()).toContain('high/app');
  await cluster.until(() => logind.releasedMs !== undefined, 60_000);
  for (const name of ['low', 'stubborn', 'high', 'critical']) {
    expect(statusOf(bench, name)).toMatchObject({ phase: 'Failed', reason: 'Terminated', message: MESSAGE });
    expect(statusOf(bench, name)?.conditions?.find(({ type }) => type === 'DisruptionTarget')).toMatchObject({
      status: 'True',
      reason: 'TerminationByKubelet',
      message: MESSAGE,
    });
  }
  expect(['low', 'stubborn', 'high', 'critical'].map(endedAt)).toEqual([0, 20, 20, 20]);
  expect(logind.releasedMs! - beganMs).toBeLessThan(22_000);
  expect(cluster.running()).toEqual([]);
  expect(JSON.parse(cluster.node.files.text('/root/graceful_node_shutdown_state')!)).toMatchObject({
    bootId: 'boot-1',
  });
});

it('goes on with the pods after the agent was killed in the middle, and starts none', async () => {
  const bench = await createBench();
  const { cluster, logind, endedAt } = bench;
  bindAll(bench);
  await cluster.until(() => cluster.running().length === 4);
  const starts = () => ['low', 'stubborn', 'high', 'critical'].map((name) => cluster.startsMs(name).length);
  bench.shutDown();
  await cluster.advance(10_000);
  await cluster.kill();
  logind.disconnect();
  cluster.bind('late');
  await cluster.advance(2_000);
  await bench.start();
  await cluster.advance(1_000);
  expect(cluster.running()).toEqual(['critical/app', 'high/app', 'stubborn/app']);
  await cluster.until(() => cluster.running().length === 0, 60_000);
  await cluster.advance(2_000);
  // The rest of the time of the first group, in whole seconds.
  expect(['low', 'stubborn', 'high', 'critical'].map(endedAt)).toEqual([0, 19, 19, 19]);
  for (const name of ['low', 'stubborn', 'high', 'critical'])
    expect(statusOf(bench, name)).toMatchObject({ phase: 'Failed', reason: 'Terminated', message: MESSAGE });
  expect(statusOf(bench, 'late')).toMatchObject({ phase: 'Failed', reason: 'NodeShutdown' });
  expect(starts()).toEqual([1, 1, 1, 1]);
});

it('rejects no pod that runs while a new agent has not read its status yet', async () => {
  const bench = await createBench();
  const { cluster, logind } = bench;
  bindAll(bench);
  await cluster.until(() => cluster.running().length === 4);
  bench.shutDown();
  await cluster.advance(3_000);
  await cluster.kill();
  logind.disconnect();
  cluster.node.fake.setFailpoint('containerStatus', 'delay(1000)');
  await bench.start();
  await cluster.until(() => cluster.running().length === 0, 120_000);
  await cluster.advance(5_000);
  for (const name of ['low', 'stubborn', 'high', 'critical'])
    expect(statusOf(bench, name), name).toMatchObject({ phase: 'Failed', reason: 'Terminated', message: MESSAGE });
});

it('fails a pod that ended while the agent was away, instead of starting it again', async () => {
  const bench = await createBench();
  const { cluster, logind } = bench;
  cluster.bind('web', { terminationGracePeriodSeconds: 10, ...stubborn });
  await cluster.until(() => cluster.running().length === 1);
  bench.shutDown();
  await cluster.advance(5_000);
  await cluster.kill();
  logind.disconnect();
  const [id] = cluster.instances('web').map((container) => container.id);
  await cluster.node.fake.runtime.stopContainer({ containerId: id!, timeout: 0n }, {});
  await bench.start();
  await cluster.advance(5_000);
  expect(cluster.startsMs('web')).toHaveLength(1);
  expect(statusOf(bench, 'web')).toMatchObject({ phase: 'Failed', reason: 'Terminated', message: MESSAGE });
});

it('takes pods again after a shutdown was cancelled, and after the next boot', async () => {
  const bench = await createBench();
  const { cluster, logind } = bench;
  bench.shutDown();
  await cluster.advance(1_000);
  expect(logind.isInhibited()).toBe(false);
  logind.cancel();
  await cluster.advance(1_000);
  expect(logind.isInhibited()).toBe(true);
  expect(ready(bench)).toMatchObject({ status: 'True' });
  cluster.bind('web', stubborn);
  await cluster.untilPhase('web', 'Running', 10_000);

  bench.shutDown();
  await cluster.advance(1_000);
  await cluster.kill();
  logind.disconnect();
  logind.cancel();
  cluster.node.files.put('/proc/sys/kernel/random/boot_id', 'boot-2\n');
  await bench.start();
  cluster.bind('next');
  await cluster.untilPhase('next', 'Running', 10_000);
});

it('rejects no pod and ends none at a start after a shutdown that was cancelled while no agent ran', async () => {
  const bench = await createBench();
  const { cluster, logind } = bench;
  cluster.bind('web');
  cluster.bind('stubborn', { ...stubborn, terminationGracePeriodSeconds: 600 });
  await cluster.until(() => cluster.running().length === 2);
  bench.shutDown();
  await cluster.advance(1_000);
  await cluster.kill();
  logind.disconnect();
  logind.cancel();
  const { id } = cluster.instances('stubborn')[0]!;
  await cluster.node.fake.runtime.stopContainer({ containerId: id, timeout: 0n }, {});
  const began = manifestPod('began');
  cluster.node.desire({ ...began, spec: { ...began.spec!, nodeName: 'node1' } });
  // The login manager takes a while to answer.
  const { connect } = logind;
  logind.connect = async (...args) => {
    await sleep(cluster.node.clock, 500);
    return connect(...args);
  };
  await bench.start();
  await cluster.advance(10_000);
  expect(cluster.running()).toEqual(['began/app', 'stubborn/app']);
});

it('takes pods again when a restart of the agent during a shutdown takes its grace periods away', async () => {
  const bench = await createBench();
  const { cluster } = bench;
  bench.shutDown();
  await cluster.advance(1_000);
  await cluster.kill();
  await bench.start({});
  cluster.bind('web');
  await cluster.untilPhase('web', 'Running', 10_000);
  await cluster.advance(10_000);
  expect(ready(bench)).toMatchObject({ status: 'True' });
});

it('gives the lock back a second before the deadline while the API server does not answer', async () => {
  const bench = await createBench({ allPodsMs: 20_000, criticalPodsMs: 5_000 });
  const { cluster, logind } = bench;
  cluster.bind('web');
  await cluster.until(() => cluster.running().length === 1);
  cluster.kube.faults.add({ action: { type: 'hang' } });
  const beganMs = cluster.node.clock.now();
  bench.shutDown();
  await cluster.until(() => logind.releasedMs !== undefined, 60_000);
  expect(cluster.running()).toEqual([]);
  expect(logind.releasedMs! - beganMs).toBe(19_000);
});

it('watches again after the connection was lost, and takes part in a shutdown that began meanwhile', async () => {
  const bench = await createBench();
  const { cluster, logind } = bench;
  cluster.bind('web', { terminationGracePeriodSeconds: 2 });
  await cluster.until(() => cluster.running().length === 1);
  logind.isAway = true;
  logind.disconnect();
  await cluster.advance(30_000);
  logind.shutDown();
  logind.isAway = false;
  await cluster.until(() => cluster.running().length === 0, 5_000);
  await cluster.advance(1_000);
  expect(statusOf(bench, 'web')).toMatchObject({ phase: 'Failed', reason: 'Terminated' });
});

it('leaves nothing behind', async () => {
  const bench = await createBench();
  bench.shutDown();
  await bench.cluster.advance(500);
  await bench.cluster.expectNoLeaks();
  expect(bench.logind.isInhibited()).toBe(false);
});

describe('a drain', () => {
  const drainOf = ({ cluster }: Bench) =>
    cluster.node
      .agent()
      .contributions(httpEndpoints)
      .find(({ path }) => path === 'drain')!;
  const call = async (bench: Bench, method: 'GET' | 'POST', query = ''): Promise<unknown> => {
    const { signal } = new AbortController();
    const request = { method, segments: [], parameters: new URLSearchParams(query), headers: {}, signal };
    const { body } = await drainOf(bench).handle(request);
    return JSON.parse(body as string);
  };

  const isDrained = ({ cluster }: Bench): boolean => {
    const { drain } = cluster.node.agent().debugState()['nodeShutdown'] as { drain: { phase: string } };
    return drain.phase === 'drained';
  };

  it('ends pods in the order of their priorities without logind, rejects others, and is over when it is cancelled', async () => {
    const bench = await createBench({});
    const { cluster, logind } = bench;
    bindAll(bench);
    await cluster.until(() => cluster.running().length === 4);
    await cluster.advance(15_000);
    expect(logind.isInhibited()).toBe(false);
    bench.mark();
    expect(await call(bench, 'POST', 'grace=30s')).toEqual({ phase: 'draining', podsLeft: 4 });
    await cluster.advance(500);
    expect(ready(bench)).toMatchObject({ status: 'False', message: 'node is shutting down' });
    cluster.bind('late');
    await cluster.untilPhase('late', 'Failed', 5_000);
    expect(statusOf(bench, 'late')).toMatchObject({ reason: 'NodeShutdown' });
    await cluster.until(() => isDrained(bench), 60_000);
    expect(['low', 'stubborn', 'high', 'critical'].map(bench.endedAt)).toEqual([0, 20, 0, 20]);
    for (const name of ['low', 'stubborn', 'high', 'critical'])
      expect(statusOf(bench, name)).toMatchObject({ phase: 'Failed', reason: 'Terminated', message: MESSAGE });

    expect(await call(bench, 'POST', 'cancel=true')).toEqual({ phase: 'none', podsLeft: 0 });
    cluster.bind('next');
    await cluster.untilPhase('next', 'Running', 10_000);
    expect(ready(bench)).toMatchObject({ status: 'True' });
  });

  it('goes on after the agent was killed in the middle, and starts nothing after a kill at its end', async () => {
    const bench = await createBench({});
    const { cluster } = bench;
    bindAll(bench);
    await cluster.until(() => cluster.running().length === 4);
    bench.mark();
    await call(bench, 'POST');
    await cluster.advance(10_000);
    await cluster.kill();
    await bench.start();
    await cluster.until(() => cluster.running().length === 0, 60_000);
    await cluster.advance(2_000);
    expect(bench.endedAt('stubborn')).toBe(19);
    expect(await call(bench, 'GET')).toEqual({ phase: 'drained', podsLeft: 0 });
    await cluster.kill();
    await bench.start();
    cluster.bind('late');
    await cluster.untilPhase('late', 'Failed', 5_000);
    expect(['low', 'stubborn', 'high', 'critical'].map((name) => cluster.startsMs(name).length)).toEqual([1, 1, 1, 1]);
  });

  it('is over after an orderly restart of the agent', async () => {
    const bench = await createBench({});
    const { cluster } = bench;
    await call(bench, 'POST', 'grace=2s');
    await cluster.until(() => isDrained(bench), 5_000);
    await cluster.node.agent()[Symbol.asyncDispose]();
    await bench.start();
    cluster.bind('next');
    await cluster.untilPhase('next', 'Running', 10_000);
  });

  it('gives way to a shutdown of the node, whose lock it has kept', async () => {
    const bench = await createBench();
    const { cluster, logind } = bench;
    cluster.bind('stubborn', { ...stubborn, terminationGracePeriodSeconds: 600 });
    await cluster.until(() => cluster.running().length === 1);
    await call(bench, 'POST', 'grace=10m');
    await cluster.advance(5_000);
    expect(logind.isInhibited()).toBe(true);
    bench.shutDown();
    await cluster.until(() => logind.releasedMs !== undefined, 60_000);
    expect(bench.endedAt('stubborn')).toBe(20);
    expect(statusOf(bench, 'stubborn')).toMatchObject({ phase: 'Failed', reason: 'Terminated' });
    await expect(call(bench, 'POST')).rejects.toThrow('the node is shutting down');
  });

  it.each(['1s', 'soon', ''])('rejects the grace period "%s"', async (grace) => {
    const bench = await createBench({});
    await expect(call(bench, 'POST', `grace=${grace}`)).rejects.toMatchObject({ status: 400 });
  });
});
