import { abortable } from '@rxlet/component-base';
import { describe, expect, it } from 'vitest';
import { manifestPod } from '@rxlet/pod-model/testing';
import { createSyncLoopBench, rejectNamed, runtimePod, withMetadata } from '../test-support/sync-loop-bench.ts';

describe('housekeeping', () => {
  it('waits until all sources have reported', async () => {
    const { world, steps, clock, files } = createSyncLoopBench();
    files.put('/root/pods/old/etc-hosts', '');
    world.ready = false;
    world.held = [runtimePod('old')];
    await clock.advance(60_000);
    expect(steps).toEqual([]);
    world.ready = true;
    await clock.advance(2_000);
    expect(steps).toEqual(['stop old']);
    world.held = [];
    await clock.advance(4_000);
    expect(await files.nodeFiles.list('/root/pods')).toEqual([]);
  });

  it('begins as soon as the last source has reported', async () => {
    const { world, steps, becomeReady } = createSyncLoopBench();
    world.ready = false;
    world.held = [runtimePod('old')];
    await becomeReady();
    expect(steps).toEqual(['stop old']);
  });

  it('leaves dead containers and sandboxes of unknown pods to garbage collection', async () => {
    const { world, steps, clock, files } = createSyncLoopBench();
    files.put('/root/pods/dead/etc-hosts', '');
    world.held = [runtimePod('dead', 'notready')];
    await clock.advance(60_000);
    expect(steps).toEqual([]);
    expect(await files.nodeFiles.list('/root/pods')).toEqual([]);
  });

  it('isolates its steps, and names those that fail with their errors', async () => {
    const { world, steps, clock, files, gauges, retained, housekeepingFailures, logger, fail } = createSyncLoopBench();
    files.put('/root/pods/gone/etc-hosts', '');
    world.pods = [withMetadata(manifestPod('nameless'), { uid: '' }), manifestPod('web')];
    world.held = [runtimePod('old')];
    fail.retainPods = new Error('no probes');
    await clock.advance(10_000);
    expect(new Set(steps)).toEqual(new Set(['stop old', 'sync web']));
    expect(gauges.get('kubelet_desired_pods true')).toBe(2);
    expect(retained.has('statuses')).toBe(true);
    expect(await files.nodeFiles.list('/root/pods')).toEqual([]);
    expect(housekeepingFailures.problem()).toBe('cannot run probes: no probes');
    // Logged once, however often it fails.
    expect(logger.lines.filter(({ message }) => message === 'housekeeping step failed')).toHaveLength(1);

    world.pods = [manifestPod('web')];
    fail.retainPods = undefined;
    await clock.advance(2_000);
    expect(housekeepingFailures.problem()).toBeUndefined();
  });

  it('logs the failure of an asynchronous step once, and names the step until it succeeds', async () => {
    const problems: (string | undefined)[] = [];
    let error: Error | undefined = new Error('device busy');
    const { clock, housekeepingFailures, logger } = createSyncLoopBench({
      housekeeping: [
        {
          name: 'volumes',
          run() {
            return error === undefined ? Promise.resolve() : Promise.reject(error);
          },
        },
        { name: 'check', run: () => void problems.push(housekeepingFailures.problem()) },
      ],
    });
    await clock.advance(6_000);
    expect(problems).toEqual([undefined, 'cannot run volumes: device busy', 'cannot run volumes: device busy']);
    expect(logger.lines.filter(({ message }) => message === 'housekeeping step failed')).toHaveLength(1);
    error = undefined;
    await clock.advance(2_000);
    expect(housekeepingFailures.problem()).toBeUndefined();
  });

  it('adds a desired pod that has no worker', async () => {
    const { world, steps, clock } = createSyncLoopBench();
    world.pods = [manifestPod('web')];
    await clock.advance(2_000);
    expect(steps).toEqual(['sync web']);
  });

  it('keeps probes and statuses of desired and known pods, and of no other', async () => {
    const { emit, clock, retained, steps } = createSyncLoopBench({ admission: [rejectNamed('bad')] });
    await emit('ADD', manifestPod('one'), manifestPod('two'), manifestPod('bad'));
    await clock.advance(2_000);
    const all = 'uid-bad-1,uid-one-1,uid-two-1';
    expect(Object.fromEntries(retained)).toEqual({ probes: all, statuses: all });
    await emit('REMOVE', manifestPod('two'));
    expect(steps).toContain('stop uid-two-1');
    await clock.advance(2_000);
    expect(Object.fromEntries(retained)).toEqual({ probes: 'uid-bad-1,uid-one-1', statuses: 'uid-bad-1,uid-one-1' });
  });

  it('does not run admission again for a rejected pod', async () => {
    const { emit, clock, rejections } = createSyncLoopBench({ admission: [rejectNamed('bad')] });
    await emit('ADD', manifestPod('bad'));
    await clock.advance(60_000);
    expect(rejections).toHaveLength(1);
  });

  it('counts the pods', async () => {
    const { emit, clock, gauges } = createSyncLoopBench({ admission: [rejectNamed('bad')] });
    const apiPod = withMetadata(manifestPod('api', { ephemeralContainers: [{ name: 'debug', image: 'x' }] }), {
      annotations: { 'kubernetes.io/config.source': 'api' },
    });
    await emit('ADD', manifestPod('one'), manifestPod('bad'), apiPod);
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

  it('keeps the directories of desired, known and running pods', async () => {
    const { world, emit, clock, files } = createSyncLoopBench({ admission: [rejectNamed('bad')] });
    for (const uid of ['uid-web-1', 'uid-old-1', 'uid-bad-1', 'held', 'gone'])
      files.put(`/root/pods/${uid}/etc-hosts`, '');
    world.held = [runtimePod('held')];
    await emit('ADD', manifestPod('web'), manifestPod('old'), manifestPod('bad'));
    const { promise, resolve } = Promise.withResolvers<void>();
    world.stopping = promise;
    await emit('REMOVE', manifestPod('old'));
    await clock.advance(10_000);
    expect(new Set(await files.nodeFiles.list('/root/pods'))).toEqual(
      new Set(['held', 'uid-bad-1', 'uid-old-1', 'uid-web-1']),
    );
    resolve();
    await clock.advance(10_000);
    expect(new Set(await files.nodeFiles.list('/root/pods'))).toEqual(new Set(['held', 'uid-bad-1', 'uid-web-1']));
  });

  it('runs steps of modules one at a time each, with the pods that are known, and continues while one hangs', async () => {
    const known: string[] = [];
    let runs = 0;
    const { emit, clock, workers, steps } = createSyncLoopBench({
      housekeeping: [
        {
          name: 'hung',
          run({ signal }) {
            runs += 1;
            return abortable(new Promise<never>(() => undefined), signal);
          },
        },
        { name: 'cgroups', run: ({ knownPodUids }) => void known.push([...knownPodUids].join()) },
      ],
    });
    await emit('ADD', manifestPod('web'));
    await clock.advance(4_000);
    expect([runs, known]).toEqual([1, ['uid-web-1', 'uid-web-1']]);
    await emit('REMOVE', manifestPod('web'));
    await clock.advance(4_000);
    expect(steps).toContain('stop uid-web-1');
    expect(workers.state('uid-web-1')).toBeUndefined();
    expect([runs, known.at(-1)]).toEqual([1, '']);
  });
});
