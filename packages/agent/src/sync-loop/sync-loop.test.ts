import type { Pod } from '@rxlet/kube-api';
import { emptyRuntimePodStatus } from '@rxlet/pod-model';
import { testContainerStatus } from '@rxlet/pod-model/testing';
import { describe, expect, it } from 'vitest';
import { manifestPod } from '../test-support/agent-bench.ts';
import { createSyncLoopBench, withMetadata } from '../test-support/sync-loop-bench.ts';

describe('the sync loop', () => {
  it('looks again at a pod in which something happened, but not because a container was removed', async () => {
    const { tell, steps, lifecycle$, clock } = createSyncLoopBench();
    await tell('ADD', manifestPod('web'));
    lifecycle$.next({ type: 'ContainerRemoved', podUid: 'uid-web-1', containerId: 'c' });
    await clock.settle();
    expect(steps).toEqual(['sync web']);
    lifecycle$.next({ type: 'ContainerDied', podUid: 'uid-web-1', containerId: 'c', containerName: 'app' });
    lifecycle$.next({ type: 'ContainerDied', podUid: 'unknown', containerId: 'd', containerName: 'app' });
    await clock.settle();
    expect(steps).toEqual(['sync web', 'sync web']);
  });

  it('forgets the status of a life when the same UID begins another', async () => {
    const { tell, steps, statuses, clock } = createSyncLoopBench();
    await tell('ADD', manifestPod('web'));
    statuses.set('uid-web-1', { phase: 'Succeeded' });
    await tell('REMOVE', manifestPod('web'));
    await clock.settle();
    expect(statuses.size).toBe(1);
    await tell('ADD', manifestPod('web'));
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
    'takes the %s result %s for the status, and looks at the pod unless all is well',
    async (kind, result, looks, told) => {
      const { tell, steps, probes$, probed, clock } = createSyncLoopBench();
      await tell('ADD', manifestPod('web'));
      probes$.next({ podUid: 'uid-web-1', containerId: 'c', container: 'app', kind, result });
      await clock.settle();
      expect(steps).toHaveLength(looks ? 2 : 1);
      expect(probed).toEqual(told);
    },
  );

  it('does nothing for a status that only comes back from an API', async () => {
    const { tell, steps, trims } = createSyncLoopBench();
    const pod = manifestPod('web');
    await tell('ADD', pod);
    await tell('RECONCILE', { ...pod, status: { phase: 'Running', message: 'seen' } });
    await tell('RECONCILE', { ...manifestPod('unknown'), status: { phase: 'Running' } });
    expect(steps).toEqual(['sync web']);
    expect(trims).toEqual([]);
  });

  it('looks at a pod whose readiness gate opened', async () => {
    const { tell, steps, synced } = createSyncLoopBench();
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
    await tell('ADD', pod);
    await tell('RECONCILE', shown('False', 'False'));
    expect(steps).toEqual(['sync web']);
    await tell('RECONCILE', shown('True', 'False'));
    expect(steps).toEqual(['sync web', 'sync web']);
    expect(synced.get('uid-web-1')?.status?.conditions?.[0]).toEqual({ type: 'example.com/gate', status: 'True' });
    await tell('RECONCILE', shown('True', 'True'));
    expect(steps).toEqual(['sync web', 'sync web']);
  });

  it('removes the dead containers of a pod that the API shows as evicted', async () => {
    const { tell, trims, world } = createSyncLoopBench();
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
    await tell('ADD', pod);
    await tell('RECONCILE', { ...pod, status: { phase: 'Failed', reason: 'DeadlineExceeded' } });
    expect(trims).toEqual([]);
    await tell('RECONCILE', { ...pod, status: { phase: 'Failed', reason: 'Evicted' } });
    expect(trims).toEqual(['uid-web-1 app all', 'uid-web-1 proxy all']);
  });

  it('trims what a crash loop leaves, but not what a pod leaves that ends anyway', async () => {
    const { tell, trims, lifecycle$, clock } = createSyncLoopBench();
    const died = (podUid: string) =>
      lifecycle$.next({ type: 'ContainerDied', podUid, containerId: 'c', containerName: 'app' });
    await tell('ADD', manifestPod('web'));
    died('uid-web-1');
    died('unknown');
    await tell('REMOVE', manifestPod('web'));
    died('uid-web-1');
    await clock.settle();
    expect(trims).toEqual(['uid-web-1 app but one', 'uid-web-1 app all']);
  });

  it('goes on when one of its handlers fails', async () => {
    const { tell, steps, logger, loop } = createSyncLoopBench();
    await tell('ADD', withMetadata(manifestPod('nameless'), { uid: '' }), manifestPod('good'));
    expect(steps).toEqual(['sync good']);
    expect(logger.lines).toMatchObject([{ level: 'error', message: 'ADD of a pod failed' }]);
    expect(loop.problem()).toBeUndefined();
  });
});
