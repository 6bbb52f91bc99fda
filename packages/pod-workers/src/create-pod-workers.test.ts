import { type RecordedEvent, createEventLog, seededRandom } from '@rxlet/component-base';
import { createVirtualClock, type VirtualClock } from '@rxlet/component-base/testing';
import type { Pod } from '@rxlet/kube-api';
import { emptyRuntimePodStatus, PodAnnotation, type RuntimePod } from '@rxlet/pod-model';
import { testPod } from '@rxlet/pod-model/testing';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createPodWorkers, type PodWorkers, type PodWorkersPorts } from './create-pod-workers.ts';
import type { PodSubject, PodSyncer } from './pod-syncer.ts';

interface Setup {
  readonly clock: VirtualClock;
  readonly workers: PodWorkers;
  /** What the syncer was asked, in order: `sync uid`, `terminating uid reason grace`, `terminated uid keep|remove`. */
  readonly calls: string[];
  /** What the syncer answers; replace to change its behaviour. */
  readonly behaviour: Partial<PodSyncer>;
  readonly events: () => readonly RecordedEvent[];
}

function uidOf(subject: PodSubject): string {
  return subject.kind === 'pod' ? (subject.pod.metadata?.uid ?? '') : subject.pod.uid;
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
        calls.push(`sync ${request.pod.metadata?.uid ?? ''}`);
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

/** A promise that settles when told to, or rejects when its signal aborts. */
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
  it('walks a pod through its life', async () => {
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

  it('keeps what a completed pod left, and forgets the pod when it is no longer desired', async () => {
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

  it('runs one step at a time for a pod, and one more for all that came meanwhile', async () => {
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

  it('works for different pods at the same time', async () => {
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

  it('looks at a pod in order after 60 to 90 s', async () => {
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
  ])('tries again after %s', async (_title, { inMs, ...hint }: { inMs?: number }, leastMs, mostMs) => {
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

  it('cancels a running sync when the pod must end', async () => {
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

  it('begins to stop anew with less when the grace period is shortened, and ignores a longer one', async () => {
    const step = gate();
    const { clock, workers, calls } = setup({ syncTerminatingPod: ({ signal }) => step.pass(signal) });
    workers.add(testPod({ uid: 'a' }));
    await clock.settle();
    void workers.terminate('a', { reason: 'deleted' });
    await clock.settle();
    void workers.terminate('a', { reason: 'deleted', gracePeriodSeconds: 100 });
    await clock.settle();
    void workers.terminate('a', { reason: 'deleted', gracePeriodSeconds: 2 });
    await clock.settle();
    step.open();
    await clock.settle();
    expect(calls).toEqual(['sync a', 'terminating a deleted 30', 'terminating a deleted 2', 'terminated a remove']);
  });

  it('tries again to stop a pod until that succeeds', async () => {
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

  it('ends a pod whose object says so', async () => {
    const { clock, workers, calls } = setup();
    workers.add(testPod({ uid: 'a' }));
    await clock.settle();
    workers.update(
      testPod({ uid: 'a', metadata: { deletionTimestamp: '2026-01-01T00:00:00Z', deletionGracePeriodSeconds: 4 } }),
    );
    workers.add(testPod({ uid: 'b', status: { phase: 'Failed' } }));
    await clock.settle();
    expect(calls).toEqual([
      'sync a',
      'terminating a deleted 4',
      'terminating b completed 30',
      'terminated a remove',
      'terminated b keep',
    ]);
  });

  it('lets a static pod wait until its predecessor of the same full name has finished', async () => {
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

  it('lets a static pod wait for what the runtime still holds under its name', async () => {
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

  it('starts a pod of the same UID anew after it has ended', async () => {
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
    expect(calls).toEqual(['sync a', 'terminating a deleted 30', 'terminated a remove', 'sync a']);
    expect(workers.state('a')?.kind).toBe('syncing');
  });

  it('says when the status of a pod cannot be had, and tries again', async () => {
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

  it('keeps its promises under any sequence of requests', async () => {
    const uid = fc.constantFrom('a', 'b', 'c');
    const action = fc.oneof(
      fc.record({ do: fc.constant('add' as const), uid }),
      fc.record({ do: fc.constant('update' as const), uid }),
      fc.record({ do: fc.constant('sync' as const), uid }),
      fc.record({ do: fc.constant('terminate' as const), uid, grace: fc.integer({ min: 1, max: 60 }) }),
      fc.record({ do: fc.constant('orphan' as const), uid }),
      fc.record({ do: fc.constant('retain' as const), uid }),
      fc.record({ do: fc.constant('advance' as const), ms: fc.integer({ min: 0, max: 20_000 }) }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(action, { maxLength: 40 }), fc.infiniteStream(fc.nat(5)), async (actions, outcomes) => {
        const active = new Map<string, number>();
        const problems: string[] = [];
        /** Each step takes a while and may fail; steps of one pod must never overlap. */
        const step = async (id: string, clock: VirtualClock): Promise<void> => {
          active.set(id, (active.get(id) ?? 0) + 1);
          if (active.get(id)! > 1) problems.push(`two steps at once for ${id}`);
          const outcome = Number(outcomes.next().value);
          await new Promise<void>((resolve) => clock.setTimer(outcome * 700, resolve));
          active.set(id, active.get(id)! - 1);
          if (outcome === 5) throw new Error('failed');
        };
        const { clock, workers } = setup({
          syncPod: async ({ pod }) => (await step(pod.metadata?.uid ?? '', clock), { completed: false }),
          syncTerminatingPod: ({ subject }) => step(uidOf(subject), clock),
          syncTerminatedPod: ({ subject }) => step(uidOf(subject), clock),
        });
        const running = new Set<string>();
        workers.transitions$.subscribe(({ uid: id, from, to, subject }) => {
          const order = ['waiting', 'syncing', 'terminating', 'terminated', 'finished'];
          if (from !== undefined && order.indexOf(to.kind) <= order.indexOf(from.kind))
            problems.push(`${id} went back from ${from.kind} to ${to.kind}`);
          // All static pods here have one full name: only one of them may be between starting and being finished.
          if (subject.kind === 'runtime') return;
          if (to.kind === 'syncing') running.add(id);
          if (to.kind === 'finished') running.delete(id);
          if (running.size > 1) problems.push(`several pods of one full name run: ${[...running].join(', ')}`);
        });
        for (const one of actions) {
          switch (one.do) {
            case 'add':
              workers.add(staticPod(one.uid));
              break;
            case 'update':
              workers.update(staticPod(one.uid));
              break;
            case 'sync':
              workers.sync(one.uid);
              break;
            case 'terminate':
              void workers.terminate(one.uid, { reason: 'killed', gracePeriodSeconds: one.grace });
              break;
            case 'orphan':
              workers.terminateRuntimePod(runtimePod(one.uid));
              break;
            case 'retain':
              workers.retain(new Set([one.uid]));
              break;
            case 'advance':
              await clock.advance(one.ms);
          }
        }
        // Whatever came before: with nothing desired, all ends.
        workers.retain(new Set());
        await clock.advance(600_000);
        workers.retain(new Set());
        expect(problems).toEqual([]);
        expect(workers.states().size).toBe(0);
        await workers[Symbol.asyncDispose]();
        expect(clock.pendingTimers).toBe(0);
      }),
      { numRuns: 200 },
    );
  });
});
