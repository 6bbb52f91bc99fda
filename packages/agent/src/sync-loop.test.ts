import { createEventLog, type Metrics, noopMetrics, seededRandom } from '@rxlet/component-base';
import { createVirtualClock, recordingLogger } from '@rxlet/component-base/testing';
import type { Pod, PodStatus } from '@rxlet/kube-api';
import { emptyRuntimePodStatus, type RuntimePod } from '@rxlet/pod-model';
import type { PodLifecycleEvent } from '@rxlet/pleg';
import type { PodOperation, PodUpdate } from '@rxlet/pod-source';
import { createPodWorkers } from '@rxlet/pod-workers';
import { createMemoryFileSystem } from '@rxlet/runtime-manager/testing';
import { NEVER, Subject } from 'rxjs';
import { afterEach, describe, expect, it } from 'vitest';
import type { AdmissionHandler } from './admission.ts';
import type { PodCgroupCleaner } from './pod-cgroup-cleaner.ts';
import { createPodView } from './pod-view.ts';
import { createSyncLoop } from './sync-loop.ts';
import { manifestPod } from './test-support/agent-bench.ts';

const disposables: AsyncDisposable[] = [];
afterEach(async () => {
  for (const disposable of disposables.splice(0).reverse()) await disposable[Symbol.asyncDispose]();
});

interface Options {
  readonly admission?: readonly AdmissionHandler[];
  readonly podCgroupCleaner?: PodCgroupCleaner;
}

/** The loop with real workers, whose steps take no time, and nothing else. */
function setup({ admission = [], podCgroupCleaner }: Options = {}) {
  const clock = createVirtualClock();
  const logger = recordingLogger();
  const events = createEventLog(clock);
  const updates$ = new Subject<PodUpdate>();
  const lifecycle$ = new Subject<PodLifecycleEvent>();
  const steps: string[] = [];
  const statuses = new Map<string, PodStatus>();
  const rejections: string[] = [];
  const world = { ready: true, pods: [] as readonly Pod[], held: [] as readonly RuntimePod[] };
  const view = createPodView(clock);
  const files = createMemoryFileSystem();
  const metrics: Metrics = {
    ...noopMetrics,
    counter: ({ name }) => ({ inc: (labels) => void rejections.push(`${name} ${labels?.['reason'] ?? ''}`) }),
  };
  const workers = createPodWorkers({
    clock,
    random: seededRandom(1),
    statuses: { mark: () => 0, getNewerThan: (uid) => Promise.resolve(emptyRuntimePodStatus(uid)) },
    syncer: {
      syncPod: ({ pod }) => {
        steps.push(`sync ${pod.metadata?.name ?? ''}`);
        return Promise.resolve({ completed: false });
      },
      syncTerminatingPod: ({ status }) => {
        steps.push(`stop ${status.uid}`);
        return Promise.resolve();
      },
      syncTerminatedPod: () => Promise.resolve(),
    },
  });
  const loop = createSyncLoop(
    {
      clock,
      logger,
      metrics,
      events,
      config: { updates$, sourcesReady: () => world.ready, pods: () => world.pods },
      pleg: {
        events$: lifecycle$,
        pods: () => world.held,
        cache: {
          get: emptyRuntimePodStatus,
          mark: () => 0,
          getNewerThan: () => Promise.reject(new Error()),
          changes$: NEVER,
        },
      },
      workers,
      runtimeManager: {
        trimDeadContainers: () => Promise.resolve({ results: [] }),
        collectGarbage: () => Promise.resolve({ containers: [], sandboxes: [], logDirectories: [], failures: [] }),
      },
      statusManager: {
        setPodStatus: (pod, status) => statuses.set(pod.metadata?.uid ?? '', status) !== undefined,
        forget: (uid) => void statuses.delete(uid),
        setContainerReadiness: () => undefined,
        setContainerStartup: () => undefined,
        removeOrphaned: () => undefined,
      },
      prober: { results$: NEVER, retainPods: () => undefined },
      admission,
      view,
      files,
      podCgroupCleaner,
    },
    { rootDirectory: '/root' },
  );
  disposables.push(workers, loop);
  loop.start();
  const tell = async (op: PodOperation, ...pods: Pod[]): Promise<void> => {
    const uids = new Set(pods.map(({ metadata }) => metadata?.uid));
    const others = world.pods.filter(({ metadata }) => !uids.has(metadata?.uid));
    world.pods = op === 'REMOVE' ? others : [...others, ...pods];
    updates$.next({ op, source: 'file', pods });
    await clock.settle();
  };
  return { clock, logger, events, lifecycle$, steps, statuses, rejections, world, view, files, workers, loop, tell };
}

const withMetadata = (pod: Pod, metadata: Pod['metadata']): Pod => ({
  ...pod,
  metadata: { ...pod.metadata, ...metadata },
});
const created = (name: string, creationTimestamp: string): Pod =>
  withMetadata(manifestPod(name), { creationTimestamp });
const refuseNamed =
  (name: string, reason = 'OutOfcpu'): AdmissionHandler =>
  (pod) =>
    pod.metadata?.name === name ? { reason, message: `no ${name} here` } : undefined;

describe('admission', () => {
  it('asks for older pods first, with those that run beside them', async () => {
    const asked: string[] = [];
    const handler: AdmissionHandler = (pod, others) => {
      asked.push([pod, ...others].map(({ metadata }) => metadata?.name).join(' '));
      return undefined;
    };
    const { tell } = setup({ admission: [handler] });
    await tell('ADD', manifestPod('first'));
    await tell('ADD', created('young', '2026-01-02T00:00:00Z'), created('old', '2026-01-01T00:00:00Z'));
    expect(asked).toEqual(['first', 'old first', 'young first old']);
  });

  it('tells all the world of the first refusal, and starts nothing', async () => {
    const { tell, steps, statuses, events, rejections, view, workers } = setup({
      admission: [() => undefined, refuseNamed('bad'), refuseNamed('bad', 'Later')],
    });
    await tell('ADD', manifestPod('bad'), manifestPod('good'));
    expect(steps).toEqual(['sync good']);
    expect(workers.state('uid-bad-1')).toBeUndefined();
    expect(statuses.get('uid-bad-1')).toEqual({
      phase: 'Failed',
      reason: 'OutOfcpu',
      message: 'Pod was rejected: no bad here',
      qosClass: 'BestEffort',
    });
    expect(events.list()).toMatchObject([{ type: 'Warning', reason: 'OutOfcpu', message: 'no bad here' }]);
    expect(rejections).toEqual(['kubelet_admission_rejections_total OutOfcpu']);
    expect(view.list()).toHaveLength(2);
  });

  it.each([
    ['OutOfcpu', 'OutOfcpu'],
    ['OutOfexample.com/gpu', 'OutOfExtendedResources'],
    ['NodePorts', 'Other'],
    ['SysctlForbidden', 'SysctlForbidden'],
  ])('counts %s as %s', async (reason, counted) => {
    const { tell, rejections } = setup({ admission: [refuseNamed('bad', reason)] });
    await tell('ADD', manifestPod('bad'));
    expect(rejections).toEqual([`kubelet_admission_rejections_total ${counted}`]);
  });

  it('keeps a refused pod refused, whatever changes, until it is replaced', async () => {
    let refuses = true;
    const { tell, steps, clock, rejections, view } = setup({
      admission: [() => (refuses ? { reason: 'OutOfpods', message: 'full' } : undefined)],
    });
    await tell('ADD', manifestPod('web'));
    refuses = false;
    await tell('UPDATE', manifestPod('web', { terminationGracePeriodSeconds: 3 }));
    await tell('RECONCILE', manifestPod('web', { terminationGracePeriodSeconds: 4 }));
    await clock.advance(60_000);
    expect(steps).toEqual([]);
    expect(rejections).toHaveLength(1);
    await tell('REMOVE', manifestPod('web'));
    await tell('ADD', manifestPod('web', {}, 2));
    expect(steps).toEqual(['sync web']);
    expect(view.list().map(({ metadata }) => metadata?.uid)).toEqual(['uid-web-2']);
  });

  it('does not keep a pod from its end', async () => {
    const { tell, steps, rejections, workers, clock } = setup({ admission: [refuseNamed('web')] });
    await tell('ADD', withMetadata(manifestPod('web'), { deletionTimestamp: '2026-01-01T00:00:00Z' }));
    await clock.advance(1_000);
    expect(rejections).toEqual([]);
    expect(steps).toEqual(['stop uid-web-1']);
    expect(workers.state('uid-web-1')?.kind).toBe('finished');
  });

  it('sees a refused pod to its end when it is deleted', async () => {
    const { tell, workers, clock } = setup({ admission: [refuseNamed('web')] });
    await tell('ADD', manifestPod('web'));
    await tell('DELETE', withMetadata(manifestPod('web'), { deletionTimestamp: '2026-01-01T00:00:00Z' }));
    await clock.advance(1_000);
    expect(workers.state('uid-web-1')?.kind).toBe('finished');
  });

  it('refuses a pod whose handler fails, and goes on with the others', async () => {
    const { tell, steps, statuses } = setup({
      admission: [
        (pod) => {
          if (pod.metadata?.name === 'bad') throw new Error('no answer');
          return undefined;
        },
      ],
    });
    await tell('ADD', manifestPod('bad'), manifestPod('good'));
    expect(steps).toEqual(['sync good']);
    expect(statuses.get('uid-bad-1')).toMatchObject({
      reason: 'UnexpectedAdmissionError',
      message: 'Pod was rejected: Admission failed due to no answer, which is unexpected.',
    });
  });
});

describe('the sync loop', () => {
  it('looks again at a pod in which something happened, but not because a container was removed', async () => {
    const { tell, steps, lifecycle$, clock } = setup();
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
    const { tell, steps, statuses, clock } = setup();
    await tell('ADD', manifestPod('web'));
    statuses.set('uid-web-1', { phase: 'Succeeded' });
    await tell('REMOVE', manifestPod('web'));
    await clock.settle();
    expect(statuses.size).toBe(1);
    await tell('ADD', manifestPod('web'));
    expect(steps).toEqual(['sync web', 'stop uid-web-1', 'sync web']);
    expect(statuses.size).toBe(0);
  });

  it('goes on when one of its handlers fails', async () => {
    const { tell, steps, logger, loop } = setup();
    await tell('ADD', withMetadata(manifestPod('nameless'), { uid: '' }), manifestPod('good'));
    expect(steps).toEqual(['sync good']);
    expect(logger.lines).toMatchObject([{ level: 'error', message: 'ADD of a pod failed' }]);
    expect(loop.problem()).toBeUndefined();
  });
});

describe('housekeeping', () => {
  const held = (uid: string): RuntimePod => ({ uid, name: uid, namespace: 'default', containers: [], sandboxes: [] });

  it('waits until all sources have told their pods', async () => {
    const { world, steps, clock, files } = setup();
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
    const { world, steps, clock } = setup();
    world.pods = [manifestPod('web')];
    await clock.advance(2_000);
    expect(steps).toEqual(['sync web']);
  });

  it('leaves the directory of a pod alone that is known to anybody', async () => {
    const { world, tell, clock, files } = setup();
    for (const uid of ['uid-web-1', 'held', 'gone']) files.put(`/root/pods/${uid}/etc-hosts`, '');
    world.held = [held('held')];
    await tell('ADD', manifestPod('web'));
    await clock.advance(10_000);
    expect(new Set(await files.list('/root/pods'))).toEqual(new Set(['held', 'uid-web-1']));
  });

  it('destroys the cgroups of pods of which nothing can run, each by itself', async () => {
    const cgroups = new Set(['uid-web-1', 'stuck', 'gone']);
    const asked: string[] = [];
    const { tell, clock } = setup({
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
});
