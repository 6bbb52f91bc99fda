import { createVirtualClock, recordingMetrics } from '@rxlet/component-base/testing';
import type { ContainerState, ContainerStatus, Pod, PodStatus } from '@rxlet/kube-api';
import { type TestPod, testPod } from '@rxlet/pod-model/testing';
import { describe, expect, it } from 'vitest';
import { createPodStartLatency } from './pod-start-latency.ts';

const SLI = 'kubelet_pod_start_sli_duration_seconds';
const TOTAL = 'kubelet_pod_start_total_duration_seconds';
const START = 'kubelet_pod_start_duration_seconds';
const FIRST = 'kubelet_first_network_pod_start_sli_duration_seconds';

function setUp() {
  const clock = createVirtualClock();
  const metrics = recordingMetrics();
  return { clock, metrics, latency: createPodStartLatency({ clock, metrics }) };
}

const container = (name: string, state: object) => ({
  name,
  image: '',
  imageID: '',
  ready: false,
  restartCount: 0,
  state,
});
const up = { running: { startedAt: '2026-01-01T00:00:09Z' } };
const started: PodStatus = { phase: 'Running', containerStatuses: [container('app', up)] };
const waiting: PodStatus = { phase: 'Pending', containerStatuses: [container('app', { waiting: {} })] };
const withStatus = (pod: Pod, status: PodStatus): Pod => ({ ...pod, status });

describe('the service level of starts', () => {
  it('lasts from creation until the API shows the containers started, without image pulls', async () => {
    const { clock, metrics, latency } = setUp();
    const pod = testPod();
    latency.observedOnWatch(pod);
    await clock.advance(1000);
    latency.imagePullStarted('uid-web');
    await clock.advance(2000);
    latency.imagePullStarted('uid-web');
    await clock.advance(3000);
    latency.imagePullFinished('uid-web');
    latency.imagePullFinished('uid-web');
    latency.statusPublished(pod, waiting);
    latency.observedOnWatch(withStatus(pod, waiting));
    await clock.advance(3000);
    latency.statusPublished(pod, started);
    expect(metrics.observed(SLI)).toEqual([]);
    await clock.advance(500);
    latency.observedOnWatch(withStatus(pod, started));
    latency.observedOnWatch(withStatus(pod, started));
    expect(metrics.observed(TOTAL)).toEqual([9.5]);
    expect(metrics.observed(SLI)).toEqual([4.5]);
    expect(metrics.values.get(FIRST)).toBe(4.5);
  });

  it('excludes every run of init containers, but not of sidecars', async () => {
    const { clock, metrics, latency } = setUp();
    const pod = testPod({ initContainers: [{ name: 'init' }, { name: 'side', restartPolicy: 'Always' }] });
    const ran = (id: string, startedAt: string, finishedAt: string) => ({
      terminated: { exitCode: 0, containerID: id, startedAt, finishedAt },
    });
    const first = container('init', ran('1', '2026-01-01T00:00:00Z', '2026-01-01T00:00:02Z'));
    const second = container('init', ran('2', '2026-01-01T00:00:03Z', '2026-01-01T00:00:04Z'));
    const side = container('side', ran('3', '2026-01-01T00:00:04Z', '2026-01-01T00:00:05Z'));
    latency.observedOnWatch(pod);
    for (const init of [first, first, second]) {
      latency.statusPublished(pod, { ...waiting, initContainerStatuses: [init] });
    }
    const done = { ...started, initContainerStatuses: [second, side] };
    await clock.advance(10_000);
    latency.statusPublished(pod, done);
    latency.observedOnWatch(withStatus(pod, done));
    expect(metrics.observed(SLI)).toEqual([7]);
    expect(metrics.observed(TOTAL)).toEqual([10]);
  });

  it('excludes runs of init containers that are reported late', () => {
    const { clock, metrics, latency } = setUp();
    const pod = testPod({ initContainers: [{ name: 'init' }] });
    const ran = (second: number) => ({
      terminated: {
        exitCode: 1,
        startedAt: `2026-01-01T00:00:0${second}Z`,
        finishedAt: `2026-01-01T00:00:0${second + 1}Z`,
      },
    });
    const init = (state: ContainerState, lastState: ContainerState): ContainerStatus => ({
      ...container('init', state),
      lastState,
    });
    latency.observedOnWatch(pod);
    for (const status of [init({ waiting: {} }, ran(1)), init(ran(3), ran(1)), init({ waiting: {} }, ran(3))]) {
      latency.statusPublished(pod, { ...waiting, initContainerStatuses: [status] });
    }
    const done = { ...started, initContainerStatuses: [init(ran(7), ran(5))] };
    clock.setWallClock(clock.now() + 10_000);
    latency.statusPublished(pod, done);
    latency.observedOnWatch(withStatus(pod, done));
    expect(metrics.observed(SLI)).toEqual([6]);
  });

  it.each<[string, TestPod]>([
    ['static pods', { annotations: { 'kubernetes.io/config.source': 'file' } }],
    ['pods that were there before the agent', { status: { startTime: '2026-01-01T00:00:00Z' } }],
    ['pods that have ended', { status: { phase: 'Failed' } }],
  ])('excludes %s', (_, shape) => {
    const { metrics, latency } = setUp();
    const pod = testPod(shape);
    latency.observedOnWatch(pod);
    expect(latency.size).toBe(0);
    latency.imagePullStarted('uid-web');
    latency.imagePullFinished('uid-web');
    latency.statusPublished(pod, started);
    latency.observedOnWatch(withStatus(pod, started));
    expect(metrics.observed(SLI)).toEqual([]);
  });

  it('measures the first pod outside the host network', () => {
    const { clock, metrics, latency } = setUp();
    const start = (name: string, spec: TestPod['spec'] = {}): void => {
      const pod = testPod({ name, spec });
      latency.observedOnWatch(pod);
      latency.statusPublished(pod, started);
      latency.observedOnWatch(withStatus(pod, started));
    };
    start('host', { hostNetwork: true });
    expect(metrics.values.has(FIRST)).toBe(false);
    start('first');
    clock.setWallClock(clock.now() + 60_000);
    start('second');
    expect(metrics.values.get(FIRST)).toBe(0);
    expect(metrics.observed(SLI)).toEqual([0, 0, 60]);
  });

  it('forgets removed pods and pods in a terminal phase', () => {
    const { latency } = setUp();
    latency.observedOnWatch(testPod({ name: 'a' }));
    latency.observedOnWatch(testPod({ name: 'b' }));
    latency.forget('uid-a');
    latency.observedOnWatch(testPod({ name: 'b', status: { phase: 'Succeeded' } }));
    expect(latency.size).toBe(0);
  });
});

describe('kubelet_pod_start_duration_seconds', () => {
  it('lasts from when the node saw the pod until it is running', async () => {
    const { clock, metrics, latency } = setUp();
    const pod = testPod({ annotations: { 'kubernetes.io/config.seen': '2026-01-01T00:00:00.5Z' } });
    await clock.advance(3000);
    latency.statusGenerated(pod, waiting, waiting);
    latency.statusGenerated(pod, waiting, started);
    latency.statusGenerated(pod, started, started);
    latency.statusGenerated(testPod(), waiting, started);
    expect(metrics.observed(START)).toEqual([2.5]);
  });
});
