import { LifetimeEnded, seededRandom } from '@rxlet/component-base';
import { createEventLog, type RecordedEvent } from '@rxlet/component-base/events';
import {
  type VirtualClock,
  createVirtualClock,
  recordingLogger,
  recordingMetrics,
} from '@rxlet/component-base/testing';
import type { Pod, PodStatus } from '@rxlet/kube-api';
import { PodAnnotation, podUid } from '@rxlet/pod-model';
import { emptyRuntimePodStatus, type RuntimePod, type RuntimePodStatus } from '@rxlet/pod-model/runtime';
import { testContainerStatus, testPod, testSandboxStatus } from '@rxlet/pod-model/testing';
import { describe, expect, it } from 'vitest';
import { createPodWorkers, type PodWorkersPorts } from './create-pod-workers.ts';
import type { PodSubject } from './pod-subject.ts';
import type { PodSyncer } from './pod-syncer.ts';
import type { PodWorkers } from './pod-workers.ts';

interface Setup {
  readonly clock: VirtualClock;
  readonly workers: PodWorkers;
  /** Calls of the syncer, in order: `sync uid`, `terminating uid reason grace`, `terminated uid keep|remove`. */
  readonly calls: string[];
  /** Behaviour of the syncer; assign to change it. */
  readonly behaviour: Partial<PodSyncer>;
  readonly events: () => readonly RecordedEvent[];
}

function uidOf(subject: PodSubject): string {
  return subject.kind === 'pod' ? podUid(subject.pod) : subject.pod.uid;
}

function setup(behaviour: Partial<PodSyncer> = {}, ports: Partial<PodWorkersPorts> = {}): Setup {
  const clock = createVirtualClock();
  const calls: string[] = [];
  const log = createEventLog(clock);
  let counter = 0;
  const workers = createPodWorkers({
    clock,
    random: seededRandom(1),
    events: log,
    statuses: { mark: () => (counter += 1), getNewerThan: (uid) => Promise.resolve(emptyRuntimePodStatus(uid)) },
    syncer: {
      syncPod: async (request) => {
        calls.push(`sync ${podUid(request.pod)}`);
        return (await behaviour.syncPod?.(request)) ?? { completed: false };
      },
      syncTerminatingPod: async (request) => {
        calls.push(`terminating ${uidOf(request.subject)} ${request.reason} ${String(request.gracePeriodSeconds)}`);
        await behaviour.syncTerminatingPod?.(request);
      },
      syncTerminatedPod: async (request) => {
        calls.push(`terminated ${uidOf(request.subject)} ${request.removeContent ? 'remove' : 'keep'}`);
        await behaviour.syncTerminatedPod?.(request);
      },
    },
    ...ports,
  });
  return { clock, workers, calls, behaviour, events: () => log.list() };
}

const staticPod = (uid: string): Pod => testPod({ uid, annotations: { [PodAnnotation.configSource]: 'file' } });
const runtimePod = (uid: string): RuntimePod => ({
  uid,
  name: 'web',
  namespace: 'default',
  sandboxes: [],
  containers: [],
});

/** A promise that resolves on `open`, or rejects when its signal aborts. */
function gate(): { open: () => void; pass: (signal: AbortSignal) => Promise<void> } {
  const { promise, resolve } = Promise.withResolvers<void>();
  return {
    open: resolve,
    pass: (signal) =>
      Promise.race([
        promise,
        new Promise<never>((_resolve, reject) =>
          signal.addEventListener('abort', () => reject(signal.reason as Error)),
        ),
      ]),
  };
}

describe('createPodWorkers', () => {
  it('takes a pod through all states', async () => {
    const { clock, workers, calls } = setup();
    const states: string[] = [];
    workers.transitions$.subscribe(({ from, to }) => states.push(`${from?.kind ?? 'none'}→${to.kind}`));
    workers.add(testPod({ uid: 'a' }));
    await clock.settle();
    const ended = workers.terminate('a', { reason: 'deleted' });
    await clock.settle();
    await ended;
    expect(calls).toEqual(['sync a', 'terminating a deleted 30', 'terminated a remove']);
    expect(states).toEqual(['none→syncing', 'syncing→terminating', 'terminating→terminated', 'terminated→finished']);
    expect(workers.state('a')).toMatchObject({ kind: 'finished' });
    workers.retain(new Set());
    expect(workers.states().size).toBe(0);
    expect(clock.pendingTimers).toBe(0);
  });

  it('keeps the contents of a completed pod, and forgets the pod when it is no longer desired', async () => {
    const { clock, workers, calls } = setup({ syncPod: () => Promise.resolve({ completed: true }) });
    workers.add(testPod({ uid: 'a' }));
    await clock.settle();
    expect(calls).toEqual(['sync a', 'terminating a completed 30', 'terminated a keep']);
    workers.update(testPod({ uid: 'a' }));
    workers.retain(new Set(['a']));
    await clock.settle();
    expect(calls).toHaveLength(3);
    expect(workers.state('a')?.kind).toBe('finished');
  });

  it('runs one step at a time for a pod, and one more for all requests during it', async () => {
    const step = gate();
    const { clock, workers, calls, behaviour } = setup({
      syncPod: async ({ signal }) => (await step.pass(signal), { completed: false }),
    });
    const seen: (string | undefined)[] = [];
    workers.add(testPod({ uid: 'a' }));
    await clock.settle();
    for (const label of ['1', '2', '3']) workers.update(testPod({ uid: 'a', labels: { label } }));
    workers.sync('a');
    await clock.settle();
    expect(calls).toEqual(['sync a']);
    behaviour.syncPod = ({ pod }) => (
      seen.push(pod.metadata?.labels?.['label']),
      Promise.resolve({ completed: false })
    );
    step.open();
    await clock.settle();
    expect(calls).toEqual(['sync a', 'sync a']);
    expect(seen).toEqual(['3']);
  });

  it('runs steps of different pods at the same time', async () => {
    const step = gate();
    const { clock, workers, calls } = setup({
      syncPod: async ({ pod, signal }) => {
        if (pod.metadata?.uid === 'hung') await step.pass(signal);
        return { completed: false };
      },
    });
    workers.add(testPod({ uid: 'hung' }));
    workers.add(testPod({ uid: 'b' }));
    await clock.settle();
    workers.sync('b');
    await clock.settle();
    expect(calls).toEqual(['sync hung', 'sync b', 'sync b']);
  });

  it('syncs a pod without changes every 60 to 90 s', async () => {
    const { clock, workers, calls } = setup();
    workers.add(testPod({ uid: 'a' }));
    await clock.advance(59_999);
    expect(calls).toHaveLength(1);
    await clock.advance(30_001);
    expect(calls).toHaveLength(2);
    expect(clock.pendingTimers).toBe(1);
  });

  it.each<[string, object, number, number]>([
    ['an error', {}, 10_000, 15_000],
    ['a transient error', { transient: true }, 1_000, 1_500],
    ['a back-off of 25 s', { inMs: 25_000 }, 25_000, 25_000],
    ['a back-off beyond the resync interval', { inMs: 300_000 }, 60_000, 60_000],
  ])('retries after %s', async (_title, { inMs, ...hint }: { inMs?: number }, leastMs, mostMs) => {
    const { clock, workers, calls, behaviour } = setup();
    behaviour.syncPod = () =>
      Promise.reject(
        Object.assign(new Error('failed'), hint, inMs !== undefined && { backoffUntilMs: clock.now() + inMs }),
      );
    workers.add(testPod({ uid: 'a' }));
    await clock.advance(leastMs - 1);
    expect(calls).toHaveLength(1);
    await clock.advance(mostMs - leastMs + 1);
    expect(calls).toHaveLength(2);
  });

  it('cancels a running sync when the pod must terminate', async () => {
    let reason: unknown;
    const { clock, workers, calls } = setup({
      syncPod: ({ signal }) =>
        new Promise((_resolve, reject) =>
          signal.addEventListener('abort', () => {
            reason = signal.reason;
            reject(signal.reason as Error);
          }),
        ),
    });
    workers.add(testPod({ uid: 'a' }));
    await clock.settle();
    void workers.terminate('a', { reason: 'killed', gracePeriodSeconds: 7 });
    await clock.settle();
    expect((reason as Error).name).toBe('PodTerminated');
    expect(calls).toEqual(['sync a', 'terminating a killed 7', 'terminated a keep']);
  });

  it('stops a pod once although a deletion shortens its grace period meanwhile', async () => {
    const step = gate();
    const { clock, workers, calls } = setup({ syncTerminatingPod: ({ signal }) => step.pass(signal) });
    workers.add(testPod({ uid: 'a' }));
    await clock.settle();
    void workers.terminate('a', { reason: 'deleted' });
    await clock.settle();
    void workers.terminate('a', { reason: 'deleted', gracePeriodSeconds: 2 });
    await clock.settle();
    step.open();
    await clock.settle();
    expect(calls).toEqual(['sync a', 'terminating a deleted 30', 'terminated a remove']);
  });

  it.each(['evicted', 'killed'] as const)(
    'cuts a stop short when the pod is %s with a shorter grace period, without a second preStop hook',
    async (reason) => {
      const step = gate();
      const hooks: boolean[] = [];
      const { clock, workers, calls } = setup({
        async syncTerminatingPod({ gracePeriodSeconds, runPreStop, signal }) {
          hooks.push(runPreStop);
          if (gracePeriodSeconds > 1) await step.pass(signal);
        },
      });
      workers.add(testPod({ uid: 'a' }));
      await clock.settle();
      void workers.terminate('a', { reason: 'evicted', gracePeriodSeconds: 7200 });
      await clock.settle();
      void workers.terminate('a', { reason, gracePeriodSeconds: 1 });
      await clock.settle();
      expect(calls).toEqual(['sync a', 'terminating a evicted 7200', 'terminating a evicted 1', 'terminated a remove']);
      expect(hooks).toEqual([true, false]);
    },
  );

  it('retries a failed stop at once with a grace period that was shortened meanwhile, and ignores a longer one', async () => {
    const step = gate();
    const { clock, workers, calls, behaviour } = setup({
      async syncTerminatingPod({ signal }) {
        await step.pass(signal);
        throw new Error('still running');
      },
    });
    workers.add(testPod({ uid: 'a' }));
    await clock.settle();
    void workers.terminate('a', { reason: 'deleted' });
    await clock.settle();
    for (const gracePeriodSeconds of [100, 2]) void workers.terminate('a', { reason: 'deleted', gracePeriodSeconds });
    delete behaviour.syncTerminatingPod;
    step.open();
    await clock.settle();
    expect(calls).toEqual(['sync a', 'terminating a deleted 30', 'terminating a deleted 2', 'terminated a remove']);
  });

  it('retries an orphaned pod that failed to stop whenever the desired pods are retained, but not beside its running step', async () => {
    const { clock, workers, calls, behaviour } = setup({
      syncTerminatingPod: () => Promise.reject(new Error('still running')),
    });
    workers.terminateRuntimePod(runtimePod('a'));
    for (let round = 0; round < 3; round += 1) {
      await clock.advance(2_000);
      workers.retain(new Set());
    }
    await clock.settle();
    expect(calls).toHaveLength(4);
    const step = gate();
    behaviour.syncTerminatingPod = ({ signal }) => step.pass(signal);
    workers.retain(new Set());
    await clock.settle();
    workers.retain(new Set());
    step.open();
    await clock.settle();
    expect(calls.slice(4)).toEqual(['terminating a orphaned 1', 'terminated a remove']);
    await workers[Symbol.asyncDispose]();
  });

  it('needs no newer status after a step that changed nothing, whether or not it succeeded', async () => {
    const marks: number[] = [];
    let counter = 0;
    const { clock, workers, behaviour } = setup(
      {},
      {
        statuses: {
          mark: () => (counter += 1),
          getNewerThan: (uid, mark) => (marks.push(mark), Promise.resolve(emptyRuntimePodStatus(uid))),
        },
      },
    );
    const error = Object.assign(new Error('not ready'), { transient: true });
    behaviour.syncPod = () => Promise.resolve({ completed: false, unchanged: true, error });
    workers.add(testPod({ uid: 'a' }));
    await clock.advance(1_500);
    expect(workers.inspect()).toMatchObject([{ lastError: 'not ready' }]);
    behaviour.syncPod = () => Promise.resolve({ completed: false, unchanged: true });
    await clock.advance(1_500);
    expect(workers.inspect()[0]?.lastError).toBeUndefined();
    behaviour.syncPod = () => Promise.resolve({ completed: false });
    workers.sync('a');
    await clock.settle();
    workers.sync('a');
    await clock.settle();
    behaviour.syncPod = () => Promise.reject(error);
    workers.sync('a');
    await clock.settle();
    workers.sync('a');
    await clock.settle();
    expect(new Set(marks.slice(0, -3))).toEqual(new Set([0]));
    expect(marks.slice(-3)).toEqual([1, 2, 3]);
    await workers[Symbol.asyncDispose]();
  });

  it('retries to stop a pod until it succeeds', async () => {
    let failures = 2;
    const { clock, workers, calls } = setup({
      syncTerminatingPod: () => (failures-- > 0 ? Promise.reject(new Error('still running')) : Promise.resolve()),
    });
    workers.add(testPod({ uid: 'a' }));
    await clock.settle();
    const ended = workers.terminate('a', { reason: 'deleted' });
    await clock.advance(40_000);
    await ended;
    expect(calls.filter((call) => call.startsWith('terminating'))).toHaveLength(3);
  });

  it('terminates a pod whose object has a deletionTimestamp', async () => {
    const { clock, workers, calls } = setup();
    workers.add(testPod({ uid: 'a' }));
    await clock.settle();
    workers.update(
      testPod({ uid: 'a', metadata: { deletionTimestamp: '2026-01-01T00:00:00Z', deletionGracePeriodSeconds: 4 } }),
    );
    await clock.settle();
    expect(calls).toEqual(['sync a', 'terminating a deleted 4', 'terminated a remove']);
  });

  it.each<[string, Partial<RuntimePodStatus>, string[]]>([
    ['only cleans up', {}, ['terminated a keep']],
    [
      'only cleans up, with an exited container,',
      { containers: [testContainerStatus({ state: 'exited' })] },
      ['terminated a keep'],
    ],
    [
      'stops what runs',
      { containers: [testContainerStatus({ state: 'running' })] },
      ['terminating a completed 30', 'terminated a keep'],
    ],
    [
      'stops what may run',
      { containers: [testContainerStatus({ state: 'unknown' })] },
      ['terminating a completed 30', 'terminated a keep'],
    ],
    [
      'stops a sandbox',
      { sandboxes: [testSandboxStatus({ state: 'ready' })] },
      ['terminating a completed 30', 'terminated a keep'],
    ],
  ])('%s of a pod that has failed before it is first seen', async (_title, held, expected) => {
    const status = { ...emptyRuntimePodStatus('a'), ...held };
    const { clock, workers, calls } = setup(
      {},
      { statuses: { mark: () => 1, getNewerThan: () => Promise.resolve(status) } },
    );
    workers.add(testPod({ uid: 'a', status: { phase: 'Failed' } }));
    await clock.settle();
    expect(calls).toEqual(expected);
  });

  it('terminates a failed pod that still runs, and retries although the first attempt stopped it', async () => {
    let running = [testContainerStatus({ state: 'running' })];
    const { clock, workers, calls } = setup(
      {
        syncTerminatingPod() {
          const wasRunning = running.length > 0;
          running = [];
          return wasRunning ? Promise.reject(new Error('stopped, but not observed until its end')) : Promise.resolve();
        },
      },
      {
        statuses: {
          mark: () => 1,
          getNewerThan: () => Promise.resolve({ ...emptyRuntimePodStatus('a'), containers: running }),
        },
      },
    );
    workers.add(testPod({ uid: 'a', status: { phase: 'Failed' } }));
    await clock.advance(20_000);
    expect(calls).toEqual(['terminating a completed 30', 'terminating a completed 30', 'terminated a keep']);
  });

  it('starts a static pod when its predecessor of the same full name has finished', async () => {
    const step = gate();
    const { clock, workers, calls } = setup({ syncTerminatingPod: ({ signal }) => step.pass(signal) });
    workers.add(staticPod('old'));
    await clock.settle();
    void workers.terminate('old', { reason: 'deleted' });
    workers.add(staticPod('mid'));
    workers.add(staticPod('new'));
    await clock.settle();
    expect(workers.state('new')?.kind).toBe('waiting');
    await workers.terminate('mid', { reason: 'deleted' });
    expect(workers.state('mid')?.kind).toBe('finished');
    expect(calls).toEqual(['sync old', 'terminating old deleted 30']);
    step.open();
    await clock.settle();
    expect(calls.slice(2)).toEqual(['terminated old remove', 'sync new']);
  });

  it('starts a static pod when an orphaned pod of its full name has finished', async () => {
    const { clock, workers, calls } = setup();
    workers.terminateRuntimePod(runtimePod('before-the-restart'));
    workers.add(staticPod('new'));
    await clock.settle();
    expect(calls).toEqual([
      'terminating before-the-restart orphaned 1',
      'terminated before-the-restart remove',
      'sync new',
    ]);
  });

  it('uses a reconciled pod in the next step, and requests none for it', async () => {
    const seen: string[] = [];
    const { clock, workers, calls } = setup({
      syncPod: ({ pod }) => {
        seen.push(pod.status?.message ?? '');
        return Promise.resolve({ completed: false });
      },
    });
    const shown = (message: string, phase = 'Running'): Pod => ({
      ...testPod({ uid: 'a' }),
      status: { phase: phase as NonNullable<PodStatus['phase']>, message },
    });
    workers.reconcile(shown('unknown'));
    expect(workers.state('a')).toBeUndefined();
    workers.add(shown('one'));
    await clock.settle();
    workers.reconcile(shown('two'));
    await clock.settle();
    expect(seen).toEqual(['one']);
    workers.sync('a');
    await clock.settle();
    expect(seen).toEqual(['one', 'two']);
    workers.reconcile(shown('three', 'Failed'));
    await clock.settle();
    expect(calls.slice(2)).toEqual(['terminating a completed 30', 'terminated a keep']);
    workers.reconcile(shown('four', 'Failed'));
    await clock.advance(200_000);
    expect(calls).toHaveLength(4);
    await workers[Symbol.asyncDispose]();
  });

  it('starts a pod again under its UID after the earlier one has finished', async () => {
    const step = gate();
    const { clock, workers, calls } = setup({ syncTerminatingPod: ({ signal }) => step.pass(signal) });
    workers.add(staticPod('a'));
    await clock.settle();
    void workers.terminate('a', { reason: 'deleted' });
    workers.add(staticPod('a'));
    await clock.settle();
    expect(calls).toHaveLength(2);
    step.open();
    await clock.settle();
    expect(calls).toEqual(['sync a', 'terminating a deleted 30', 'terminated a keep', 'sync a']);
    expect(workers.state('a')?.kind).toBe('syncing');
  });

  it('removes the containers of a pod whose successor has containers that may complete, or was removed before', async () => {
    const step = gate();
    const { clock, workers, calls } = setup({ syncTerminatedPod: ({ signal }) => step.pass(signal) });
    workers.add(staticPod('a'));
    await clock.settle();
    void workers.terminate('a', { reason: 'deleted' });
    workers.add(staticPod('a'));
    await clock.settle();
    void workers.terminate('a', { reason: 'deleted' });
    step.open();
    await clock.settle();
    expect(calls.slice(2)).toEqual(['terminated a keep', 'terminated a remove']);
    expect(workers.state('a')?.kind).toBe('finished');
  });

  it('reports that the status of a pod cannot be read, and retries', async () => {
    let failures = 1;
    const { clock, workers, calls, events } = setup(
      {},
      {
        statuses: {
          mark: () => 1,
          getNewerThan: (uid) =>
            failures-- > 0 ? Promise.reject(new Error('no answer')) : Promise.resolve(emptyRuntimePodStatus(uid)),
        },
      },
    );
    workers.add(testPod({ uid: 'a' }));
    await clock.advance(15_000);
    expect(events()).toMatchObject([
      { type: 'Warning', reason: 'FailedSync', message: 'error determining status: no answer' },
    ]);
    expect(calls).toEqual(['sync a']);
  });

  it('waits for the running steps when disposed of, and leaves no timer', async () => {
    let ended = false;
    const { clock, workers } = setup({
      syncPod: async ({ signal }) => {
        await new Promise((resolve) => signal.addEventListener('abort', resolve));
        ended = true;
        return { completed: false };
      },
    });
    workers.add(testPod({ uid: 'a' }));
    workers.add(testPod({ uid: 'b' }));
    await clock.settle();
    await workers[Symbol.asyncDispose]();
    expect(ended).toBe(true);
    expect(clock.pendingTimers).toBe(0);
  });

  it('waits for a cancelled step that does not end, and logs it', async () => {
    const step = gate();
    const logger = recordingLogger();
    const { clock, workers, calls } = setup(
      { syncPod: async () => (await step.pass(new AbortController().signal), { completed: false }) },
      { logger },
    );
    workers.add(testPod({ uid: 'a' }));
    await clock.advance(5_000);
    void workers.terminate('a', { reason: 'deleted' });
    await clock.advance(59_999);
    expect(workers.inspect()).toMatchObject([{ stepAgeMs: 64_999, cancelledForMs: 59_999, pendingForMs: 59_999 }]);
    expect(logger.lines).toEqual([]);
    await clock.advance(60_001);
    expect(logger.lines.map(({ level, fields }) => [level, fields['podUid'], fields['cancelledForMs']])).toEqual([
      ['warn', 'a', 60_000],
      ['warn', 'a', 120_000],
    ]);
    expect(calls).toEqual(['sync a']);
    step.open();
    await clock.advance(0);
    expect(calls).toEqual(['sync a', 'terminating a deleted 30', 'terminated a remove']);
    expect(clock.pendingTimers).toBe(0);
  });

  it('hands the cause of the termination to the syncer, also one that came after the step began', async () => {
    const step = gate();
    const seen: unknown[] = [];
    const { clock, workers } = setup({
      async syncTerminatingPod({ amendStatus, signal }) {
        seen.push(amendStatus({ phase: 'Running' }));
        await step.pass(signal);
        seen.push(amendStatus({ phase: 'Running' }));
      },
    });
    workers.add(testPod({ uid: 'a' }));
    await clock.settle();
    void workers.terminate('a', { reason: 'deleted' });
    await clock.settle();
    const say = (reason: string) => ({
      reason: 'evicted' as const,
      amendStatus: (status: PodStatus) => ({ ...status, phase: 'Failed' as const, reason }),
    });
    void workers.terminate('a', say('First'));
    void workers.terminate('a', say('Evicted'));
    void workers.terminate('a', { reason: 'killed' });
    step.open();
    await clock.settle();
    expect(seen).toEqual([{ phase: 'Running' }, { phase: 'Failed', reason: 'Evicted' }]);
  });

  it('cleans up again when a pod is deleted during a clean-up that keeps its contents', async () => {
    const step = gate();
    const { clock, workers, calls } = setup({
      syncPod: () => Promise.resolve({ completed: true }),
      syncTerminatedPod: ({ signal }) => step.pass(signal),
    });
    workers.add(testPod({ uid: 'a' }));
    await clock.settle();
    void workers.terminate('a', { reason: 'deleted' });
    await clock.settle();
    step.open();
    await clock.settle();
    expect(calls.slice(2)).toEqual(['terminated a keep', 'terminated a remove']);
    expect(workers.state('a')?.kind).toBe('finished');
  });

  it('starts a successor with its latest version, and a status newer than the end of its predecessor', async () => {
    const marks: number[] = [];
    let counter = 0;
    const step = gate();
    const versions: unknown[] = [];
    const { clock, workers } = setup(
      {
        syncPod: ({ pod }) => (versions.push(pod.metadata?.labels?.['v']), Promise.resolve({ completed: false })),
        syncTerminatedPod: ({ signal }) => step.pass(signal),
      },
      {
        statuses: {
          mark: () => (counter += 1),
          getNewerThan: (uid, mark) => (marks.push(mark), Promise.resolve(emptyRuntimePodStatus(uid))),
        },
      },
    );
    workers.add(testPod({ uid: 'a', labels: { v: '1' } }));
    await clock.settle();
    void workers.terminate('a', { reason: 'deleted' });
    workers.add(testPod({ uid: 'a', labels: { v: '2' } }));
    workers.update(testPod({ uid: 'a', labels: { v: '3' } }));
    await clock.settle();
    step.open();
    await clock.settle();
    expect(versions).toEqual(['1', '3']);
    expect(marks).toEqual([0, 1, 2, 3]);
  });

  it('reads the status again, by the same mark, when a pod must terminate during the reading', async () => {
    const marks: number[] = [];
    const { clock, workers, calls } = setup(
      {},
      {
        statuses: {
          mark: () => 7,
          // The first read never comes.
          getNewerThan: (uid, mark, signal) =>
            marks.push(mark) === 1
              ? new Promise((_resolve, reject) =>
                  signal?.addEventListener('abort', () => reject(signal.reason as Error)),
                )
              : Promise.resolve(emptyRuntimePodStatus(uid)),
        },
      },
    );
    workers.add(testPod({ uid: 'a' }));
    await clock.settle();
    void workers.terminate('a', { reason: 'deleted' });
    await clock.settle();
    expect(calls).toEqual(['terminating a deleted 30', 'terminated a remove']);
    expect(marks).toEqual([0, 0, 7]);
  });

  it('emits transitions in order, also when a subscriber triggers the next', async () => {
    const { clock, workers } = setup();
    const seen: string[] = [];
    workers.transitions$.subscribe(({ to }) => {
      if (to.kind === 'syncing') void workers.terminate('a', { reason: 'killed' });
    });
    workers.transitions$.subscribe(({ to }) => seen.push(to.kind));
    workers.add(testPod({ uid: 'a' }));
    await clock.settle();
    expect(seen).toEqual(['syncing', 'terminating', 'terminated', 'finished']);
  });

  it('lets a subscriber start a static pod again as soon as it has finished', async () => {
    const { clock, workers, calls } = setup();
    workers.transitions$.subscribe(({ from, to }) => {
      if (from?.kind === 'terminated' && to.kind === 'finished') workers.add(staticPod('a'));
    });
    workers.add(staticPod('a'));
    await clock.settle();
    void workers.terminate('a', { reason: 'killed' });
    await clock.settle();
    expect(calls.at(-1)).toBe('sync a');
    expect(workers.state('a')?.kind).toBe('syncing');
  });

  it('rejects waits for the end of a pod when it is disposed of', async () => {
    const { clock, workers } = setup({ syncTerminatingPod: ({ signal }) => gate().pass(signal) });
    workers.add(testPod({ uid: 'a' }));
    await clock.settle();
    const early = workers.terminate('a', { reason: 'deleted' });
    const disposed = workers[Symbol.asyncDispose]();
    const late = workers.terminate('a', { reason: 'deleted' });
    await expect(early).rejects.toBeInstanceOf(LifetimeEnded);
    await expect(late).rejects.toBeInstanceOf(LifetimeEnded);
    await disposed;
    workers.add(testPod({ uid: 'b' }));
    expect(workers.state('b')).toBeUndefined();
  });

  it('rejects a pod without a UID', () => {
    const { workers } = setup();
    expect(() => workers.add(testPod({ uid: '' }))).toThrow('pod web_default has no UID');
  });
});

describe('the metrics of the workers', () => {
  it('match the names, labels and values of the kubelet’s', async () => {
    const metrics = recordingMetrics();
    const step = gate();
    const { clock, workers, behaviour } = setup({ syncTerminatingPod: ({ signal }) => step.pass(signal) }, { metrics });
    const ended = (operation: string) =>
      metrics.observed(`kubelet_pod_worker_duration_seconds{operation_type="${operation}"}`).length;

    behaviour.syncPod = async () => {
      await new Promise<void>((resolve) => clock.setTimer(2_000, resolve));
      return { completed: false };
    };
    workers.add(staticPod('a'));
    workers.add(staticPod('b'));
    workers.add(testPod({ uid: 'c', name: 'c' }));
    await clock.advance(1_000);
    await metrics.collect();
    expect(metrics.values.get('rxlet_pod_worker_oldest_step_seconds')).toBe(1);
    await clock.advance(1_000);
    workers.update(testPod({ uid: 'c', name: 'c' }));
    await clock.advance(2_000);
    workers.sync('c');
    await clock.advance(2_000);
    expect([ended('create'), ended('update'), ended('sync')]).toEqual([2, 1, 1]);
    expect(metrics.observed('kubelet_pod_worker_duration_seconds{operation_type="sync"}')).toEqual([2]);
    expect(metrics.observed('kubelet_containers_per_pod_count')).toEqual([1, 1]);

    workers.retain(new Set(['b', 'c']));
    await clock.settle();
    workers.terminateRuntimePod({ ...runtimePod('d'), name: 'd' });
    workers.retain(new Set(['b', 'c']));
    const working = (lifecycle: string, config: string, isStatic: string) =>
      metrics.values.get(`kubelet_working_pods{config="${config}",lifecycle="${lifecycle}",static="${isStatic}"}`);
    expect(working('terminating', 'orphan', 'true')).toBe(1);
    expect(working('terminating', 'runtime_only', 'unknown')).toBe(1);
    expect(working('sync', 'desired', 'true')).toBe(1);
    expect(working('sync', 'desired', '')).toBe(1);
    expect(working('terminated', 'desired', '')).toBe(0);
    expect(metrics.values.get('kubelet_orphaned_runtime_pods_total')).toBe(1);

    // Whose name is free has waited since it was seen.
    step.open();
    await clock.settle();
    expect(metrics.observed('kubelet_pod_worker_start_duration_seconds')).toEqual([0, 0, 6]);
    expect([ended('kill'), ended('terminated')]).toEqual([2, 2]);
    await clock.advance(10_000);
    await workers[Symbol.asyncDispose]();
  });

  it('count pods that start again under their UID', async () => {
    const metrics = recordingMetrics();
    const { clock, workers } = setup({}, { metrics });
    const restarted = () =>
      ['', 'true'].map((value) => metrics.values.get(`kubelet_restarted_pods_total{static="${value}"}`));
    const back = async (pod: Pod): Promise<void> => {
      workers.add(pod);
      await clock.settle();
      void workers.terminate(podUid(pod), { reason: 'deleted' });
      workers.add(pod);
      await clock.settle();
    };
    await back(staticPod('a'));
    expect(restarted()).toEqual([undefined, 1]);
    await back(testPod({ uid: 'b', name: 'b' }));
    expect(restarted()).toEqual([1, 1]);
    await workers[Symbol.asyncDispose]();
  });
});
