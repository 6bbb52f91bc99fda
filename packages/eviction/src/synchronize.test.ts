import type { Pod } from '@rxlet/kube-api';
import { testPod } from '@rxlet/pod-model/testing';
import { describe, expect, it } from 'vitest';
import { evictedStatus } from './evicted-status.ts';
import type { EvictionState } from './eviction-state.ts';
import type { FileSystemLayout } from './node-summary.ts';
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

  it('waits for each pod that is being evicted, whatever was decided last', () => {
    const soon = step(step(initialState(soft), 0, { memoryMi: 400 }).state, 30, { memoryMi: 400 });
    expect(shown(soon)).toEqual(['report memory', 'evict a 30s']);
    const b = { pods: [memoryUse('b', 900)], memoryMi: 50 };
    const both = synchronize(soon.state, observation(40, [pods[1]!], b, { running: new Set(['uid-a']) }));
    expect(shown(both)).toEqual(['report memory', 'evict b 1s']);
    expect(step(both.state, 41, { memoryMi: 50 }, ['a', 'b']).actions).toEqual([]);
    expect(shown(step(both.state, 42, { memoryMi: 50 }, ['a']))).toEqual(['report memory', 'evict a 1s']);
  });

  it('waits for a pod as long as its last eviction takes', () => {
    const first = step(step(initialState(soft), 0, { memoryMi: 400 }).state, 30, { memoryMi: 400 });
    expect(step(first.state, 89, { memoryMi: 400 }, ['a']).actions).toEqual([]);
    expect(step(first.state, 90, { memoryMi: 400 }, ['a']).actions).toHaveLength(2);
    const second = step(first.state, 40, { memoryMi: 50 }, ['a']);
    expect(step(second.state, 70, { memoryMi: 400 }, ['a']).actions).toEqual([]);
    expect(step(second.state, 71, { memoryMi: 400 }, ['a']).actions).toHaveLength(2);
  });

  it('gives a pod without a grace period of its own the longest one at a soft threshold', () => {
    const bare = [{ metadata: { name: 'bare', uid: 'uid-bare' } }];
    const at = (state: EvictionState, nowSeconds: number) =>
      synchronize(state, observation(nowSeconds, bare, { memoryMi: 400 }));
    expect(shown(at(at(initialState(soft), 0).state, 30))).toEqual(['report memory', 'evict bare 60s']);
  });

  it('records the generation of the pod in its condition, if it has one', () => {
    const conditionOf = (pod: Pod) => {
      const [, action] = synchronize(initialState(hard), observation(0, [pod], { memoryMi: 50 })).actions;
      if (action?.kind !== 'evict') throw new Error('no pod was evicted');
      return action.eviction.condition;
    };
    expect(conditionOf(testPod({ metadata: { generation: 3 } }))).toMatchObject({ observedGeneration: 3 });
    expect(conditionOf(testPod())).not.toHaveProperty('observedGeneration');
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
    const after = (left: Left | undefined, seconds = 0, active = pods) =>
      shown(
        synchronizeAfterReclaim(first.state, action.reclaim, {
          nowMs: seconds * 1_000,
          pods: active,
          summary: left && summary(left),
          running: new Set(),
        }),
      );
    expect(after({ diskGi: 40 })).toEqual([]);
    expect(after({ diskGi: 8 })).toEqual(['evict a 1s']);
    expect(after({ diskGi: 8 }, 90)).toEqual(['evict a 1s']);
    expect(after({ diskGi: 8 }, 90, pods.slice(1))).toEqual(['evict b 1s']);
    expect(after(undefined)).toEqual(['evict a 1s']);
    expect(after(undefined, 90)).toEqual([]);
    expect(first.state.conditions).toEqual(['DiskPressure']);
  });

  it('evicts after garbage was collected unless a hard eviction has begun meanwhile', () => {
    const configuration = { ...soft, evictionHard: { ...soft.evictionHard, 'nodefs.available': '10%' } };
    const evicting = step(step(initialState(configuration), 0, { memoryMi: 400 }).state, 30, { memoryMi: 400 });
    expect(shown(evicting)).toEqual(['report memory', 'evict a 30s']);
    const { state, actions } = step(evicting.state, 40, { memoryMi: 400, diskGi: 5 }, ['a']);
    const [, action] = actions;
    if (action?.kind !== 'reclaim') throw new Error('nothing was reclaimed');
    const after = (current: EvictionState, running: readonly string[], active = pods) =>
      shown(
        synchronizeAfterReclaim(
          current,
          action.reclaim,
          observation(42, active, { diskGi: 5 }, { running: new Set(running) }),
        ),
      );
    expect(after(state, ['uid-a'])).toEqual(['evict a 1s']);
    const meanwhile = step(state, 41, { memoryMi: 50 }, ['a']);
    expect(shown(meanwhile)).toEqual(['report memory', 'evict a 1s']);
    expect(after(meanwhile.state, ['uid-a'])).toEqual([]);
    expect(after(meanwhile.state, [], pods.slice(1))).toEqual(['evict b 1s']);
  });

  it('evicts after garbage was collected until the minimum reclaim is reached', () => {
    const reclaiming = {
      evictionHard: { 'nodefs.available': '10%' },
      evictionMinimumReclaim: { 'nodefs.available': '10Gi' },
    };
    const { state, actions } = step(initialState(reclaiming), 0, { diskGi: 5 });
    const [, action] = actions;
    if (action?.kind !== 'reclaim') throw new Error('nothing was reclaimed');
    const after = (diskGi: number) =>
      shown(synchronizeAfterReclaim(state, action.reclaim, observation(0, pods, { diskGi })));
    expect([after(19), after(21)]).toEqual([['evict a 1s'], []]);
  });

  it('adds the thresholds of writable layers for the first layout, which stays', () => {
    const disk = initialState({ evictionHard: { 'imagefs.available': '10%' } });
    const at = (state: EvictionState, nowSeconds: number, layout: FileSystemLayout, imagesGi = 50) =>
      synchronize(state, observation(nowSeconds, pods, { imagesGi }, { layout }));
    const first = at(disk, 0, 'dedicated');
    const signals = ['imagefs.available', 'containerfs.available'];
    expect(first.state.thresholds.map(({ signal }) => signal)).toEqual(signals);
    const second = at(first.state, 10, 'shared', 5);
    expect(second.state.thresholds.map(({ signal }) => signal)).toEqual(signals);
    expect(second.state.layout).toBe('dedicated');
    expect(shown(second)).toEqual(['report ephemeral-storage', 'reclaim containers images']);
    expect(at(disk, 0, 'split').state.thresholds).toHaveLength(1);
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
    const [x, y] = use;
    const alone = synchronize(initialState(hard), observation(0, full, { pods: [x!] }));
    expect(shown(alone)).toEqual(['evict x 1s']);
    const later = synchronize(alone.state, observation(10, full, { pods: [x!, y!] }, { running }));
    expect(shown(later)).toEqual(['evict y 1s']);
    expect(shown(synchronize(later.state, observation(20, full, { pods: [x!, y!] }, { running })))).toEqual([]);
    const off = initialState(hard, { localStorageCapacityIsolation: false });
    expect(shown(synchronize(off, observation(0, full, left)))[0]).toBe('report memory');
  });

  it('evicts a pod beyond its limit of local storage while it takes its time after a soft eviction', () => {
    const over = testPod({ name: 'over', spec: { volumes: [{ name: 'v', emptyDir: { sizeLimit: '1Mi' } }] } });
    const at = (state: EvictionState, nowSeconds: number, usedBytes: number) =>
      synchronize(
        state,
        observation(
          nowSeconds,
          [over],
          {
            memoryMi: 400,
            pods: [{ podRef: { uid: 'uid-over' }, containers: null, volume: [{ name: 'v', usedBytes }] }],
          },
          { running: new Set(['uid-over']) },
        ),
      );
    const first = at(at(initialState(soft), 0, 0).state, 30, 0);
    expect(shown(first)).toEqual(['report memory', 'evict over 30s']);
    const second = at(first.state, 40, 2 ** 21);
    expect(shown(second)).toEqual(['evict over 1s']);
    expect(shown(at(second.state, 50, 2 ** 21))).toEqual([]);
  });

  it('keeps only the last eviction of each pod when several are evicted at once', () => {
    const full = ['x', 'y'].map((name) =>
      testPod({ name, spec: { volumes: [{ name: 'v', emptyDir: { sizeLimit: '1Mi' } }] } }),
    );
    const running = new Set(['uid-x', 'uid-y']);
    const at = (state: EvictionState, nowSeconds: number, usedBytes: number) => {
      const volume = [{ name: 'v', usedBytes }];
      const use = ['x', 'y'].map((name) => ({ podRef: { uid: `uid-${name}` }, containers: null, volume }));
      return synchronize(state, observation(nowSeconds, full, { memoryMi: 400, pods: use }, { running }));
    };
    const first = at(at(initialState(soft), 0, 0).state, 30, 0);
    expect(shown(first)).toEqual(['report memory', 'evict x 30s']);
    const second = at(first.state, 40, 2 ** 21);
    expect(shown(second)).toEqual(['evict x 1s', 'evict y 1s']);
    expect(second.state.evicting.map(({ uid }) => uid)).toEqual(['uid-x', 'uid-y']);
  });
});
