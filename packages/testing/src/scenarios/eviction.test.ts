import { eviction, type EvictionOptions } from '@rxlet/eviction';
import type { Pod, PodStatus } from '@rxlet/kube-api';
import { createManualSource, podsFrom } from '@rxlet/pod-config';
import { manifestPod } from '@rxlet/pod-model/testing';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createTestCluster } from '../test-cluster.ts';
import { createTestNode, type TestNode } from '../test-node.ts';
import { createMeasuredNode, type MeasuredNode } from '../measured-node.ts';

const HARD = { evictionHard: { 'memory.available': '100Mi', 'nodefs.available': '10%', 'pid.available': '100' } };

const SOFT_AND_HARD = {
  evictionHard: { 'memory.available': '100Mi' },
  evictionSoft: { 'memory.available': '500Mi' },
  evictionSoftGracePeriod: { 'memory.available': '30s' },
  maxPodGracePeriodSeconds: 7200,
};

async function start(options: EvictionOptions, prepare?: (measured: MeasuredNode) => void) {
  const made: TestNode = createTestNode();
  onTestFinished(() => made[Symbol.asyncDispose]());
  const measured = createMeasuredNode(() => made);
  prepare?.(measured);
  // The pods of the test node itself are static, and so never evicted.
  const source = createManualSource('api');
  source.set([]);
  await made.start({ modules: [podsFrom(source), measured.module, eviction(options)] });
  const desire = (...pods: readonly Pod[]): void => source.set(pods);
  return { made, measured, desire };
}

/** A pod that requests memory. */
const pod = (name: string, requestMi: number, spec: Partial<NonNullable<Pod['spec']>> = {}): Pod => {
  const base = manifestPod(name, { restartPolicy: 'Always' });
  const [container] = base.spec!.containers;
  const resources = requestMi === 0 ? {} : { requests: { memory: `${String(requestMi)}Mi` } };
  return {
    ...base,
    spec: { ...base.spec!, containers: [{ ...container!, resources }], terminationGracePeriodSeconds: 5, ...spec },
  };
};
/** A pod that ignores SIGTERM and has two hours for its end. */
const stubborn = (name: string): Pod =>
  manifestPod(name, {
    terminationGracePeriodSeconds: 7200,
    command: ['sh', '-c', "trap '' TERM; sleep 100000"],
  });
const statusOf = (made: TestNode, name: string): PodStatus | undefined =>
  made
    .agent()
    .pods.list()
    .find(({ metadata }) => metadata?.name === name)?.status;
const section = (made: TestNode) =>
  made.agent().debugState()['eviction'] as { conditions: string[]; recent: { pod: string }[] };
const eventsOf = (made: TestNode, reason: string) =>
  made
    .agent()
    .events.list()
    .filter((event) => event.reason === reason);

describe('a node under pressure', () => {
  it('fails an evicted pod although its container exits with 0', async () => {
    const { made, measured, desire } = await start(HARD);
    const command = ['sh', '-c', "trap 'exit 0' TERM; while :; do sleep 1; done"];
    desire(manifestPod('job', { restartPolicy: 'Never', command }));
    await made.until(() => made.running().includes('job/app'));
    measured.memoryMi.set('job', 1434);
    measured.memoryLeftMi = 50;
    await made.until(() => eventsOf(made, 'Evicted').length > 0, 11_000);
    await made.until(() => made.running().length === 0);
    await made.advance(5_000);
    const status = statusOf(made, 'job');
    expect(status?.containerStatuses?.[0]?.state?.terminated).toMatchObject({ exitCode: 0 });
    expect(status).toMatchObject({ phase: 'Failed', reason: 'Evicted' });
  });

  it('evicts the pod beyond its memory request, keeps the others, and recovers', async () => {
    const { made, measured, desire } = await start(HARD);
    desire(pod('database', 2048), pod('leak', 200));
    await made.advance(5_000);
    measured.memoryMi.set('database', 1900).set('leak', 1434);
    measured.memoryLeftMi = 50;
    await made.until(() => eventsOf(made, 'Evicted').length > 0, 11_000);
    measured.memoryLeftMi = 4096;
    await made.advance(5_000);
    expect(statusOf(made, 'leak')).toMatchObject({
      phase: 'Failed',
      reason: 'Evicted',
      message:
        'The node was low on resource: memory. Threshold quantity: 100Mi, available: 50Mi. Container app was using 1434Mi, request is 200Mi, has larger consumption of memory. ',
      conditions: expect.arrayContaining([
        expect.objectContaining({ type: 'DisruptionTarget', status: 'True', reason: 'TerminationByKubelet' }),
      ]) as unknown,
    });
    expect(made.running()).toEqual(['database/app']);
    expect(section(made).conditions).toEqual(['MemoryPressure']);
    expect(eventsOf(made, 'Evicted')).toMatchObject([
      {
        type: 'Warning',
        object: { kind: 'Pod', name: 'leak' },
        annotations: {
          offending_containers: 'app',
          offending_containers_usage: '1434Mi',
          starved_resource: 'memory',
        },
      },
    ]);
    expect(eventsOf(made, 'EvictionThresholdMet')).toMatchObject([
      { object: { kind: 'Node' }, message: 'Attempting to reclaim memory' },
    ]);

    desire(pod('database', 2048), pod('late', 0));
    await made.advance(2_000);
    expect(statusOf(made, 'late')).toMatchObject({
      phase: 'Failed',
      reason: 'Evicted',
      message: 'Pod was rejected: The node had condition: [MemoryPressure]. ',
    });
    await made.advance(320_000);
    expect(section(made).conditions).toEqual([]);
    desire(pod('database', 2048), pod('later', 0));
    await made.advance(5_000);
    expect(made.running()).toEqual(['database/app', 'later/app']);
    await made.expectNoLeaks();
  });

  it('acts on memory that runs out between two checks', async () => {
    const { made, measured, desire } = await start(HARD);
    desire(pod('leak', 0));
    measured.memoryLeftMi = 180;
    await made.advance(25_000);
    expect(made.running()).toEqual(['leak/app']);
    await made.advance(1_000);
    measured.memoryLeftMi = 20;
    await made.advance(300);
    expect(eventsOf(made, 'Evicted')).toHaveLength(1);
  });

  it('evicts for memory first when two hard thresholds are crossed at once', async () => {
    const { made, measured, desire } = await start(HARD);
    desire(pod('eater', 0), pod('writer', 500));
    await made.advance(5_000);
    measured.memoryMi.set('eater', 1000);
    measured.logsMi.set('writer', 9000);
    measured.memoryLeftMi = 50;
    measured.diskLeftGi = 5;
    await made.until(() => eventsOf(made, 'Evicted').length > 0, 11_000);
    expect(section(made).conditions).toEqual(['MemoryPressure', 'DiskPressure']);
    measured.memoryLeftMi = 4096;
    await made.advance(11_000);
    const evicted = eventsOf(made, 'Evicted').map(({ object, message }) => [object.name, message.split('.')[0]]);
    expect(evicted).toEqual([
      ['eater', 'The node was low on resource: memory'],
      ['writer', 'The node was low on resource: ephemeral-storage'],
    ]);
    expect(eventsOf(made, 'EvictionThresholdMet').map(({ message }) => message)).toEqual([
      'Attempting to reclaim memory',
      'Attempting to reclaim ephemeral-storage',
    ]);
  });

  it('evicts one pod at a time at its start, until the node has enough', async () => {
    const { made, measured, desire } = await start(HARD, (node) => (node.memoryLeftMi = 50));
    desire(pod('a', 100), pod('b', 100), pod('c', 100));
    measured.memoryMi.set('a', 150).set('b', 300).set('c', 200);
    await made.until(() => statusOf(made, 'b')?.reason === 'Evicted', 60_000);
    measured.memoryLeftMi = 4096;
    await made.advance(60_000);
    expect(made.running()).toEqual(['a/app', 'c/app']);
  });

  it('waits at its start until the volumes of pods are measured, so that it evicts the right one', async () => {
    const { made, measured, desire } = await start(HARD);
    const volumes = { volumes: [{ name: 'scratch', emptyDir: {} }] };
    const pods = [pod('modest', 100, volumes), pod('hoarder', 100, volumes)];
    desire(...pods);
    await made.advance(5_000);
    measured.unmeasured.add('hoarder');
    measured.scratchMi.set('hoarder', 9000).set('modest', 1);
    measured.diskLeftGi = 5;
    const source = createManualSource('api');
    source.set(pods);
    await made.start({ modules: [podsFrom(source), measured.module, eviction(HARD)] });
    await made.advance(12_500);
    expect(eventsOf(made, 'Evicted')).toEqual([]);
    expect(section(made).conditions).toEqual(['DiskPressure']);
    measured.unmeasured.clear();
    await made.until(() => eventsOf(made, 'Evicted').length > 0, 2_000);
    measured.diskLeftGi = 50;
    await made.advance(60_000);
    expect(made.running()).toEqual(['modest/app']);
  });

  it('evicts at a soft threshold after its grace period, without a delay for a hard one', async () => {
    const { made, measured, desire } = await start(SOFT_AND_HARD);
    desire(stubborn('stubborn'), pod('other', 0));
    await made.advance(5_000);
    measured.memoryMi.set('stubborn', 900).set('other', 500);
    measured.memoryLeftMi = 300;
    await made.advance(25_000);
    expect(eventsOf(made, 'Evicted')).toHaveLength(0);
    await made.advance(30_000);
    expect(eventsOf(made, 'Evicted')).toMatchObject([{ object: { name: 'stubborn' } }]);
    expect(made.running()).toEqual(['other/app', 'stubborn/app']);
    measured.memoryLeftMi = 50;
    await made.advance(1_500);
    expect(eventsOf(made, 'Evicted')).toMatchObject([
      { message: expect.stringContaining('Threshold quantity: 500Mi') as string },
      { message: expect.stringContaining('Threshold quantity: 100Mi') as string },
    ]);
    // The hard eviction of the same pod cuts its grace period short.
    measured.memoryLeftMi = 4096;
    await made.advance(2_500);
    expect(made.running()).toEqual(['other/app']);
    expect(statusOf(made, 'stubborn')).toMatchObject({
      phase: 'Failed',
      reason: 'Evicted',
      message: expect.stringContaining('Threshold quantity: 100Mi') as string,
    });
  });

  it('evicts another pod at a hard threshold while one takes its grace period after a soft eviction', async () => {
    const { made, measured, desire } = await start(SOFT_AND_HARD);
    desire(stubborn('stubborn'), pod('other', 0));
    await made.advance(5_000);
    measured.memoryMi.set('stubborn', 900).set('other', 500);
    measured.memoryLeftMi = 300;
    await made.advance(55_000);
    expect(eventsOf(made, 'Evicted')).toMatchObject([{ object: { name: 'stubborn' } }]);
    measured.memoryMi.set('other', 1500);
    measured.memoryLeftMi = 50;
    await made.until(() => eventsOf(made, 'Evicted').length > 1, 1_500);
    measured.memoryLeftMi = 4096;
    await made.advance(4_000);
    expect(eventsOf(made, 'Evicted').map(({ object }) => object.name)).toEqual(['stubborn', 'other']);
    expect(made.running()).toEqual(['stubborn/app']);
  });

  it('collects unused images and containers before it evicts for the disk', async () => {
    const { made, measured, desire } = await start(HARD);
    desire(pod('writer', 100));
    await made.advance(5_000);
    measured.diskLeftGi = 5;
    await made.advance(10_500);
    expect(eventsOf(made, 'EvictionThresholdMet')).toMatchObject([
      { message: 'Attempting to reclaim ephemeral-storage' },
    ]);
    expect(section(made).conditions).toEqual(['DiskPressure']);
  });

  it('evicts no pod when the removal of an unused image frees enough of the disk', async () => {
    const { made, measured, desire } = await start(HARD);
    await made.fake.images.pullImage({ image: { image: 'unused' } });
    const hasUnused = (): boolean =>
      made.fake.snapshot().images.some(({ repoTags }) => repoTags.some((tag) => tag.includes('unused')));
    let isFull = false;
    Object.defineProperty(measured, 'diskLeftGi', { get: () => (isFull && hasUnused() ? 5 : 50) });
    desire(pod('writer', 100));
    // An image must have been known for two minutes, as in the kubelet, and the agent lists images every five.
    await made.advance(500_000);
    expect(hasUnused()).toBe(true);
    isFull = true;
    await made.advance(21_000);
    expect(hasUnused()).toBe(false);
    expect(eventsOf(made, 'EvictionThresholdMet')).toHaveLength(1);
    expect(eventsOf(made, 'Evicted')).toEqual([]);
    expect(made.running()).toEqual(['writer/app']);
    expect(section(made).conditions).toEqual(['DiskPressure']);
  });

  it('evicts no pod when the removal of containers of a terminated pod frees enough of the disk, and keeps its status', async () => {
    const { made, measured, desire } = await start(HARD);
    // No source is missing any more.
    made.desire();
    desire(manifestPod('job', { restartPolicy: 'Never', command: ['true'] }), pod('writer', 100));
    await made.until(() => statusOf(made, 'job')?.phase === 'Succeeded');
    await made.advance(5_000);
    const hasContainer = (): boolean => made.instances('job').length > 0;
    expect(hasContainer()).toBe(true);
    Object.defineProperty(measured, 'diskLeftGi', { get: () => (hasContainer() ? 5 : 50) });
    await made.advance(21_000);
    expect(hasContainer()).toBe(false);
    expect(eventsOf(made, 'EvictionThresholdMet')).toHaveLength(1);
    expect(eventsOf(made, 'Evicted')).toEqual([]);
    expect(made.running()).toEqual(['writer/app']);
    expect(statusOf(made, 'job')).toMatchObject({
      phase: 'Succeeded',
      containerStatuses: [{ state: { terminated: { exitCode: 0, reason: 'Completed' } } }],
    });
  });

  it('keeps the containers of a terminated pod until the API server has its status', async () => {
    const cluster = createTestCluster();
    onTestFinished(() => cluster[Symbol.asyncDispose]());
    const measured = createMeasuredNode(() => cluster.node);
    cluster.node.desire();
    await cluster.start({ modules: [measured.module, eviction(HARD)] });
    const [container] = manifestPod('job').spec!.containers;
    cluster.bind('job', { restartPolicy: 'Never', containers: [{ ...container!, command: ['sleep', '5'] }] });
    await cluster.until(() => cluster.running().length === 1);
    cluster.kube.faults.add({ action: { type: 'hang' } });
    await cluster.until(() => cluster.running().length === 0);
    measured.diskLeftGi = 5;
    await cluster.advance(21_000);
    expect(cluster.instances('job')).toHaveLength(1);
    cluster.kube.faults.clear();
    await cluster.untilPhase('job', 'Succeeded', 120_000);
    await cluster.until(() => cluster.instances('job').length === 0, 21_000);
  });

  it('evicts for processes, and has the condition PIDPressure until the transition period is over', async () => {
    const { made, measured, desire } = await start({ ...HARD, pressureTransitionPeriodMs: 30_000 });
    desire(pod('forker', 100, { priority: -1 }), pod('other', 100));
    await made.advance(5_000);
    measured.processesLeft = 50;
    await made.until(() => eventsOf(made, 'Evicted').length > 0, 11_000);
    measured.processesLeft = 500;
    await made.advance(5_000);
    expect(statusOf(made, 'forker')).toMatchObject({
      reason: 'Evicted',
      message: 'The node was low on resource: pids. Threshold quantity: 100, available: 50. ',
    });
    expect(section(made).conditions).toEqual(['PIDPressure']);
    await made.advance(40_000);
    expect(section(made).conditions).toEqual([]);
    expect(made.running()).toEqual(['other/app']);
  });

  it('only reports what it would evict in a dry run', async () => {
    const { made, measured, desire } = await start({ ...HARD, evictionDryRun: true });
    desire(pod('leak', 0));
    await made.advance(5_000);
    measured.memoryLeftMi = 50;
    await made.advance(60_000);
    expect(made.running()).toEqual(['leak/app']);
    expect(eventsOf(made, 'Evicted')).toEqual([]);
    expect(section(made)).toMatchObject({
      conditions: ['MemoryPressure'],
      recent: [{ pod: expect.stringContaining('leak') as string }],
    });
    desire(pod('leak', 0), pod('late', 0));
    await made.advance(5_000);
    expect(made.running()).toEqual(['late/app', 'leak/app']);
    const lines = made.logger.lines.filter(({ message }) => message === 'pod would be evicted');
    expect(lines).toHaveLength(1);
  });
});

describe('a pod with limits of local storage', () => {
  const scratch = { volumes: [{ name: 'scratch', emptyDir: { sizeLimit: '10Mi' } }] };

  it('is evicted when it fills its emptyDir, within ten seconds', async () => {
    const { made, measured, desire } = await start({});
    desire(pod('filler', 0, scratch), pod('modest', 0, scratch), pod('free', 0));
    await made.advance(5_000);
    measured.scratchMi.set('filler', 11).set('modest', 9).set('free', 500);
    await made.advance(10_500);
    expect(statusOf(made, 'filler')).toMatchObject({
      phase: 'Failed',
      reason: 'Evicted',
      message: 'Usage of EmptyDir volume "scratch" exceeds the limit "10Mi". ',
    });
    await made.advance(30_000);
    expect(made.running()).toEqual(['free/app', 'modest/app']);
    expect(section(made).conditions).toEqual([]);
  });

  it('is the only one that is measured while the node has enough of everything', async () => {
    const { made, measured, desire } = await start(HARD);
    desire(pod('limited', 0, scratch), pod('free', 0));
    await made.advance(5_000);
    measured.measurements.length = 0;
    await made.advance(60_000);
    expect(measured.measurements.map((uids) => uids?.size)).toEqual([1, 1, 1, 1, 1, 1]);
  });

  it('is left alone when limits of local storage are switched off', async () => {
    const { made, measured, desire } = await start({ localStorageCapacityIsolation: false });
    desire(pod('filler', 0, scratch));
    measured.scratchMi.set('filler', 11);
    await made.advance(60_000);
    expect(made.running()).toEqual(['filler/app']);
    expect(measured.measurements).toEqual([]);
  });
});
