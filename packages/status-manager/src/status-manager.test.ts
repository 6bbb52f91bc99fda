import { seededRandom } from '@rxlet/component-base';
import {
  type VirtualClock,
  createVirtualClock,
  recordingLogger,
  recordingMetrics,
} from '@rxlet/component-base/testing';
import type { Pod, PodStatus } from '@rxlet/kube-api';
import { type TestPod, testPod, testRuntimePodStatus } from '@rxlet/pod-model/testing';
import { describe, expect, it } from 'vitest';
import { findCondition } from './condition-types.ts';
import { createFakeStatusSink } from './fake-status-sink.ts';
import { generatePodStatus } from './generate-pod-status.ts';
import { createStatusManager, type StatusManager, type StatusManagerPorts } from './status-manager.ts';
import type { PodStatusUpdate, StatusSink } from '@rxlet/agent-api/statuses';

interface SetUp {
  readonly clock: VirtualClock;
  readonly manager: StatusManager;
  /** Values of `status$`. */
  readonly seen: PodStatusUpdate[];
}

function setUp(ports: Partial<StatusManagerPorts> = {}): SetUp {
  const clock = createVirtualClock();
  const manager = createStatusManager({ clock, ...ports });
  const seen: PodStatusUpdate[] = [];
  manager.status$.subscribe((update) => seen.push(update));
  return { clock, manager, seen };
}

const generated = (pod: Pod, ready = true): PodStatus =>
  generatePodStatus({
    pod,
    runtime: testRuntimePodStatus({ pod }),
    probes: { isReady: () => ready, isStarted: () => undefined },
  });
const ended = (pod: Pod): PodStatus =>
  generatePodStatus({ pod, runtime: testRuntimePodStatus({ pod, containers: [{ state: 'exited' }] }) });
const uid = (pod: Pod): string => pod.metadata!.uid!;
const condition = (manager: StatusManager, pod: Pod, type: string) =>
  findCondition(manager.get(uid(pod))?.conditions, type);

const restorerOf = (podUid: string, status: PodStatus): StatusManagerPorts['restorer'] => ({
  restored: (uid) => (uid === podUid ? status : undefined),
  record: () => undefined,
  forget: () => undefined,
  retain: () => undefined,
});

describe('setPodStatus', () => {
  it('stores the status and emits it', () => {
    const { manager, seen } = setUp();
    const pod = testPod({ metadata: { generation: 4 } });
    expect(manager.setPodStatus(pod, generated(pod))).toBe(true);
    expect(manager.get(uid(pod))).toMatchObject({
      phase: 'Running',
      startTime: '2026-01-01T00:00:00Z',
      observedGeneration: 4,
    });
    expect(seen).toEqual(manager.list());
    expect(seen).toMatchObject([{ pod, status: manager.get(uid(pod)), finished: false }]);
    expect(manager.get('other')).toBeUndefined();
  });

  it('makes no new version of an equal status', async () => {
    const { clock, manager, seen } = setUp();
    const pod = testPod();
    manager.setPodStatus(pod, generated(pod));
    await clock.advance(5000);
    expect(manager.setPodStatus(pod, generated(pod))).toBe(false);
    expect(seen).toHaveLength(1);
    expect(manager.setPodStatus(pod, generated(pod, false))).toBe(true);
    expect(seen).toHaveLength(2);
    expect(seen[1]!.version).toBeGreaterThan(seen[0]!.version);
  });

  it('takes over fields of other writers without a new version', () => {
    const { manager, seen } = setUp();
    const before = testPod();
    const after = testPod({ status: { conditions: [{ type: 'example.com/gate', status: 'True' }] } });
    manager.setPodStatus(before, generated(before));
    expect(manager.setPodStatus(after, generated(after))).toBe(false);
    expect(condition(manager, after, 'example.com/gate')).toMatchObject({ status: 'True' });
    expect(manager.list()).toMatchObject([{ pod: after, version: seen[0]!.version }]);
    expect(seen).toHaveLength(1);
  });

  it('makes a new version when deletion of the pod begins', () => {
    const { manager, seen } = setUp();
    const pod = testPod();
    const deleted = testPod({ metadata: { deletionTimestamp: '2026-01-01T00:01:00Z' } });
    manager.setPodStatus(pod, generated(pod));
    expect(manager.setPodStatus(deleted, generated(deleted))).toBe(true);
    expect(manager.setPodStatus(deleted, generated(deleted))).toBe(false);
    expect(seen).toHaveLength(2);
  });

  it('keeps the transition time of a condition until it changes', async () => {
    const { clock, manager } = setUp();
    const pod = testPod();
    manager.setPodStatus(pod, generated(pod, false));
    await clock.advance(10_000);
    manager.setPodStatus(pod, generated(pod, true));
    expect(condition(manager, pod, 'Ready')).toMatchObject({
      status: 'True',
      lastTransitionTime: '2026-01-01T00:00:10Z',
    });
    expect(condition(manager, pod, 'PodScheduled')).toMatchObject({ lastTransitionTime: '2026-01-01T00:00:00Z' });
    await clock.advance(10_000);
    manager.setPodStatus(pod, { ...generated(pod, true), message: 'changed' });
    expect(condition(manager, pod, 'Ready')).toMatchObject({ lastTransitionTime: '2026-01-01T00:00:10Z' });
    expect(manager.get(uid(pod))?.startTime).toBe('2026-01-01T00:00:00Z');
  });

  it("continues after a restart from the pod's own status, or the restored one", () => {
    const published: PodStatus = {
      startTime: '2025-12-01T00:00:00Z',
      observedGeneration: 7,
      conditions: [{ type: 'Ready', status: 'True', lastTransitionTime: '2025-12-01T00:00:05Z' }],
    };
    const fromApi = testPod({ name: 'api', status: published });
    const isStatic = testPod({ name: 'static', metadata: { generation: 1 } });
    const { manager } = setUp({ restorer: restorerOf('uid-static', published) });
    for (const pod of [fromApi, isStatic]) {
      manager.setPodStatus(pod, generated(pod));
      expect(manager.get(uid(pod))).toMatchObject({ startTime: '2025-12-01T00:00:00Z', observedGeneration: 7 });
      expect(condition(manager, pod, 'Ready')).toMatchObject({ lastTransitionTime: '2025-12-01T00:00:05Z' });
      expect(condition(manager, pod, 'PodScheduled')).toMatchObject({ lastTransitionTime: '2026-01-01T00:00:00Z' });
    }
  });

  it('rejects and logs a restart of a container after its final termination', () => {
    const logger = recordingLogger();
    const { manager, seen } = setUp({ logger });
    const pod = testPod({ restartPolicy: 'Never' });
    manager.setPodStatus(pod, ended(pod));
    expect(manager.setPodStatus(pod, generated(pod))).toBe(false);
    expect(seen).toHaveLength(1);
    expect(manager.get(uid(pod))?.phase).toBe('Succeeded');
    expect(logger.lines).toMatchObject([{ level: 'error', fields: { pod: 'web_default(uid-web)' } }]);
  });

  it('does not modify its input', () => {
    const { manager } = setUp();
    const pod = testPod();
    const status = generated(pod);
    const before = structuredClone(status);
    manager.setPodStatus(pod, status);
    manager.setContainerReadiness(uid(pod), 'containerd://app-0', false);
    expect(status).toEqual(before);
  });

  it('emits to all subscribers in the same order, even if one of them sets a status', () => {
    const { clock } = setUp();
    const manager = createStatusManager({ clock });
    const orders: [number[], number[]] = [[], []];
    const pod = testPod();
    manager.status$.subscribe(({ version, status }) => {
      orders[0].push(version);
      if (status.message === undefined) manager.setPodStatus(pod, { ...status, message: 'seen' });
    });
    manager.status$.subscribe(({ version }) => orders[1].push(version));
    manager.setPodStatus(pod, generated(pod));
    expect(orders).toEqual([
      [1, 2],
      [1, 2],
    ]);
  });
});

describe('results of probes', () => {
  const pod = testPod({ containers: [{ name: 'a' }, { name: 'b' }] });

  it('change the readiness of a container, and that of the pod', async () => {
    const { clock, manager, seen } = setUp();
    manager.setPodStatus(pod, generated(pod));
    await clock.advance(3000);
    manager.setContainerReadiness(uid(pod), 'containerd://b-0', false);
    expect(manager.get(uid(pod))?.containerStatuses?.map(({ ready }) => ready)).toEqual([true, false]);
    for (const type of ['Ready', 'ContainersReady']) {
      expect(condition(manager, pod, type)).toEqual({
        type,
        status: 'False',
        reason: 'ContainersNotReady',
        message: 'containers with unready status: [b]',
        lastTransitionTime: '2026-01-01T00:00:03Z',
      });
    }
    manager.setContainerReadiness(uid(pod), 'containerd://b-0', true);
    expect(condition(manager, pod, 'Ready')).toMatchObject({ status: 'True' });
    expect(seen).toHaveLength(3);
  });

  it('change whether a container has started', () => {
    const { manager, seen } = setUp();
    manager.setPodStatus(pod, generated(pod));
    manager.setContainerStartup(uid(pod), 'containerd://a-0', false);
    expect(manager.get(uid(pod))?.containerStatuses?.map(({ started }) => started)).toEqual([false, true]);
    expect(seen).toHaveLength(2);
  });

  it('change sidecars', () => {
    const withSidecar = testPod({ initContainers: [{ name: 's', restartPolicy: 'Always' }] });
    const runtime = testRuntimePodStatus({ pod: withSidecar, containers: [{ name: 'app' }, { name: 's' }] });
    const { manager } = setUp();
    manager.setPodStatus(withSidecar, generatePodStatus({ pod: withSidecar, runtime }));
    manager.setContainerReadiness(uid(withSidecar), 'containerd://s-0', false);
    expect(manager.get(uid(withSidecar))?.initContainerStatuses).toMatchObject([{ ready: false }]);
    expect(condition(manager, withSidecar, 'Ready')).toMatchObject({ message: 'containers with unready status: [s]' });
  });

  it('do not make a terminated container ready when they are late', () => {
    const { manager, seen } = setUp();
    manager.setPodStatus(
      pod,
      generatePodStatus({ pod, runtime: testRuntimePodStatus({ pod, containers: [{ name: 'a', state: 'exited' }] }) }),
    );
    manager.setContainerReadiness(uid(pod), 'containerd://a-0', true);
    manager.setContainerStartup(uid(pod), 'containerd://a-0', true);
    expect(seen).toHaveLength(1);
  });

  it('change nothing for equal values and unknown containers', () => {
    const { manager, seen } = setUp();
    manager.setPodStatus(pod, generated(pod));
    manager.setContainerReadiness(uid(pod), 'containerd://b-0', true);
    manager.setContainerReadiness(uid(pod), 'containerd://former', false);
    manager.setContainerReadiness('other', 'containerd://b-0', false);
    manager.setContainerStartup(uid(pod), 'containerd://a-0', true);
    expect(seen).toHaveLength(1);
  });
});

describe('setReadyToStartContainers', () => {
  it('sets the condition before the next status', async () => {
    const { clock, manager, seen } = setUp();
    const pod = testPod();
    manager.setReadyToStartContainers(uid(pod));
    manager.setPodStatus(
      pod,
      generatePodStatus({ pod, runtime: testRuntimePodStatus({ pod, sandboxes: [], containers: [] }) }),
    );
    await clock.advance(1000);
    manager.setReadyToStartContainers(uid(pod));
    manager.setReadyToStartContainers(uid(pod));
    expect(condition(manager, pod, 'PodReadyToStartContainers')).toEqual({
      type: 'PodReadyToStartContainers',
      status: 'True',
      lastTransitionTime: '2026-01-01T00:00:01Z',
    });
    expect(seen).toHaveLength(2);
  });
});

describe('the end of a pod', () => {
  it('makes it terminal and finished for good', () => {
    const { manager, seen } = setUp();
    const pod = testPod();
    manager.setPodStatus(pod, generated(pod));
    manager.terminatePod(pod);
    expect(seen.at(-1)).toMatchObject({ finished: true, status: { phase: 'Failed' } });
    expect(seen.at(-1)?.status.containerStatuses).toMatchObject([
      { state: { terminated: { reason: 'ContainerStatusUnknown', exitCode: 137 } } },
    ]);
    manager.terminatePod(pod);
    expect(seen).toHaveLength(2);
    manager.setPodStatus(pod, { ...manager.get(uid(pod)), message: 'later' });
    expect(seen.at(-1)).toMatchObject({ finished: true });
  });

  it('is not final for a static pod that restarts', () => {
    const { manager, seen } = setUp();
    const pod = testPod({ annotations: { 'kubernetes.io/config.source': 'file' } });
    manager.setPodStatus(pod, generated(pod));
    manager.terminatePod(pod);
    expect(seen.at(-1)).toMatchObject({ finished: true, status: { phase: 'Running' } });
    manager.setPodStatus(pod, generated(pod));
    expect(seen.at(-1)).toMatchObject({ finished: false, status: { phase: 'Running' } });
  });

  it('is emitted again when the pod is forgotten', () => {
    const { manager } = setUp();
    const gone: string[] = [];
    manager.forgotten$.subscribe(({ pod }) => gone.push(uid(pod)));
    const pods = ['a', 'b', 'c'].map((name) => testPod({ name, uid: name }));
    for (const pod of pods) manager.setPodStatus(pod, generated(pod));
    manager.removeOrphaned(new Set(['b', 'unknown']));
    expect(gone).toEqual(['a', 'c']);
    manager.forget('b');
    manager.forget('b');
    expect(gone).toEqual(['a', 'c', 'b']);
    expect(manager.list()).toEqual([]);
  });

  it('gives a successor with the same UID a new history and a later version', async () => {
    const { clock, manager, seen } = setUp();
    const pod = testPod({ restartPolicy: 'Never' });
    manager.setPodStatus(pod, ended(pod));
    manager.forget(uid(pod));
    await clock.advance(60_000);
    expect(manager.setPodStatus(pod, generated(pod))).toBe(true);
    expect(manager.get(uid(pod))?.startTime).toBe('2026-01-01T00:01:00Z');
    expect(seen[1]!.version).toBeGreaterThan(seen[0]!.version);
  });
});

describe('the sink', () => {
  it('gets the statuses of the manager', async () => {
    const clock = createVirtualClock();
    const sink = createFakeStatusSink(clock);
    const manager = createStatusManager({ clock, sinks: [sink] });
    const pod = testPod();
    manager.setPodStatus(pod, generated(pod));
    await clock.settle();
    manager.terminatePod(pod);
    await clock.settle();
    expect(sink.published.map(({ status, finished }) => [status.phase, finished])).toEqual([
      ['Running', false],
      ['Failed', true],
    ]);
    expect(sink.published.at(-1)).toEqual(manager.list()[0]);
  });

  it('gets an evicted pod as ready while its containers run, and as not ready with its end', async () => {
    const clock = createVirtualClock();
    const sink = createFakeStatusSink(clock);
    let mayRun = true;
    const manager = createStatusManager({ clock, sinks: [sink], couldHaveRunningContainers: () => mayRun });
    const pod = testPod({ status: { phase: 'Running' } });
    const evicted: PodStatus = { ...generated(pod), phase: 'Failed', reason: 'Evicted' };
    const published = () => {
      const { phase, reason, conditions } = sink.published.at(-1)!.status;
      return [phase, reason, findCondition(conditions, 'Ready')?.status];
    };
    manager.setPodStatus(pod, evicted);
    await clock.settle();
    expect(published()).toEqual(['Running', undefined, 'True']);
    mayRun = false;
    manager.setPodStatus(pod, evicted);
    await clock.settle();
    expect(published()).toEqual(['Failed', 'Evicted', 'False']);
    expect(condition(manager, pod, 'Ready')).toMatchObject({ status: 'False', reason: 'PodFailed' });
  });

  it('gets the terminal phase with a status that it reads for, if the containers have stopped by then', async () => {
    const clock = createVirtualClock();
    const phases: (string | undefined)[] = [];
    let mayRun = true;
    const sink: StatusSink = {
      async publish(update, _signal, current) {
        phases.push(update.status.phase);
        await Promise.resolve();
        mayRun = false;
        phases.push(current().phase);
      },
    };
    const manager = createStatusManager({ clock, sinks: [sink], couldHaveRunningContainers: () => mayRun });
    const pod = testPod({ restartPolicy: 'Never', status: { phase: 'Running' } });
    manager.setPodStatus(pod, ended(pod));
    await clock.settle();
    manager.setPodStatus(pod, ended(pod));
    await clock.advance(60_000);
    expect(phases).toEqual(['Running', 'Succeeded']);
  });

  it('gets the final version of every pod, and never an older one after a newer', async () => {
    const phases = ['Pending', 'Running', 'Running', 'Succeeded'] as const;
    const shapes: TestPod[] = [
      {},
      { restartPolicy: 'OnFailure' },
      { annotations: { 'kubernetes.io/config.source': 'file' } },
    ];
    for (let seed = 1; seed <= 10; seed += 1) {
      const random = seededRandom(seed);
      const pick = <T>(items: readonly T[]): T => items[Math.floor(random.next() * items.length)]!;
      const clock = createVirtualClock();
      const sink = createFakeStatusSink(clock, {
        latencyMs: () => Math.floor(random.next() * 300),
        failure: () => (random.next() < 0.3 ? new Error('no') : undefined),
      });
      const manager = createStatusManager({ clock, sinks: [sink] }, { maxConcurrentPublishes: 2 });
      const streamed = new Map<string, PodStatusUpdate>();
      manager.status$.subscribe((update) => streamed.set(uid(update.pod), update));
      manager.forgotten$.subscribe(({ pod }) => streamed.delete(uid(pod)));
      const pods = Array.from({ length: 6 }, (_, index) => testPod({ ...pick(shapes), name: `p${index}` }));

      for (let step = 0; step < 120; step += 1) {
        const pod = pick(pods);
        const action = random.next();
        if (action < 0.6) manager.setPodStatus(pod, { ...generated(pod, random.next() < 0.5), phase: pick(phases) });
        else if (action < 0.85) manager.setContainerReadiness(uid(pod), 'containerd://app-0', random.next() < 0.5);
        else if (action < 0.9) manager.terminatePod(pod);
        else if (action < 0.95) manager.forget(uid(pod));
        await clock.advance(Math.floor(random.next() * 100));
      }
      await clock.advance(10 * 60_000);

      const last = new Map<string, PodStatusUpdate>();
      for (const update of sink.published) {
        expect(update.version, `seed ${seed}`).toBeGreaterThan(last.get(uid(update.pod))?.version ?? 0);
        last.set(uid(update.pod), update);
      }
      for (const held of manager.list()) {
        expect(last.get(uid(held.pod)), `seed ${seed}`).toEqual(held);
        expect(streamed.get(uid(held.pod)), `seed ${seed}`).toEqual(held);
      }
      expect(streamed.size).toBe(manager.list().length);
      await manager[Symbol.asyncDispose]();
      expect(clock.pendingTimers).toBe(0);
    }
  });
});

describe('the terminal phase in a sink', () => {
  const pod = testPod();
  const conditionsOf = ({ status }: PodStatusUpdate): unknown[] =>
    (status.conditions ?? []).map(({ type, status: holds }) => `${type} ${holds}`);
  const evicted = (previous: PodStatus | undefined): PodStatus =>
    generatePodStatus({
      pod,
      runtime: testRuntimePodStatus({ pod }),
      previous,
      failure: { reason: 'Evicted', message: 'low on memory', disruption: 'low on memory' },
    });

  it('waits until no container can be running, while subscribers get it at once', async () => {
    const clock = createVirtualClock();
    const sink = createFakeStatusSink(clock);
    let running = true;
    const manager = createStatusManager({ clock, sinks: [sink], couldHaveRunningContainers: () => running });
    manager.setPodStatus(pod, generated(pod));
    await clock.settle();
    manager.setPodStatus(pod, evicted(manager.get(uid(pod))));
    await clock.settle();
    expect(manager.get(uid(pod))).toMatchObject({ phase: 'Failed', reason: 'Evicted' });
    expect(sink.published.at(-1)?.status).toMatchObject({ phase: 'Running' });
    expect(sink.published.at(-1)?.status).not.toHaveProperty('reason');
    expect(conditionsOf(sink.published.at(-1)!)).not.toContain('DisruptionTarget True');
    expect(conditionsOf(sink.published.at(-1)!)).toContain('Ready False');

    const calls = sink.calls.length;
    expect(manager.setPodStatus(pod, evicted(manager.get(uid(pod))))).toBe(false);
    await clock.advance(10_000);
    expect(sink.calls).toHaveLength(calls);
    running = false;
    expect(manager.setPodStatus(pod, evicted(manager.get(uid(pod))))).toBe(false);
    await clock.settle();
    expect(sink.published.at(-1)?.status).toMatchObject({ phase: 'Failed', reason: 'Evicted' });
    expect(findCondition(sink.published.at(-1)?.status.conditions, 'DisruptionTarget')).toEqual({
      type: 'DisruptionTarget',
      status: 'True',
      reason: 'TerminationByKubelet',
      message: 'low on memory',
      lastTransitionTime: '2026-01-01T00:00:10Z',
    });
    expect(manager.setPodStatus(pod, evicted(manager.get(uid(pod))))).toBe(false);
  });

  it('is published at the latest when the pod is finished', async () => {
    const clock = createVirtualClock();
    const sink = createFakeStatusSink(clock);
    const running = new Set([uid(pod)]);
    const manager = createStatusManager({
      clock,
      sinks: [sink],
      couldHaveRunningContainers: (podUid) => running.has(podUid),
    });
    manager.setPodStatus(pod, evicted(undefined));
    await clock.settle();
    running.clear();
    manager.terminatePod(pod);
    await clock.settle();
    expect(sink.published.map(({ status, finished }) => [status.phase, finished])).toEqual([
      ['Pending', false],
      ['Failed', true],
    ]);
  });
});

describe('static pods', () => {
  const pod = testPod({ annotations: { 'kubernetes.io/config.source': 'file' } });

  it('get a published status once they have a mirror pod', async () => {
    const clock = createVirtualClock();
    const sink = createFakeStatusSink(clock, { needsMirrorPods: true });
    const mirrors: Pod[] = [];
    const metrics = recordingMetrics();
    const manager = createStatusManager({ clock, sinks: [sink], metrics, mirrorPod: () => mirrors[0] });
    manager.setPodStatus(pod, generated(pod));
    await clock.advance(1000);
    expect(sink.calls).toEqual([]);
    expect(metrics.observed('kubelet_pod_status_sync_duration_seconds')).toEqual([]);
    mirrors.push(testPod({ uid: 'mirror', annotations: { 'kubernetes.io/config.mirror': 'hash' } }));
    manager.republish(uid(pod));
    await clock.advance(1000);
    expect(sink.published).toMatchObject([{ pod, mirrorPod: mirrors[0], status: { phase: 'Running' } }]);
  });

  it('get the next status published after they got a mirror pod, even if it is equal', async () => {
    const clock = createVirtualClock();
    const sink = createFakeStatusSink(clock, { needsMirrorPods: true });
    const mirrors: Pod[] = [];
    const manager = createStatusManager({ clock, sinks: [sink], mirrorPod: () => mirrors[0] });
    manager.setPodStatus(pod, generated(pod));
    manager.setPodStatus(pod, generated(pod));
    await clock.advance(60_000);
    expect(sink.calls).toEqual([]);
    mirrors.push(testPod({ uid: 'mirror' }));
    expect(manager.setPodStatus(pod, generated(pod))).toBe(false);
    await clock.advance(60_000);
    expect(sink.published.map(({ mirrorPod, version }) => [mirrorPod?.metadata?.uid, version])).toEqual([
      ['mirror', 1],
    ]);
    manager.setPodStatus(pod, generated(pod));
    await clock.advance(60_000);
    expect(sink.calls).toHaveLength(1);
  });

  it('wait for their mirror pod before they are published', async () => {
    const clock = createVirtualClock();
    const sink = createFakeStatusSink(clock, { needsMirrorPods: true });
    const mirror = testPod({ uid: 'mirror' });
    const mirrors = [mirror];
    const manager = createStatusManager({ clock, sinks: [sink], mirrorPod: () => mirrors[0] }, { coalesceMs: 1000 });
    manager.setPodStatus(pod, generated(pod));
    await clock.advance(1000);
    manager.setPodStatus(pod, { ...generated(pod), message: 'one' });
    mirrors.pop();
    await clock.advance(60_000);
    expect(sink.calls).toHaveLength(1);
    mirrors.push(mirror);
    manager.setPodStatus(pod, { ...generated(pod), message: 'one' });
    await clock.advance(60_000);
    expect(sink.published.map(({ status }) => status.message)).toEqual([undefined, 'one']);
  });

  it('get their status published again for a new mirror pod', async () => {
    const clock = createVirtualClock();
    const sink = createFakeStatusSink(clock, { needsMirrorPods: true });
    const mirrors = [testPod({ uid: 'first' })];
    const manager = createStatusManager({ clock, sinks: [sink], mirrorPod: () => mirrors.at(-1) });
    manager.setPodStatus(pod, generated(pod));
    await clock.advance(60_000);
    mirrors.push(testPod({ uid: 'second', status: { phase: 'Pending' } }));
    manager.setPodStatus(pod, generated(pod));
    manager.setPodStatus(pod, generated(pod));
    await clock.settle();
    expect(sink.published.map(({ mirrorPod }) => mirrorPod?.metadata?.uid)).toEqual(['first', 'second']);
    await clock.advance(60_000);
    manager.setPodStatus(pod, generated(pod));
    await clock.advance(60_000);
    expect(sink.calls).toHaveLength(2);
  });

  it('continue from the status of their mirror pods', () => {
    const status: PodStatus = { startTime: '2025-12-01T00:00:00Z' };
    const { manager } = setUp({ mirrorPod: () => testPod({ uid: 'mirror', status }) });
    expect(manager.previousStatus(pod)).toEqual(status);
    manager.setPodStatus(pod, generated(pod));
    expect(manager.previousStatus(pod)).toEqual(manager.get(uid(pod)));
    expect(manager.get(uid(pod))?.startTime).toBe('2025-12-01T00:00:00Z');
  });

  it.each<[string, (manager: StatusManager) => void]>([
    ['they are forgotten', (manager) => manager.forget(uid(pod))],
    ['they are removed', (manager) => manager.removeOrphaned(new Set())],
    ['their mirror pods show an earlier incarnation', (manager) => manager.startAnew(pod)],
  ])('continue from no status after %s, until their mirror pods are gone', (_, end) => {
    const status: PodStatus = { phase: 'Succeeded', startTime: '2025-12-01T00:00:00Z' };
    let mirror: Pod | undefined = testPod({ uid: 'mirror', status });
    const { manager } = setUp({ mirrorPod: () => mirror });
    manager.setPodStatus(pod, generated(pod));
    end(manager);
    expect([manager.get(uid(pod)), manager.previousStatus(pod)]).toEqual([undefined, {}]);
    manager.removeOrphaned(new Set());
    expect(manager.previousStatus(pod)).toEqual({});
    mirror = undefined;
    manager.removeOrphaned(new Set());
    mirror = testPod({ uid: 'other', status });
    expect(manager.previousStatus(pod)).toEqual(status);
  });

  it('do not continue from a decision of an earlier agent, such as the end of all pods at a shutdown', () => {
    const status: PodStatus = { phase: 'Failed', reason: 'Terminated', startTime: '2025-12-01T00:00:00Z' };
    const { manager } = setUp({ mirrorPod: () => testPod({ uid: 'mirror', status }) });
    expect(manager.previousStatus(pod)).toEqual({ phase: 'Pending', startTime: '2025-12-01T00:00:00Z' });
  });

  it('run again without the condition of a disruption, although their mirror pods still have it', () => {
    const ready = { type: 'Ready', status: 'True' };
    const disrupted = { type: 'DisruptionTarget', status: 'True', reason: 'TerminationByKubelet' };
    let status: PodStatus = { phase: 'Running', conditions: [disrupted, ready] };
    const { manager } = setUp({ mirrorPod: () => testPod({ uid: 'mirror', status }) });
    expect(manager.previousStatus(pod)).toEqual({ phase: 'Running', conditions: [ready] });
    manager.setPodStatus(
      pod,
      generatePodStatus({ pod, runtime: testRuntimePodStatus({ pod }), previous: manager.previousStatus(pod) }),
    );
    expect(findCondition(manager.get(uid(pod))?.conditions, 'DisruptionTarget')).toBeUndefined();

    manager.forget(uid(pod));
    status = { phase: 'Succeeded', conditions: [disrupted] };
    expect(setUp({ mirrorPod: () => testPod({ uid: 'mirror', status }) }).manager.previousStatus(pod)).toEqual(status);
  });
});

describe('several sinks', () => {
  it('get all statuses, and one that fails or hangs delays no other', async () => {
    const clock = createVirtualClock();
    const logger = recordingLogger();
    const hanging = createFakeStatusSink(clock, { latencyMs: () => 1e9 });
    const failing = createFakeStatusSink(clock, {
      failure: ({ version }) => (version < 3 ? new Error('no') : undefined),
    });
    const healthy = createFakeStatusSink(clock);
    const sinks = [hanging, failing, healthy];
    const manager = createStatusManager({ clock, logger, sinks }, { coalesceMs: 1000 });
    const pod = testPod();
    manager.setPodStatus(pod, generated(pod, false));
    manager.setPodStatus(pod, generated(pod, true));
    await clock.settle();
    expect(healthy.published.map(({ version }) => version)).toEqual([2]);
    expect(failing.published).toEqual([]);
    manager.setPodStatus(pod, generated(pod, false));
    await clock.settle();
    expect(healthy.published.map(({ version }) => version)).toEqual([2, 3]);
    await clock.advance(200);
    expect(failing.published.map(({ version }) => version)).toEqual([3]);
    expect(hanging.inFlight).toEqual([uid(pod)]);
  });

  it('each emit their published updates', async () => {
    const clock = createVirtualClock();
    const sinks = [500, 200].map((latencyMs) => createFakeStatusSink(clock, { latencyMs: () => latencyMs }));
    const manager = createStatusManager({ clock, sinks });
    const atMs: number[] = [];
    const startMs = clock.now();
    manager.published$.subscribe(() => atMs.push(clock.now() - startMs));
    const pod = testPod();
    manager.setPodStatus(pod, generated(pod));
    await clock.advance(1000);
    expect(atMs).toEqual([200, 500]);
  });

  it('get static pods without mirror pods unless they need mirror pods', async () => {
    const clock = createVirtualClock();
    const local = createFakeStatusSink(clock);
    const api = createFakeStatusSink(clock, { needsMirrorPods: true });
    const mirror = testPod({ uid: 'mirror' });
    const mirrors: Pod[] = [];
    const manager = createStatusManager({ clock, sinks: [local, api], mirrorPod: () => mirrors[0] });
    const pod = testPod({ annotations: { 'kubernetes.io/config.source': 'file' } });
    manager.setPodStatus(pod, generated(pod));
    await clock.advance(1000);
    expect([local.published.length, api.calls.length]).toEqual([1, 0]);
    mirrors.push(mirror);
    manager.setPodStatus(pod, generated(pod));
    await clock.advance(1000);
    expect([local.calls.length, api.published.length]).toEqual([1, 1]);
    expect(local.published[0]).not.toHaveProperty('mirrorPod');
    expect(api.published[0]?.mirrorPod).toBe(mirror);
  });
});

describe('publishing', () => {
  it('publishes every change at once', async () => {
    const clock = createVirtualClock();
    const sink = createFakeStatusSink(clock);
    const manager = createStatusManager({ clock, sinks: [sink] });
    const pod = testPod();
    manager.setPodStatus(pod, generated(pod, false));
    await clock.settle();
    manager.setPodStatus(pod, { ...generated(pod, false), message: 'one' });
    await clock.settle();
    expect(sink.published.map(({ status }) => status.message)).toEqual([undefined, 'one']);
  });

  it('publishes readiness at once, and merges other changes for a while', async () => {
    const clock = createVirtualClock();
    const sink = createFakeStatusSink(clock);
    const manager = createStatusManager({ clock, sinks: [sink] }, { coalesceMs: 1000 });
    const pod = testPod();
    manager.setPodStatus(pod, generated(pod, false));
    manager.setPodStatus(pod, { ...generated(pod, false), message: 'one' });
    await clock.advance(999);
    expect(sink.calls).toEqual([]);
    await clock.advance(1);
    expect(sink.calls).toHaveLength(1);
    manager.setContainerReadiness(uid(pod), 'containerd://app-0', true);
    await clock.settle();
    manager.setContainerReadiness(uid(pod), 'containerd://app-0', false);
    await clock.settle();
    expect(sink.published.map(({ status }) => findCondition(status.conditions, 'Ready')?.status)).toEqual([
      'False',
      'True',
      'False',
    ]);
  });

  it('publishes readiness at once even when it changes back during a call', async () => {
    const clock = createVirtualClock();
    const sink = createFakeStatusSink(clock, { latencyMs: () => 300 });
    const manager = createStatusManager({ clock, sinks: [sink] });
    const pod = testPod({ status: generated(testPod(), false) });
    manager.setPodStatus(pod, generated(pod, true));
    await clock.advance(100);
    manager.setContainerReadiness(uid(pod), 'containerd://app-0', false);
    manager.setPodStatus(pod, { ...manager.get(uid(pod)), message: 'more' });
    await clock.advance(500);
    const published = sink.published.map(({ status }) => [
      findCondition(status.conditions, 'Ready')?.status,
      status.message,
    ]);
    expect(published).toEqual([
      ['True', undefined],
      ['False', 'more'],
    ]);
  });

  it('emits published updates and measures their latency', async () => {
    const clock = createVirtualClock();
    const metrics = recordingMetrics();
    const sink = createFakeStatusSink(clock, { latencyMs: () => 500 });
    const manager = createStatusManager({ clock, sinks: [sink], metrics });
    const published: PodStatusUpdate[] = [];
    manager.published$.subscribe((update) => published.push(update));
    const pod = testPod();
    manager.setPodStatus(pod, generated(pod));
    await clock.advance(500);
    expect(published).toEqual(sink.published);
    expect(metrics.observed('kubelet_pod_status_sync_duration_seconds')).toEqual([0.5]);
    manager.republish(uid(pod));
    await clock.advance(1500);
    expect(published).toHaveLength(2);
    manager.republish('other');
    expect(clock.pendingTimers).toBe(0);
  });

  it('publishes at once that a pod is finished, even for a static pod whose phase stays', async () => {
    const clock = createVirtualClock();
    const sink = createFakeStatusSink(clock);
    const manager = createStatusManager({ clock, sinks: [sink] });
    const pod = testPod({ annotations: { 'kubernetes.io/config.source': 'file' } });
    manager.setPodStatus(pod, generated(pod, false));
    await clock.advance(1000);
    manager.terminatePod(pod);
    await clock.settle();
    expect(sink.published.map(({ status, finished }) => [status.phase, finished])).toEqual([
      ['Running', false],
      ['Running', true],
    ]);
  });

  it('emits nothing for a pod that was forgotten during its call', async () => {
    const clock = createVirtualClock();
    const sink = createFakeStatusSink(clock, { latencyMs: () => 500 });
    const manager = createStatusManager({ clock, sinks: [sink] });
    const published: PodStatusUpdate[] = [];
    manager.published$.subscribe((update) => published.push(update));
    const pod = testPod();
    manager.setPodStatus(pod, generated(pod));
    await clock.settle();
    manager.removeOrphaned(new Set());
    await clock.advance(60_000);
    expect(sink.published).toHaveLength(1);
    expect(published).toEqual([]);
    expect(manager.list()).toEqual([]);
  });

  it('counts terminated containers', () => {
    const metrics = recordingMetrics();
    const { manager } = setUp({ metrics });
    const pod = testPod();
    for (const status of [generated(pod), ended(pod), ended(pod)]) manager.setPodStatus(pod, status);
    expect(
      metrics.values.get(
        'kubelet_terminated_containers_total{container_type="container",exit_code="0",reason="Completed"}',
      ),
    ).toBe(1);
  });
});

describe('disposal', () => {
  it('publishes remaining changes, completes the streams and ignores later changes', async () => {
    const clock = createVirtualClock();
    const sink = createFakeStatusSink(clock, { latencyMs: () => 900 });
    const manager = createStatusManager({ clock, sinks: [sink] }, { coalesceMs: 60_000 });
    const completed: string[] = [];
    manager.status$.subscribe({ complete: () => completed.push('status$') });
    manager.forgotten$.subscribe({ complete: () => completed.push('forgotten$') });
    const pod = testPod();
    manager.published$.subscribe({ complete: () => completed.push('published$') });
    manager.setPodStatus(pod, generated(pod));
    manager.setPodStatus(pod, { ...generated(pod), message: 'last words' });
    const disposal = manager[Symbol.asyncDispose]();
    await clock.advance(2000);
    await disposal;
    expect(sink.published.map(({ status }) => status.message)).toEqual([undefined, 'last words']);
    expect(completed).toEqual(['status$', 'published$', 'forgotten$']);
    expect(sink.inFlight).toEqual([]);
    expect(clock.pendingTimers).toBe(0);
    expect(manager.setPodStatus(pod, generated(pod, false))).toBe(false);
    expect(manager.get(uid(pod))?.phase).toBe('Running');
  });
});
