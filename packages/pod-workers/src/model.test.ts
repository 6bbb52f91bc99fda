import { errorMessage, seededRandom } from '@rxlet/component-base';
import { createVirtualClock } from '@rxlet/component-base/testing';
import type { Pod } from '@rxlet/kube-api';
import { PodAnnotation, podUid } from '@rxlet/pod-model';
import { emptyRuntimePodStatus } from '@rxlet/pod-model/runtime';
import { testPod } from '@rxlet/pod-model/testing';
import fc from 'fast-check';
import { it } from 'vitest';
import { createPodWorkers } from './create-pod-workers.ts';
import type { PodSubject } from './pod-subject.ts';
import { createReferenceModel, type ModelLife, type ModelPod } from './test-support/reference-model.ts';

/*
 * Compares the workers with the reference model under any sequence of requests. Steps of the syncer take time, fail, and sometimes ignore their signal.
 * A failure prints how to replay it.
 */

const SPEC_GRACE = 30;
/** Static pods that share a full name; each other pod has its own. */
const NAMED: ReadonlySet<string> = new Set(['a', 'b', 'c']);
const UIDS = ['a', 'b', 'c', 'd', 'e'] as const;

const uid = fc.constantFrom(...UIDS);
const grace = fc.option(fc.nat(50), { nil: undefined });
const reason = fc.constantFrom('deleted' as const, 'evicted' as const, 'killed' as const);
const commands = fc.array(
  fc.oneof(
    { weight: 4, arbitrary: fc.record({ do: fc.constant('add' as const), uid }) },
    { weight: 3, arbitrary: fc.record({ do: fc.constant('update' as const), uid }) },
    fc.record({ do: fc.constant('update' as const), uid, failed: fc.constant(true) }),
    fc.record({ do: fc.constant('update' as const), uid, deletionGrace: fc.nat(50) }),
    { weight: 2, arbitrary: fc.record({ do: fc.constant('sync' as const), uid }) },
    fc.record({ do: fc.constant('reconcile' as const), uid, failed: fc.boolean() }),
    { weight: 3, arbitrary: fc.record({ do: fc.constant('terminate' as const), uid, reason, grace }) },
    fc.record({ do: fc.constant('found in the runtime' as const), uid }),
    fc.record({ do: fc.constant('retain' as const), desired: fc.subarray([...UIDS]) }),
    { weight: 6, arbitrary: fc.record({ do: fc.constant('advance' as const), ms: fc.nat(30_000) }) },
  ),
  { maxLength: 60, size: 'max' },
);
type Command = (typeof commands extends fc.Arbitrary<infer T> ? T : never)[number];

function podOf({ uid, version, deletionGrace, failed }: ModelPod): Pod {
  return testPod({
    name: NAMED.has(uid) ? 'web' : uid,
    uid,
    labels: { version: String(version) },
    ...(NAMED.has(uid) && { annotations: { [PodAnnotation.configSource]: 'file' } }),
    ...(deletionGrace !== undefined && {
      metadata: { deletionTimestamp: '2026-01-01T00:00:00Z', deletionGracePeriodSeconds: deletionGrace },
    }),
    ...(failed && { status: { phase: 'Failed' } }),
    spec: { terminationGracePeriodSeconds: SPEC_GRACE },
  });
}

const uidOf = (subject: PodSubject): string => (subject.kind === 'pod' ? podUid(subject.pod) : subject.pod.uid);

/** @returns the first failure */
async function run(sequence: readonly Command[], seed: number): Promise<readonly string[]> {
  const clock = createVirtualClock();
  const random = seededRandom(seed);
  const model = createReferenceModel(NAMED, SPEC_GRACE);
  const problems: string[] = [];
  const claim = (holds: boolean, problem: () => string): void =>
    void (holds || problems.push(`${String(clock.monotonicNow())} ms: ${problem()}`));
  let isFaultless = false;

  /** Running call of each pod: a read of its status, or a call of the syncer. */
  const running = new Map<string, { what: string; signal: AbortSignal; respectsSignal: boolean }>();
  const lastMark = new Map<string, number>();
  const lastVersion = new Map<string, number>();
  /** Grace period of the last attempt to stop a pod. */
  const stopGrace = new Map<string, number>();
  const lastGrace = new Map<ModelLife, number>();
  let counter = 0;

  /** A call that takes from a millisecond to more than a minute. Every third ignores its signal, and some fail. */
  const work = async (id: string, what: string, signal: AbortSignal): Promise<void> => {
    claim(!signal.aborted, () => `${what} of ${id} began although it was cancelled`);
    claim(!running.has(id), () => `${what} of ${id} began while ${running.get(id)?.what ?? ''} ran`);
    const respectsSignal = isFaultless || random.next() > 0.3;
    running.set(id, { what, signal, respectsSignal });
    try {
      await new Promise<void>((resolve, reject) => {
        const ms = 1 + (what === 'read' ? 20 : 80_000) * random.next() ** 4;
        const timer = clock.setTimer(ms, resolve);
        if (!respectsSignal) return;
        signal.addEventListener('abort', () => {
          timer[Symbol.dispose]();
          reject(signal.reason as Error);
        });
      });
    } finally {
      running.delete(id);
    }
    const chance = isFaultless ? 1 : random.next();
    if (chance < 0.15) throw new Error('failed');
    if (chance < 0.2) throw Object.assign(new Error('not ready'), { transient: true });
    if (chance < 0.25)
      throw Object.assign(new Error('back-off'), { backoffUntilMs: clock.now() + 100_000 * random.next() });
  };
  const syncerStep = async (
    id: string,
    step: 'sync' | 'stop' | 'clean up',
    kind: ModelLife['kind'],
    signal: AbortSignal,
    result: () => { completed?: boolean; removed?: boolean },
  ): Promise<void> => {
    const life = model.lives.get(id);
    claim(life?.kind === kind, () => `${step} of ${id}, which should be ${life?.kind ?? 'unknown'}`);
    try {
      await work(id, step, signal);
    } finally {
      lastMark.set(id, counter);
    }
    model.stepEnded(id, step, result());
  };

  const workers = createPodWorkers({
    clock,
    random,
    statuses: {
      mark: () => (counter += 1),
      async getNewerThan(id, mark, signal) {
        claim(mark > (lastMark.get(id) ?? -1), () => `${id} is content with a status from before its last step`);
        await work(id, 'read', signal!);
        if (!signal!.aborted) model.nothingRuns(id);
        return emptyRuntimePodStatus(id);
      },
    },
    syncer: {
      async syncPod({ pod, signal }) {
        const id = podUid(pod);
        const version = Number(pod.metadata?.labels?.['version']);
        claim(version === model.lives.get(id)?.version, () => `sync of ${id} got version ${String(version)}`);
        lastVersion.set(id, version);
        const completed = !isFaultless && random.next() < 0.1;
        const unchanged = random.next() < 0.3;
        const markBefore = lastMark.get(id);
        await syncerStep(id, 'sync', 'syncing', signal, () => ({ completed }));
        if (unchanged && markBefore === undefined) lastMark.delete(id);
        else if (unchanged) lastMark.set(id, markBefore!);
        return { completed, unchanged };
      },
      async syncTerminatingPod({ subject, gracePeriodSeconds, signal }) {
        const id = uidOf(subject);
        const life = model.lives.get(id);
        claim(gracePeriodSeconds === life?.grace, () => `stop of ${id} with ${String(gracePeriodSeconds)} s`);
        stopGrace.set(id, gracePeriodSeconds);
        await syncerStep(id, 'stop', 'terminating', signal, () => ({}));
      },
      async syncTerminatedPod({ subject, removeContent, signal }) {
        await syncerStep(uidOf(subject), 'clean up', 'terminated', signal, () => ({ removed: removeContent }));
      },
    },
  });
  workers.transitions$.subscribe(({ uid: id, from, to }) => {
    if (to.kind !== 'syncing' || !NAMED.has(id)) return;
    const others = [...workers.states()].filter(
      ([other, { kind }]) => NAMED.has(other) && other !== id && /ing$|ted$/.test(kind) && kind !== 'waiting',
    );
    claim(
      others.length === 0,
      () => `${id} starts (from ${from?.kind ?? 'nothing'}) beside ${others.map(([o]) => o).join()}`,
    );
  });

  const ends: { readonly life: ModelLife; settled: 'resolved' | 'rejected' | undefined }[] = [];
  const terminate = (id: string, ofReason: 'deleted' | 'evicted' | 'killed', seconds: number | undefined): void => {
    const life = model.lives.get(id);
    model.end(id, ofReason, seconds);
    const promise = workers.terminate(id, {
      reason: ofReason,
      ...(seconds !== undefined && { gracePeriodSeconds: seconds }),
    });
    if (life === undefined) return;
    const end: (typeof ends)[number] = { life, settled: undefined };
    ends.push(end);
    promise.then(
      () => (end.settled = 'resolved'),
      () => (end.settled = 'rejected'),
    );
  };

  const check = (): void => {
    const seen = (of: object): string => JSON.stringify(of);
    const snapshots = new Map(workers.inspect().map((snapshot) => [snapshot.uid, snapshot]));
    for (const id of new Set([...model.lives.keys(), ...snapshots.keys()])) {
      const life = model.lives.get(id);
      const snapshot = snapshots.get(id);
      if (life === undefined || snapshot === undefined) {
        claim(false, () => `${id} is known to the workers or to the model only: ${seen({ life, snapshot })}`);
        continue;
      }
      const { state, stepAgeMs, nextStepInMs, cancelledForMs } = snapshot;
      const { kind, reason: why } = life;
      claim(
        state.kind === kind &&
          snapshot.hasSuccessor === (life.successor !== undefined) &&
          ('reason' in state
            ? state.reason === why &&
              state.gracePeriodSeconds === life.grace &&
              state.deleted === life.deleted &&
              state.evicted === life.evicted
            : why === undefined),
        () => `${id} is ${seen(snapshot)}, should be ${seen(life)}`,
      );
      claim(life.grace <= (lastGrace.get(life) ?? Infinity), () => `the grace period of ${id} grew`);
      if (life.grace > 0) lastGrace.set(life, life.grace);
      const step = running.get(id);
      claim(
        (stepAgeMs !== undefined) === (step !== undefined),
        () => `${id} does not report its step: ${seen(snapshot)}`,
      );
      if (step === undefined) {
        const rests = kind === 'waiting' || kind === 'finished';
        claim(rests === (nextStepInMs === undefined), () => `${id} is stuck, or does needless work: ${seen(snapshot)}`);
        claim((nextStepInMs ?? 0) <= 90_000, () => `${id} waits too long: ${seen(snapshot)}`);
        if (kind === 'syncing' && snapshot.lastError === undefined)
          claim(lastVersion.get(id) === life.version, () => `an update of ${id} was lost: ${seen(snapshot)}`);
      } else {
        const isCut = step.what === 'stop' && stopGrace.get(id)! > (life.cutTo ?? Infinity);
        const outdated = isCut || (step.what === 'sync' && kind !== 'syncing');
        claim(
          step.what === 'read' || step.signal.aborted === outdated,
          () => `${step.what} of ${id}: cancelled wrongly, or not`,
        );
        claim(step.signal.aborted === (cancelledForMs !== undefined), () => `${id} does not report that it cancelled`);
        claim(
          !step.signal.aborted || !step.respectsSignal,
          () => `${step.what} of ${id} continues although it respects its signal`,
        );
      }
    }
    for (const { life, settled } of ends) {
      const over = life.kind === 'terminated' || life.kind === 'finished';
      claim(settled === (over ? 'resolved' : undefined), () => `the end of ${seen(life)} is ${settled ?? 'pending'}`);
    }
  };

  let version = 0;
  for (const command of sequence) {
    switch (command.do) {
      case 'add':
      case 'update': {
        const pod = { ...command, version: (version += 1) };
        model.put(pod, command.do === 'add');
        workers[command.do](podOf(pod));
        break;
      }
      case 'reconcile': {
        const pod = { ...command, version: (version += 1) };
        if (model.lives.has(command.uid)) model.put(pod, false);
        workers.reconcile(podOf(pod));
        // It requires no further step.
        lastVersion.set(command.uid, version);
        break;
      }
      case 'sync':
        workers.sync(command.uid);
        break;
      case 'terminate':
        terminate(command.uid, command.reason, command.grace);
        break;
      case 'found in the runtime': {
        const name = NAMED.has(command.uid) ? 'web' : command.uid;
        model.foundInRuntime(command.uid);
        workers.terminateRuntimePod({ uid: command.uid, name, namespace: 'default', sandboxes: [], containers: [] });
        break;
      }
      case 'retain':
        model.retain(new Set(command.desired));
        workers.retain(new Set(command.desired));
        // A forgotten pod leaves no state.
        for (const id of lastMark.keys()) if (!model.lives.has(id)) lastMark.delete(id);
        break;
      case 'advance': {
        // In pieces, to check the invariants in between.
        for (let piece = 0; piece < 4; piece += 1) {
          await clock.advance(command.ms / 4);
          check();
        }
      }
    }
    await clock.settle();
    check();
    if (problems.length > 0) break;
  }

  // Either the workers are disposed of at once, or all pods must terminate.
  if (random.next() < 0.5 && problems.length === 0) {
    isFaultless = true;
    model.retain(new Set());
    workers.retain(new Set());
    await clock.advance(900_000);
    check();
    workers.retain(new Set());
    claim(workers.states().size === 0, () => 'not all pods have ended');
  }
  const disposed = workers[Symbol.asyncDispose]();
  await clock.advance(100_000);
  await disposed;
  claim(clock.pendingTimers === 0, () => `${String(clock.pendingTimers)} timers are left`);
  claim(running.size === 0, () => `steps are left: ${[...running.keys()].join()}`);
  claim(
    ends.every(({ settled }) => settled !== undefined),
    () => 'a wait for the end of a pod never settles',
  );
  return problems;
}

it('behaves like the reference model under any sequence of requests, failures and delays', async () => {
  // Another seed, another number of runs, or the replay of a failure as its report describes it.
  const { RXLET_TEST_SEED: seed = '2026', RXLET_TEST_PATH: path, RXLET_TEST_RUNS: numRuns = '250' } = process.env;
  const details = await fc.check(
    fc.asyncProperty(commands, fc.nat(), async (sequence, ofRandom) => {
      const problems = await run(sequence, ofRandom);
      if (problems.length > 0) throw new Error(problems.join('\n'));
    }),
    { seed: Number(seed), numRuns: Number(numRuns), ...(path !== undefined && { path }) },
  );
  if (!details.failed) return;
  const replay = `RXLET_TEST_SEED=${String(details.seed)} RXLET_TEST_PATH=${details.counterexamplePath ?? ''}`;
  const report = `${fc.defaultReportMessage(details) ?? ''}\n${errorMessage(details.errorInstance)}`;
  throw new Error(`to replay this one, run the test again with ${replay}\n${report}`);
}, 600_000);
