import type { Pod } from '@rxlet/kube-api';
import { emptyRuntimePodStatus } from '@rxlet/pod-model/runtime';
import { manifestPod, testContainerStatus } from '@rxlet/pod-model/testing';
import { throwError } from 'rxjs';
import { describe, expect, it } from 'vitest';

import { createSyncLoopBench, runtimePod, withMetadata } from '../test-support/sync-loop-bench.ts';

describe('the sync loop', () => {
  it('syncs a pod after an event, but not because a container was removed or is in an unknown state', async () => {
    const { emit, steps, lifecycle, clock } = createSyncLoopBench();
    await emit('ADD', manifestPod('web'));
    for (const type of ['ContainerRemoved', 'ContainerChanged'] as const)
      lifecycle.emit({ type, podUid: 'uid-web-1', containerId: 'c' });
    await clock.settle();
    expect(steps).toEqual(['sync web']);
    lifecycle.emit({ type: 'ContainerDied', podUid: 'uid-web-1', containerId: 'c', containerName: 'app' });
    lifecycle.emit({ type: 'ContainerDied', podUid: 'unknown', containerId: 'd', containerName: 'app' });
    await clock.settle();
    expect(steps).toEqual(['sync web', 'sync web']);
  });

  it('follows the other sync triggers when one fails', async () => {
    const failing$ = throwError(() => new Error('broken'));
    const { emit, steps, triggers, clock } = createSyncLoopBench({ syncTriggers: [failing$] });
    await emit('ADD', manifestPod('web'));
    triggers.emit('uid-web-1');
    await clock.advance(1_000);
    expect(steps).toEqual(['sync web', 'sync web']);
  });

  it('keeps a removed pod running until all sources have reported, since another may have it', async () => {
    const { emit, steps, world, workers, becomeReady } = createSyncLoopBench();
    world.ready = false;
    await emit('ADD', manifestPod('web'), manifestPod('moved'));
    await emit('REMOVE', manifestPod('web'), manifestPod('moved'));
    expect(steps).toEqual(['sync web', 'sync moved']);
    await emit('ADD', manifestPod('moved'));
    await becomeReady();
    expect(steps).toContain('stop uid-web-1');
    expect(workers.state('uid-moved-1')?.kind).toBe('syncing');
  });

  it('lets a static pod wait for a running pod of its name, which it terminates when all sources have reported', async () => {
    const { emit, steps, world, becomeReady } = createSyncLoopBench();
    world.ready = false;
    world.held = [runtimePod('uid-web-1', 'ready', 'web'), runtimePod('uid-other-1', 'notready', 'other')];
    await emit('ADD', manifestPod('web', {}, 2), manifestPod('other', {}, 2));
    expect(steps).toEqual(['sync other']);
    await becomeReady();
    expect(steps).toEqual(['sync other', 'stop uid-web-1', 'sync web']);
  });

  it('starts a static pod beside a running pod of its name when its source is ready and another is not', async () => {
    const { emit, steps, world, clock, becomeReady } = createSyncLoopBench();
    world.ready = false;
    world.held = [runtimePod('uid-web-1', 'ready', 'web')];
    await emit('ADD', manifestPod('web', {}, 2));
    expect(steps).toEqual([]);
    await becomeReady(false);
    await clock.advance(60_000);
    expect(new Set(steps)).toEqual(new Set(['sync web']));
    await becomeReady();
    expect(steps).toContain('stop uid-web-1');
  });

  it('starts a static pod beside a running pod of its name that belongs to another source', async () => {
    const { emit, steps, world, becomeReady } = createSyncLoopBench();
    world.ready = false;
    world.held = [runtimePod('uid-web-1', 'ready', 'web')];
    await emit('ADD', manifestPod('web', {}, 2));
    const apiPod = withMetadata(manifestPod('web'), { annotations: { 'kubernetes.io/config.source': 'api' } });
    await emit('ADD', apiPod);
    await becomeReady();
    expect(steps).toEqual(['sync web', 'sync web']);
  });

  it('forgets the status of a finished pod that starts again under its UID', async () => {
    const { emit, steps, statuses, clock } = createSyncLoopBench();
    await emit('ADD', manifestPod('web'));
    statuses.set('uid-web-1', { phase: 'Succeeded' });
    await emit('REMOVE', manifestPod('web'));
    await clock.settle();
    expect(statuses.size).toBe(1);
    await emit('ADD', manifestPod('web'));
    expect(steps).toEqual(['sync web', 'stop uid-web-1', 'sync web']);
    expect(statuses.size).toBe(0);
  });

  it.each([
    ['liveness', 'failure', true, []],
    ['liveness', 'success', false, []],
    ['readiness', 'success', true, ['uid-web-1 ready true']],
    ['readiness', 'failure', true, ['uid-web-1 ready false']],
    ['startup', 'success', true, ['uid-web-1 started true']],
    ['startup', 'failure', true, ['uid-web-1 started false']],
  ] as const)(
    'sets the %s result %s in the status, and syncs the pod unless a liveness probe succeeds',
    async (kind, result, looks, reported) => {
      const { emit, steps, probes, probed, clock } = createSyncLoopBench();
      await emit('ADD', manifestPod('web'));
      probes.emit({ podUid: 'uid-web-1', containerId: 'c', container: 'app', kind, result });
      await clock.settle();
      expect(steps).toHaveLength(looks ? 2 : 1);
      expect(probed).toEqual(reported);
    },
  );

  it('requests no sync for a status that the API returns', async () => {
    const { emit, steps, trims } = createSyncLoopBench();
    const pod = manifestPod('web');
    await emit('ADD', pod);
    await emit('RECONCILE', { ...pod, status: { phase: 'Running', message: 'seen' } });
    await emit('RECONCILE', { ...manifestPod('unknown'), status: { phase: 'Running' } });
    expect(steps).toEqual(['sync web']);
    expect(trims).toEqual([]);
  });

  it('syncs a pod whose readiness gate opened', async () => {
    const { emit, steps, synced } = createSyncLoopBench();
    const pod = manifestPod('web', { readinessGates: [{ conditionType: 'example.com/gate' }] });
    const shown = (gate: 'True' | 'False', ready: 'True' | 'False'): Pod => ({
      ...pod,
      status: {
        phase: 'Running',
        containerStatuses: [{ name: 'app', ready: true, restartCount: 0, image: '', imageID: '' }],
        conditions: [
          { type: 'example.com/gate', status: gate },
          {
            type: 'Ready',
            status: ready,
            ...(ready === 'False' && {
              message: 'the status of pod readiness gate "example.com/gate" is not "True", but False',
            }),
          },
        ],
      },
    });
    await emit('ADD', pod);
    await emit('RECONCILE', shown('False', 'False'));
    expect(steps).toEqual(['sync web']);
    await emit('RECONCILE', shown('True', 'False'));
    expect(steps).toEqual(['sync web', 'sync web']);
    expect(synced.get('uid-web-1')?.status?.conditions?.[0]).toEqual({ type: 'example.com/gate', status: 'True' });
    await emit('RECONCILE', shown('True', 'True'));
    expect(steps).toEqual(['sync web', 'sync web']);
  });

  it('removes the dead containers of a pod that the API shows as evicted', async () => {
    const { emit, trims, world } = createSyncLoopBench();
    const pod = manifestPod('web');
    const exited = (name: string, id: string) =>
      testContainerStatus({ name, id: { type: 'fake', id }, state: 'exited' });
    world.statuses.set('uid-web-1', {
      ...emptyRuntimePodStatus('uid-web-1'),
      containers: [
        exited('app', 'a'),
        exited('app', 'b'),
        exited('proxy', 'c'),
        testContainerStatus({ name: 'other', state: 'running' }),
      ],
    });
    await emit('ADD', pod);
    await emit('RECONCILE', { ...pod, status: { phase: 'Failed', reason: 'DeadlineExceeded' } });
    expect(trims).toEqual([]);
    await emit('RECONCILE', { ...pod, status: { phase: 'Failed', reason: 'Evicted' } });
    expect(trims).toEqual(['uid-web-1 app all', 'uid-web-1 proxy all']);
  });

  it('trims the dead containers of a crash loop, but not those of a pod that terminates', async () => {
    const { emit, trims, lifecycle, clock } = createSyncLoopBench();
    const died = (podUid: string) =>
      lifecycle.emit({ type: 'ContainerDied', podUid, containerId: 'c', containerName: 'app' });
    await emit('ADD', manifestPod('web'));
    died('uid-web-1');
    died('unknown');
    await emit('REMOVE', manifestPod('web'));
    died('uid-web-1');
    await clock.settle();
    expect(trims).toEqual(['uid-web-1 app but one', 'uid-web-1 app all']);
  });

  it('isolates a handler that fails', async () => {
    const { emit, steps, logger, activity } = createSyncLoopBench();
    await emit('ADD', withMetadata(manifestPod('nameless'), { uid: '' }), manifestPod('good'));
    expect(steps).toEqual(['sync good']);
    expect(logger.lines).toMatchObject([{ level: 'error', message: 'cannot handle a pod, will retry' }]);
    expect(activity.problem()).toBeUndefined();
  });
});
