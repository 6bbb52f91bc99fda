import { testPod } from '@rxlet/pod-model/testing';
import { describe, expect, it } from 'vitest';
import { evictedStatus } from './evicted-status.ts';
import type { EvictionState } from './eviction-state.ts';
import { synchronize, synchronizeAfterReclaim } from './synchronize.ts';
import { initialState, type Left, memoryPod, memoryUse, observation, shown, summary } from './test-support.ts';

const hard = { evictionHard: { 'memory.available': '100Mi' } };
const soft = {
  ...hard,
  evictionSoft: { 'memory.available': '500Mi' },
  evictionSoftGracePeriod: { 'memory.available': '30s' },
};
const pods = [memoryPod('a', 10), memoryPod('b', 10, { priority: 5 })];
const uses = [memoryUse('a', 100), memoryUse('b', 900)];
const step = (state: EvictionState, nowSeconds: number, left: Left, running: readonly string[] = []) =>
  synchronize(
    state,
    observation(nowSeconds, pods, { pods: uses, ...left }, { running: new Set(running.map((name) => `uid-${name}`)) }),
  );

describe('synchronize', () => {
  it('evicts one pod at a hard threshold at once, also at the start', () => {
    const decision = step(initialState(hard), 0, { memoryMi: 99 });
    expect(shown(decision)).toEqual(['report memory', 'evict a 1s']);
    expect(decision.state.conditions).toEqual(['MemoryPressure']);
    expect(step(initialState(hard), 0, { memoryMi: 100 }).actions).toEqual([]);
  });

  it('has a message for pod and event, and an explanation for the log', () => {
    const [, action] = step(initialState(hard), 0, { memoryMi: 50 }).actions;
    if (action?.kind !== 'evict') throw new Error('no pod was evicted');
    const message =
      'The node was low on resource: memory. Threshold quantity: 100Mi, available: 50Mi. ' +
      'Container app was using 100Mi, request is 10Mi, has larger consumption of memory. ';
    expect(action.eviction).toMatchObject({
      cause: 'memory.available',
      message,
      explanation: 'used 100Mi, requested 10Mi; node had 50Mi left of a threshold of 100Mi',
      annotations: {
        offending_containers: 'app',
        offending_containers_usage: '100Mi',
        starved_resource: 'memory',
      },
    });
    const ready = { type: 'Ready', status: 'True' } as const;
    const pod = testPod({
      status: { phase: 'Running', conditions: [{ type: 'DisruptionTarget', status: 'False' }, ready] },
    });
    expect(evictedStatus(pod, action.eviction)).toMatchObject({
      phase: 'Failed',
      reason: 'Evicted',
      message,
      conditions: [{ type: 'DisruptionTarget', status: 'True', reason: 'TerminationByKubelet', message }, ready],
    });
  });

  it('waits for the grace period of a soft threshold, and gives the pod its time', () => {
    const first = step(initialState(soft), 0, { memoryMi: 400 });
    expect(first.actions).toEqual([]);
    expect(first.state.conditions).toEqual(['MemoryPressure']);
    expect(step(first.state, 29, { memoryMi: 400 }).actions).toEqual([]);
    expect(shown(step(first.state, 30, { memoryMi: 400 }))).toEqual(['report memory', 'evict a 30s']);
    const short = initialState(soft, { maxPodGracePeriodSeconds: 10 });
    expect(shown(step(step(short, 0, { memoryMi: 400 }).state, 30, { memoryMi: 400 }))[1]).toBe('evict a 10s');
  });

  it('starts the grace period anew when the threshold was left in between', () => {
    const left = step(step(initialState(soft), 0, { memoryMi: 400 }).state, 10, { memoryMi: 600 });
    const again = step(left.state, 20, { memoryMi: 400 });
    expect(step(again.state, 49, { memoryMi: 400 }).actions).toEqual([]);
    expect(step(again.state, 50, { memoryMi: 400 }).actions).toHaveLength(2);
  });

  it('never lets a pod that takes its time after a soft eviction hold up a hard one', () => {
    const first = step(initialState(soft), 0, { memoryMi: 400 });
    const second = step(first.state, 30, { memoryMi: 400 });
    expect(step(second.state, 40, { memoryMi: 400 }, ['a']).actions).toEqual([]);
    expect(shown(step(second.state, 40, { memoryMi: 50 }, ['a']))).toEqual(['report memory', 'evict a 1s']);
    expect(shown(step(second.state, 41, { memoryMi: 400 }))).toEqual(['report memory', 'evict a 30s']);
  });

  it('waits until the evicted pod has ended, at most half a minute', () => {
    const first = step(initialState(hard), 0, { memoryMi: 50 });
    expect(step(first.state, 10, { memoryMi: 50 }, ['a']).actions).toEqual([]);
    expect(step(first.state, 11, { memoryMi: 50 }).actions).toHaveLength(2);
    expect(step(first.state, 31, { memoryMi: 50 }, ['a']).actions).toHaveLength(2);
  });

  it('goes on until the minimum reclaim is reached', () => {
    const state = initialState({ ...hard, evictionMinimumReclaim: { 'memory.available': '100Mi' } });
    const first = step(state, 0, { memoryMi: 50 });
    const second = step(first.state, 10, { memoryMi: 199 });
    expect(second.actions).toHaveLength(2);
    const third = step(second.state, 20, { memoryMi: 200 });
    expect(third.actions).toEqual([]);
    expect(step(third.state, 30, { memoryMi: 150 }).actions).toEqual([]);
  });

  it('keeps a condition for the transition period', () => {
    const first = step(initialState(hard), 0, { memoryMi: 50 });
    const later = step(first.state, 299, {});
    expect(later.state.conditions).toEqual(['MemoryPressure']);
    expect(step(later.state, 300, {}).state.conditions).toEqual([]);
  });

  it('acts once on each measurement, and on every one without a time', () => {
    const first = step(initialState(hard), 0, { time: 5, memoryMi: 50 });
    const second = step(first.state, 10, { time: 5, memoryMi: 50 });
    expect(second.actions).toEqual([]);
    expect(second.state.conditions).toEqual(['MemoryPressure']);
    expect(step(second.state, 20, { time: 6, memoryMi: 50 }).actions).toHaveLength(2);
    const timeless = step(initialState(hard), 0, { time: 0, memoryMi: 50 });
    expect(step(timeless.state, 10, { time: 0, memoryMi: 50 }).actions).toHaveLength(2);
  });

  it('decides nothing without statistics, and nothing without thresholds', () => {
    const first = step(initialState(hard), 0, { memoryMi: 50 });
    const blind = synchronize(first.state, { ...observation(400, pods, {}), summary: undefined });
    expect(blind.actions).toEqual([]);
    expect(blind.state.conditions).toEqual(['MemoryPressure']);
    const off = initialState({}, { localStorageCapacityIsolation: false });
    expect(step(off, 0, { memoryMi: 0 })).toEqual({ state: off, actions: [] });
  });

  it('evicts no critical pod, and none when all are', () => {
    const critical = memoryPod('c', 0, { priority: 2_000_000_000 });
    const state = initialState(hard);
    const left = { memoryMi: 50, pods: [memoryUse('c', 4000)] };
    expect(shown(synchronize(state, observation(0, [critical, ...pods], left)))).toEqual([
      'report memory',
      'evict a 1s',
    ]);
    expect(shown(synchronize(state, observation(0, [critical], left)))).toEqual(['report memory']);
  });

  it('reclaims memory before the other resources when two thresholds are met', () => {
    const both = { evictionHard: { 'pid.available': '10%', 'memory.available': '100Mi' } };
    const first = step(initialState(both), 0, { memoryMi: 50, pids: 50 });
    expect(shown(first)).toEqual(['report memory', 'evict a 1s']);
    expect(first.state.conditions).toEqual(['MemoryPressure', 'PIDPressure']);
    expect(shown(step(first.state, 10, { pids: 50 }))).toEqual(['report pids', 'evict a 1s']);
  });

  it('collects garbage before it evicts for the disk', () => {
    const disk = { evictionHard: { 'nodefs.available': '10%' } };
    const first = step(initialState(disk), 0, { diskGi: 5 });
    expect(shown(first)).toEqual(['report ephemeral-storage', 'reclaim containers images']);
    const [, action] = first.actions;
    if (action?.kind !== 'reclaim') throw new Error('nothing was reclaimed');
    const after = (left: Left | undefined) =>
      shown(synchronizeAfterReclaim(first.state, action.reclaim, left && summary(left)));
    expect(after({ diskGi: 40 })).toEqual([]);
    expect(after({ diskGi: 8 })).toEqual(['evict a 1s']);
    expect(after(undefined)).toEqual(['evict a 1s']);
  });

  it('evicts all pods beyond limits of local storage, and none for a threshold meanwhile', () => {
    const full = ['x', 'y'].map((name) =>
      testPod({ name, spec: { volumes: [{ name: 'v', emptyDir: { sizeLimit: '1Mi' } }] } }),
    );
    const use = full.map(({ metadata }) => ({
      podRef: { uid: metadata!.uid! },
      containers: null,
      volume: [{ name: 'v', usedBytes: 2 ** 21 }],
    }));
    const left = { memoryMi: 50, pods: use };
    const first = synchronize(initialState(hard), observation(0, full, left));
    expect(shown(first)).toEqual(['evict x 1s', 'evict y 1s']);
    const running = new Set(['uid-x', 'uid-y']);
    expect(synchronize(first.state, observation(10, full, left, { running })).actions).toEqual([]);
    const off = initialState(hard, { localStorageCapacityIsolation: false });
    expect(shown(synchronize(off, observation(0, full, left)))[0]).toBe('report memory');
  });
});
