import { LifetimeEnded, seededRandom } from '@rxlet/component-base';
import { createVirtualClock, type VirtualClock } from '@rxlet/component-base/testing';
import type { Pod } from '@rxlet/kube-api';
import { PodAnnotation, podUid } from '@rxlet/pod-model';
import { emptyRuntimePodStatus } from '@rxlet/pod-model/runtime';
import { testPod } from '@rxlet/pod-model/testing';
import { describe, expect, it } from 'vitest';
import { createPodWorkers } from './create-pod-workers.ts';
import type { PodWorkers } from './pod-workers.ts';

/*
 * Every state × every event. The pod `a` is static, with a grace period of 30 s. Steps are held until an event completes them, and respect their signal.
 */

/** A step that is held. */
type Answer = 'succeeds' | 'completes' | 'fails';

interface Bench {
  readonly clock: VirtualClock;
  readonly workers: PodWorkers;
  /** Effects on the pod `a` since the last read. */
  readonly effects: string[];
  /** Lets the running step of a pod end. */
  answer(uid: string, answer: Answer): Promise<void>;
}

const pod = (uid = 'a', more: Partial<Parameters<typeof testPod>[0]> = {}): Pod =>
  testPod({ uid, annotations: { [PodAnnotation.configSource]: 'file' }, ...more });
const deleting = pod('a', {
  metadata: { deletionTimestamp: '2026-01-01T00:00:00Z', deletionGracePeriodSeconds: 4 },
});

function createBench(): Bench {
  const clock = createVirtualClock();
  const effects: string[] = [];
  const held = new Map<string, (answer: Answer) => void>();
  const step = (uid: string, what: string, signal: AbortSignal): Promise<{ completed: boolean }> => {
    if (uid === 'a') effects.push(what);
    return new Promise((resolve, reject) => {
      held.set(uid, (answer) =>
        answer === 'fails' ? reject(new Error('failed')) : resolve({ completed: answer === 'completes' }),
      );
      signal.addEventListener('abort', () => {
        if (uid === 'a') effects.push('cancelled');
        reject(signal.reason as Error);
      });
    });
  };
  let counter = 0;
  const workers = createPodWorkers({
    clock,
    random: seededRandom(1),
    statuses: { mark: () => (counter += 1), getNewerThan: (uid) => Promise.resolve(emptyRuntimePodStatus(uid)) },
    syncer: {
      syncPod: (request) => step(podUid(request.pod), 'sync', request.signal),
      async syncTerminatingPod({ subject, reason, gracePeriodSeconds, signal }) {
        const uid = subject.kind === 'pod' ? subject.pod.metadata?.uid : subject.pod.uid;
        await step(uid ?? '', `stop ${reason} ${String(gracePeriodSeconds)}`, signal);
      },
      async syncTerminatedPod({ subject, removeContent, signal }) {
        const uid = subject.kind === 'pod' ? subject.pod.metadata?.uid : subject.pod.uid;
        await step(uid ?? '', removeContent ? 'clean up all' : 'clean up', signal);
      },
    },
  });
  return {
    clock,
    workers,
    effects,
    async answer(uid, answer) {
      held.get(uid)?.(answer);
      await clock.settle();
    },
  };
}

/** How the pod gets into each state; `busy`: its step runs, `idle`: it waits for the time of the next one. */
const STATES = {
  unknown: async () => undefined,
  waiting: async ({ workers, clock }) => {
    workers.add(pod('before'));
    await clock.settle();
    workers.add(pod());
  },
  'syncing, busy': async ({ workers }) => workers.add(pod()),
  'syncing, idle': async (bench) => {
    await STATES['syncing, busy'](bench);
    await bench.clock.settle();
    await bench.answer('a', 'succeeds');
  },
  'terminating, busy': async (bench) => {
    await STATES['syncing, idle'](bench);
    void bench.workers.terminate('a', { reason: 'killed', gracePeriodSeconds: 20 });
  },
  'terminating, idle': async (bench) => {
    await STATES['terminating, busy'](bench);
    await bench.clock.settle();
    await bench.answer('a', 'fails');
  },
  'terminating, successor': async (bench) => {
    await STATES['terminating, busy'](bench);
    bench.workers.add(pod());
  },
  'terminated, busy': async (bench) => {
    await STATES['terminating, busy'](bench);
    await bench.clock.settle();
    await bench.answer('a', 'succeeds');
  },
  'terminated, idle': async (bench) => {
    await STATES['terminated, busy'](bench);
    await bench.answer('a', 'fails');
  },
  finished: async (bench) => {
    await STATES['terminated, busy'](bench);
    await bench.answer('a', 'succeeds');
  },
} satisfies Record<string, (bench: Bench) => Promise<void>>;
type StateName = keyof typeof STATES;

const requestTermination =
  (request: Parameters<PodWorkers['terminate']>[1]) =>
  ({ workers, effects }: Bench): void =>
    void workers.terminate('a', request).then(
      () => effects.push('resolves'),
      (error: unknown) => effects.push(error instanceof LifetimeEnded ? 'rejects' : String(error)),
    );

/** Events. The events that end a step do nothing while none runs. */
const EVENTS = {
  add: ({ workers }) => workers.add(pod()),
  'add, deleting': ({ workers }) => workers.add(deleting),
  update: ({ workers }) => workers.update(pod('a', { labels: { version: '2' } })),
  'update, deleting': ({ workers }) => workers.update(deleting),
  'update, phase Failed': ({ workers }) => workers.update(pod('a', { status: { phase: 'Failed' } })),
  sync: ({ workers }) => workers.sync('a'),
  'terminate, deleted': requestTermination({ reason: 'deleted' }),
  'terminate, orphaned': requestTermination({ reason: 'orphaned' }),
  'terminate, completed': requestTermination({ reason: 'completed' }),
  'terminate, evicted, at once': requestTermination({ reason: 'evicted', gracePeriodSeconds: 0 }),
  'terminate, killed in 7 s': requestTermination({ reason: 'killed', gracePeriodSeconds: 7 }),
  'terminate, killed in 70 s': requestTermination({ reason: 'killed', gracePeriodSeconds: 70 }),
  'found in the runtime': ({ workers }) =>
    workers.terminateRuntimePod({ uid: 'a', name: 'web', namespace: 'default', sandboxes: [], containers: [] }),
  retained: ({ workers }) => workers.retain(new Set(['before', 'a'])),
  'not retained': ({ workers }) => workers.retain(new Set(['before'])),
  'the step succeeds': ({ answer }) => answer('a', 'succeeds'),
  'the step completes the pod': ({ answer }) => answer('a', 'completes'),
  'the step fails': ({ answer }) => answer('a', 'fails'),
  'the step fails after an update': async ({ workers, answer }) => {
    workers.update(pod());
    await answer('a', 'fails');
  },
  'the wait is over': ({ clock }) => clock.advance(90_000),
  'the name is free': async ({ workers, clock, answer }) => {
    void workers.terminate('before', { reason: 'deleted' });
    await clock.settle();
    await answer('before', 'succeeds');
    await answer('before', 'succeeds');
  },
  'disposal during a wait for its end': async ({ workers, clock, effects }) => {
    requestTermination({ reason: 'killed' })({ workers, effects } as Bench);
    await clock.settle();
    effects.length = 0;
    void workers[Symbol.asyncDispose]();
  },
  disposal: async ({ workers }) => {
    void workers[Symbol.asyncDispose]();
  },
} satisfies Record<string, (bench: Bench) => void | Promise<void>>;
type EventName = keyof typeof EVENTS;

/**
 * `state | effects`. The state has its reason and grace period, and marks: it is `to delete` or `evicted`, another step follows the running one
 * (`again`), a `successor` waits. The effects are the steps that began or were cancelled, and what became of the promise of `terminate`.
 */
function outcome({ workers, effects }: Bench): string {
  const state = workers.state('a');
  const snapshot = workers.inspect().find(({ uid }) => uid === 'a');
  const notes = [
    ...(state !== undefined && 'reason' in state
      ? [
          state.reason,
          String(state.gracePeriodSeconds),
          state.deleted ? 'to delete' : '',
          state.evicted ? 'evicted' : '',
        ]
      : []),
    snapshot?.dirty === true ? 'again' : '',
    snapshot?.hasSuccessor === true ? 'successor' : '',
  ].filter((note) => note !== '');
  return `${[state?.kind ?? 'unknown', ...notes].join(' ')} | ${effects.join(', ')}`.trimEnd();
}
/** Result of each event in each state. An event that is not listed has no effect. */
const TRANSITIONS: Readonly<Record<StateName, Readonly<Partial<Record<EventName, string>>>>> = {
  unknown: {
    add: 'syncing | sync',
    'add, deleting': 'terminating deleted 4 to delete | stop deleted 4',
    update: 'syncing | sync',
    'update, deleting': 'terminating deleted 4 to delete | stop deleted 4',
    'update, phase Failed': 'terminated completed 30 | clean up',
    'terminate, deleted': 'unknown | resolves',
    'terminate, orphaned': 'unknown | resolves',
    'terminate, completed': 'unknown | resolves',
    'terminate, evicted, at once': 'unknown | resolves',
    'terminate, killed in 7 s': 'unknown | resolves',
    'terminate, killed in 70 s': 'unknown | resolves',
    'found in the runtime': 'terminating orphaned 1 to delete | stop orphaned 1',
    'the step fails after an update': 'syncing | sync',
  },
  waiting: {
    'add, deleting': 'finished deleted 4 to delete |',
    'update, deleting': 'finished deleted 4 to delete |',
    'update, phase Failed': 'finished completed 30 |',
    'terminate, deleted': 'finished deleted 30 to delete | resolves',
    'terminate, orphaned': 'terminating orphaned 30 to delete | stop orphaned 30',
    'terminate, completed': 'finished completed 30 | resolves',
    'terminate, evicted, at once': 'finished evicted 1 evicted | resolves',
    'terminate, killed in 7 s': 'finished killed 7 | resolves',
    'terminate, killed in 70 s': 'finished killed 70 | resolves',
    'found in the runtime': 'terminating orphaned 1 to delete | stop orphaned 1',
    'not retained': 'unknown |',
    'the name is free': 'syncing | sync',
    'disposal during a wait for its end': 'finished killed 30 |',
  },
  'syncing, busy': {
    add: 'syncing again |',
    'add, deleting': 'terminating deleted 4 to delete | cancelled, stop deleted 4',
    update: 'syncing again |',
    'update, deleting': 'terminating deleted 4 to delete | cancelled, stop deleted 4',
    'update, phase Failed': 'terminating completed 30 | cancelled, stop completed 30',
    sync: 'syncing again |',
    'terminate, deleted': 'terminating deleted 30 to delete | cancelled, stop deleted 30',
    'terminate, orphaned': 'terminating orphaned 30 to delete | cancelled, stop orphaned 30',
    'terminate, completed': 'terminating completed 30 | cancelled, stop completed 30',
    'terminate, evicted, at once': 'terminating evicted 1 evicted | cancelled, stop evicted 1',
    'terminate, killed in 7 s': 'terminating killed 7 | cancelled, stop killed 7',
    'terminate, killed in 70 s': 'terminating killed 70 | cancelled, stop killed 70',
    'found in the runtime': 'terminating orphaned 1 to delete | cancelled, stop orphaned 1',
    'not retained': 'terminating deleted 30 to delete | cancelled, stop deleted 30',
    'the step completes the pod': 'terminating completed 30 | stop completed 30',
    'the step fails after an update': 'syncing | sync',
    'disposal during a wait for its end': 'terminating killed 30 | cancelled, rejects',
    disposal: 'syncing | cancelled',
  },
  'syncing, idle': {
    add: 'syncing | sync',
    'add, deleting': 'terminating deleted 4 to delete | stop deleted 4',
    update: 'syncing | sync',
    'update, deleting': 'terminating deleted 4 to delete | stop deleted 4',
    'update, phase Failed': 'terminating completed 30 | stop completed 30',
    sync: 'syncing | sync',
    'terminate, deleted': 'terminating deleted 30 to delete | stop deleted 30',
    'terminate, orphaned': 'terminating orphaned 30 to delete | stop orphaned 30',
    'terminate, completed': 'terminating completed 30 | stop completed 30',
    'terminate, evicted, at once': 'terminating evicted 1 evicted | stop evicted 1',
    'terminate, killed in 7 s': 'terminating killed 7 | stop killed 7',
    'terminate, killed in 70 s': 'terminating killed 70 | stop killed 70',
    'found in the runtime': 'terminating orphaned 1 to delete | stop orphaned 1',
    'not retained': 'terminating deleted 30 to delete | stop deleted 30',
    'the step fails after an update': 'syncing | sync',
    'the wait is over': 'syncing | sync',
    'disposal during a wait for its end': 'terminating killed 30 | cancelled, rejects',
  },
  'terminating, busy': {
    add: 'terminating killed 20 successor |',
    'add, deleting': 'terminating killed 4 to delete again |',
    update: 'terminating killed 20 again |',
    'update, deleting': 'terminating killed 4 to delete again |',
    'update, phase Failed': 'terminating killed 20 again |',
    sync: 'terminating killed 20 again |',
    'terminate, deleted': 'terminating killed 20 to delete |',
    'terminate, orphaned': 'terminating killed 20 to delete |',
    'terminate, evicted, at once': 'terminating killed 1 evicted | cancelled, stop killed 1',
    'terminate, killed in 7 s': 'terminating killed 7 | cancelled, stop killed 7',
    'found in the runtime': 'terminating killed 1 to delete again |',
    'not retained': 'terminating killed 20 to delete |',
    'the step succeeds': 'terminated killed 20 | clean up',
    'the step completes the pod': 'terminated killed 20 | clean up',
    'the step fails after an update': 'terminating killed 20 | stop killed 20',
    'disposal during a wait for its end': 'terminating killed 20 | cancelled, rejects',
    disposal: 'terminating killed 20 | cancelled',
  },
  'terminating, idle': {
    add: 'terminating killed 20 successor |',
    'add, deleting': 'terminating killed 4 to delete | stop killed 4',
    update: 'terminating killed 20 | stop killed 20',
    'update, deleting': 'terminating killed 4 to delete | stop killed 4',
    'update, phase Failed': 'terminating killed 20 | stop killed 20',
    sync: 'terminating killed 20 | stop killed 20',
    'terminate, deleted': 'terminating killed 20 to delete |',
    'terminate, orphaned': 'terminating killed 20 to delete |',
    'terminate, evicted, at once': 'terminating killed 1 evicted | stop killed 1',
    'terminate, killed in 7 s': 'terminating killed 7 | stop killed 7',
    'found in the runtime': 'terminating killed 1 to delete | stop killed 1',
    'not retained': 'terminating killed 20 to delete | stop killed 20',
    'the step fails after an update': 'terminating killed 20 | stop killed 20',
    'the wait is over': 'terminating killed 20 | stop killed 20',
    'disposal during a wait for its end': 'terminating killed 20 | rejects',
  },
  'terminating, successor': {
    'add, deleting': 'terminating killed 4 to delete again |',
    'update, deleting': 'terminating killed 4 to delete again |',
    'update, phase Failed': 'terminating killed 20 again |',
    sync: 'terminating killed 20 again successor |',
    'terminate, deleted': 'terminating killed 20 to delete |',
    'terminate, orphaned': 'terminating killed 20 to delete |',
    'terminate, completed': 'terminating killed 20 |',
    'terminate, evicted, at once': 'terminating killed 1 evicted | cancelled, stop killed 1',
    'terminate, killed in 7 s': 'terminating killed 7 | cancelled, stop killed 7',
    'terminate, killed in 70 s': 'terminating killed 20 |',
    'found in the runtime': 'terminating killed 1 to delete again successor |',
    'not retained': 'terminating killed 20 to delete |',
    'the step succeeds': 'terminated killed 20 successor | clean up',
    'the step completes the pod': 'terminated killed 20 successor | clean up',
    'disposal during a wait for its end': 'terminating killed 20 | cancelled, rejects',
    disposal: 'terminating killed 20 successor | cancelled',
  },
  'terminated, busy': {
    add: 'terminated killed 20 successor |',
    'add, deleting': 'terminated killed 20 to delete again |',
    update: 'terminated killed 20 again |',
    'update, deleting': 'terminated killed 20 to delete again |',
    'update, phase Failed': 'terminated killed 20 again |',
    sync: 'terminated killed 20 again |',
    'terminate, deleted': 'terminated killed 20 to delete again | resolves',
    'terminate, orphaned': 'terminated killed 20 to delete again | resolves',
    'terminate, completed': 'terminated killed 20 | resolves',
    'terminate, evicted, at once': 'terminated killed 20 evicted again | resolves',
    'terminate, killed in 7 s': 'terminated killed 20 | resolves',
    'terminate, killed in 70 s': 'terminated killed 20 | resolves',
    'found in the runtime': 'terminated killed 20 to delete again |',
    'not retained': 'terminated killed 20 to delete again |',
    'the step succeeds': 'finished killed 20 |',
    'the step completes the pod': 'finished killed 20 |',
    'the step fails after an update': 'terminated killed 20 | clean up',
    'disposal during a wait for its end': 'terminated killed 20 | cancelled',
    disposal: 'terminated killed 20 | cancelled',
  },
  'terminated, idle': {
    add: 'terminated killed 20 successor |',
    'add, deleting': 'terminated killed 20 to delete | clean up all',
    update: 'terminated killed 20 | clean up',
    'update, deleting': 'terminated killed 20 to delete | clean up all',
    'update, phase Failed': 'terminated killed 20 | clean up',
    sync: 'terminated killed 20 | clean up',
    'terminate, deleted': 'terminated killed 20 to delete | resolves, clean up all',
    'terminate, orphaned': 'terminated killed 20 to delete | resolves, clean up all',
    'terminate, completed': 'terminated killed 20 | resolves',
    'terminate, evicted, at once': 'terminated killed 20 evicted | resolves, clean up all',
    'terminate, killed in 7 s': 'terminated killed 20 | resolves',
    'terminate, killed in 70 s': 'terminated killed 20 | resolves',
    'found in the runtime': 'terminated killed 20 to delete | clean up all',
    'not retained': 'terminated killed 20 to delete | clean up all',
    'the step fails after an update': 'terminated killed 20 | clean up',
    'the wait is over': 'terminated killed 20 | clean up',
  },
  finished: {
    add: 'syncing | sync',
    'terminate, deleted': 'finished killed 20 to delete | resolves',
    'terminate, orphaned': 'finished killed 20 to delete | resolves',
    'terminate, completed': 'finished killed 20 | resolves',
    'terminate, evicted, at once': 'finished killed 20 evicted | resolves',
    'terminate, killed in 7 s': 'finished killed 20 | resolves',
    'terminate, killed in 70 s': 'finished killed 20 | resolves',
    'found in the runtime': 'finished killed 20 to delete |',
    'not retained': 'unknown |',
  },
};

describe.each(Object.keys(STATES) as StateName[])('%s', (state) => {
  it.each(Object.keys(EVENTS) as EventName[])('%s', async (event) => {
    const bench = createBench();
    await STATES[state](bench);
    await bench.clock.settle();
    bench.effects.length = 0;
    const before = outcome(bench);
    await EVENTS[event](bench);
    await bench.clock.settle();
    expect(outcome(bench)).toBe(TRANSITIONS[state][event] ?? before);

    // Every case ends without timers and without running steps.
    await bench.workers[Symbol.asyncDispose]();
    expect(bench.clock.pendingTimers).toBe(0);
  });
});
