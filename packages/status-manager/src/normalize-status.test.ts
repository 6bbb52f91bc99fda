import type { ContainerState, ContainerStatus } from '@rxlet/kube-api';
import { testPod } from '@rxlet/pod-model/testing';
import { describe, expect, it } from 'vitest';
import { normalizeStatus } from './normalize-status.ts';

const container = (name: string, state: ContainerState = {}, lastState: ContainerState = {}): ContainerStatus => ({
  name,
  image: '',
  imageID: '',
  ready: false,
  restartCount: 0,
  state,
  lastState,
});

describe('normalizeStatus', () => {
  it('cuts all times to seconds', () => {
    const time = '2026-01-01T00:00:00.123456Z';
    const whole = '2026-01-01T00:00:00Z';
    const ends = { exitCode: 0, startedAt: time, finishedAt: time };
    const status = normalizeStatus(testPod(), {
      startTime: time,
      conditions: [{ type: 'Ready', status: 'True', lastTransitionTime: time, lastProbeTime: time }],
      containerStatuses: [container('app', { running: { startedAt: time } }, { terminated: ends })],
    });
    expect(status.startTime).toBe(whole);
    expect(status.conditions?.[0]).toEqual({
      type: 'Ready',
      status: 'True',
      lastTransitionTime: whole,
      lastProbeTime: whole,
    });
    expect(status.containerStatuses?.[0]?.state?.running?.startedAt).toBe(whole);
    expect(status.containerStatuses?.[0]?.lastState?.terminated).toEqual({
      exitCode: 0,
      startedAt: whole,
      finishedAt: whole,
    });
  });

  it('divides 12 KiB of termination messages among all containers of the pod', () => {
    const pod = testPod({ initContainers: [{ name: 'init' }], containers: [{ name: 'a' }, { name: 'b' }] });
    const message = `head${'x'.repeat(20_000)}`;
    const state = { terminated: { exitCode: 1, message } };
    const status = normalizeStatus(pod, {
      initContainerStatuses: [container('init', state)],
      containerStatuses: [container('a', {}, state), container('b', { terminated: { exitCode: 0, message: 'short' } })],
    });
    expect(status.initContainerStatuses?.[0]?.state?.terminated?.message).toBe(message.slice(0, 4096));
    expect(status.containerStatuses?.[0]?.lastState?.terminated?.message).toBe(message.slice(0, 4096));
    expect(status.containerStatuses?.[1]?.state?.terminated?.message).toBe('short');
  });

  it('counts bytes and keeps characters whole', () => {
    const state = { terminated: { exitCode: 1, message: `a${'😀'.repeat(5000)}` } };
    const status = normalizeStatus(testPod(), { containerStatuses: [container('app', state)] });
    // 12288 bytes hold the first byte, and 3071 characters of four bytes with three bytes to spare.
    expect(status.containerStatuses?.[0]?.state?.terminated?.message).toBe(`a${'😀'.repeat(3071)}`);
  });

  it('orders init containers as in the spec, and others by name', () => {
    const pod = testPod({ initContainers: [{ name: 'z' }, { name: 'a' }] });
    const status = normalizeStatus(pod, {
      initContainerStatuses: ['gone', 'a', 'z'].map((name) => container(name)),
      containerStatuses: ['b', 'a-1', 'a'].map((name) => container(name)),
      ephemeralContainerStatuses: ['y', 'x'].map((name) => container(name)),
    });
    expect(status.initContainerStatuses?.map(({ name }) => name)).toEqual(['z', 'a', 'gone']);
    expect(status.containerStatuses?.map(({ name }) => name)).toEqual(['a', 'a-1', 'b']);
    expect(status.ephemeralContainerStatuses?.map(({ name }) => name)).toEqual(['x', 'y']);
  });

  it('adds no states', () => {
    const { state: _state, lastState: _lastState, ...stateless } = container('app');
    expect(normalizeStatus(testPod(), { containerStatuses: [stateless] })).toStrictEqual({
      containerStatuses: [stateless],
    });
  });

  it('is idempotent and does not modify its input', () => {
    const pod = testPod();
    const given = { phase: 'Running', containerStatuses: [container('b'), container('a')] } as const;
    const normal = normalizeStatus(pod, given);
    expect(normalizeStatus(pod, normal)).toEqual(normal);
    expect(given.containerStatuses.map(({ name }) => name)).toEqual(['b', 'a']);
  });
});
