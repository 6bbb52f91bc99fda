import type { RuntimePod } from '@rxlet/pod-model';
import { describe, expect, it } from 'vitest';
import { manifestPod } from '../test-support/agent-bench.ts';
import { createSyncLoopBench, refuseNamed, withMetadata } from '../test-support/sync-loop-bench.ts';

describe('housekeeping', () => {
  const held = (uid: string): RuntimePod => ({ uid, name: uid, namespace: 'default', containers: [], sandboxes: [] });

  it('waits until all sources have told their pods', async () => {
    const { world, steps, clock, files } = createSyncLoopBench();
    files.put('/root/pods/old/etc-hosts', '');
    world.ready = false;
    world.held = [held('old')];
    await clock.advance(60_000);
    expect(steps).toEqual([]);
    world.ready = true;
    await clock.advance(2_000);
    expect(steps).toEqual(['stop old']);
    world.held = [];
    await clock.advance(4_000);
    expect(await files.list('/root/pods')).toEqual([]);
  });

  it('adds a pod that was overlooked', async () => {
    const { world, steps, clock } = createSyncLoopBench();
    world.pods = [manifestPod('web')];
    await clock.advance(2_000);
    expect(steps).toEqual(['sync web']);
  });

  it('keeps probes and statuses of the pods that are desired or still known, and of no other', async () => {
    const { tell, clock, retained, steps } = createSyncLoopBench({ admission: [refuseNamed('bad')] });
    await tell('ADD', manifestPod('one'), manifestPod('two'), manifestPod('bad'));
    await clock.advance(2_000);
    const all = 'uid-bad-1,uid-one-1,uid-two-1';
    expect(Object.fromEntries(retained)).toEqual({ probes: all, statuses: all });
    await tell('REMOVE', manifestPod('two'));
    expect(steps).toContain('stop uid-two-1');
    await clock.advance(2_000);
    expect(Object.fromEntries(retained)).toEqual({ probes: 'uid-bad-1,uid-one-1', statuses: 'uid-bad-1,uid-one-1' });
  });

  it('does not ask anew for what was refused', async () => {
    const { tell, clock, rejections } = createSyncLoopBench({ admission: [refuseNamed('bad')] });
    await tell('ADD', manifestPod('bad'));
    await clock.advance(60_000);
    expect(rejections).toHaveLength(1);
  });

  it('counts the pods', async () => {
    const { tell, clock, gauges } = createSyncLoopBench({ admission: [refuseNamed('bad')] });
    const apiPod = withMetadata(manifestPod('api', { ephemeralContainers: [{ name: 'debug', image: 'x' }] }), {
      annotations: { 'kubernetes.io/config.source': 'api' },
    });
    await tell('ADD', manifestPod('one'), manifestPod('bad'), apiPod);
    await clock.advance(2_000);
    expect(Object.fromEntries(gauges)).toEqual({
      'kubelet_desired_pods true': 2,
      kubelet_desired_pods: 1,
      'kubelet_active_pods true': 1,
      kubelet_active_pods: 1,
      kubelet_mirror_pods: 0,
      kubelet_managed_ephemeral_containers: 1,
    });
  });

  it('leaves the directory of a pod alone that is known to anybody', async () => {
    const { world, tell, clock, files } = createSyncLoopBench({ admission: [refuseNamed('bad')] });
    for (const uid of ['uid-web-1', 'uid-old-1', 'uid-bad-1', 'held', 'gone'])
      files.put(`/root/pods/${uid}/etc-hosts`, '');
    world.held = [held('held')];
    await tell('ADD', manifestPod('web'), manifestPod('old'), manifestPod('bad'));
    const { promise, resolve } = Promise.withResolvers<void>();
    world.stopping = promise;
    await tell('REMOVE', manifestPod('old'));
    await clock.advance(10_000);
    expect(new Set(await files.list('/root/pods'))).toEqual(new Set(['held', 'uid-bad-1', 'uid-old-1', 'uid-web-1']));
    resolve();
    await clock.advance(10_000);
    expect(new Set(await files.list('/root/pods'))).toEqual(new Set(['held', 'uid-bad-1', 'uid-web-1']));
  });

  it('destroys the cgroups of pods of which nothing can run, each by itself', async () => {
    const cgroups = new Set(['uid-web-1', 'stuck', 'gone']);
    const asked: string[] = [];
    const { tell, clock } = createSyncLoopBench({
      podCgroupCleaner: {
        list: () => Promise.resolve([...cgroups]),
        destroy(uid, signal) {
          asked.push(uid);
          if (uid === 'stuck')
            return new Promise((_resolve, reject) => {
              signal.addEventListener('abort', () => reject(signal.reason as Error));
            });
          cgroups.delete(uid);
          return Promise.resolve();
        },
      },
    });
    await tell('ADD', manifestPod('web'));
    await clock.advance(10_000);
    expect([...cgroups]).toEqual(['uid-web-1', 'stuck']);
    expect(asked).toEqual(['stuck', 'gone']);
    await tell('REMOVE', manifestPod('web'));
    await clock.advance(4_000);
    expect([...cgroups]).toEqual(['stuck']);
  });

  it('does not look for what is left once more while that hangs, and does not hold up the end of pods', async () => {
    let asked = 0;
    const { tell, clock, workers, steps } = createSyncLoopBench({
      podCgroupCleaner: {
        list(signal) {
          asked += 1;
          return new Promise((_resolve, reject) => {
            signal.addEventListener('abort', () => reject(signal.reason as Error));
          });
        },
        destroy: () => Promise.resolve(),
      },
    });
    await tell('ADD', manifestPod('web'));
    await clock.advance(60_000);
    expect(asked).toBe(1);
    await tell('REMOVE', manifestPod('web'));
    await clock.advance(2_000);
    expect(steps).toContain('stop uid-web-1');
    expect(workers.state('uid-web-1')).toBeUndefined();
  });
});
