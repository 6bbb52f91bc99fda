import { seededRandom, sleep } from '@rxlet/component-base';
import { createVirtualClock, type VirtualClock } from '@rxlet/component-base/testing';
import {
  type CallOptions,
  ContainerState,
  PodSandboxState,
  type RuntimeService,
  ServiceError,
  StatusCode,
} from '@rxlet/cri-api';
import { createFakeRuntime, discardLogs, type FakeRuntime } from '@rxlet/fake-cri';
import type { Pod } from '@rxlet/kube-api';
import { PodLabel } from '@rxlet/pod-model';
import { testPod } from '@rxlet/pod-model/testing';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createManagerBench, type ManagerBench } from '../testing/manager-bench.ts';
import { withCallTimeout } from '../testing/with-call-timeout.ts';
import { confirmOutcome, mayHaveTakenEffect } from './unknown-outcome.ts';

const TIMEOUT_MS = 120_000;

interface Bench extends ManagerBench {
  readonly fake: FakeRuntime;
}

function bench(
  wrap: (runtime: RuntimeService, clock: VirtualClock, fake: FakeRuntime) => RuntimeService = (r) => r,
): Bench {
  const clock = createVirtualClock();
  const fake = createFakeRuntime({ clock, random: seededRandom(2), logs: discardLogs });
  const runtime = withCallTimeout(wrap(fake.runtime, clock, fake), TIMEOUT_MS);
  return {
    ...createManagerBench({ clock, runtime, images: fake.images, options: { requestTimeoutMs: TIMEOUT_MS } }),
    fake,
  };
}

/** Fails when two instances of one container run, or two sandboxes of one pod are ready. */
function checkNothingTwice({ fake }: Pick<Bench, 'fake'>): void {
  const { containers, sandboxes } = fake.snapshot();
  const running = containers
    .filter(({ state }) => state === ContainerState.CONTAINER_RUNNING)
    .map(({ labels }) => `${labels[PodLabel.podUid] ?? ''}/${labels[PodLabel.containerName] ?? ''}`);
  const ready = sandboxes
    .filter(({ state }) => state === PodSandboxState.SANDBOX_READY)
    .map(({ metadata }) => metadata?.uid);
  expect(new Set(running).size, `running: ${running.join(' ')}`).toBe(running.length);
  expect(new Set(ready).size, `ready: ${ready.join(' ')}`).toBe(ready.length);
}

describe('mayHaveTakenEffect', () => {
  const error = (code: StatusCode, message = 'x'): Error => new ServiceError(code, message);

  it('prefers the client’s outcome', () => {
    const known = (outcome: string): Error => Object.assign(error(StatusCode.Unavailable), { outcome });
    expect(mayHaveTakenEffect(known('none'))).toBe(false);
    expect(mayHaveTakenEffect(known('unknown'))).toBe(true);
    expect(mayHaveTakenEffect(Object.assign(error(StatusCode.Internal), { outcome: 'unknown' }))).toBe(true);
    const reserved = 'failed to reserve container name "c": name "c" is reserved for "1"';
    expect(mayHaveTakenEffect(Object.assign(error(StatusCode.Unknown, reserved), { outcome: 'rejected' }))).toBe(true);
  });

  it('looks for a reserved name in time linear in the message, which may quote the spec of a pod', () => {
    const failure = (message: string): Error =>
      Object.assign(error(StatusCode.Unknown, message), { outcome: 'rejected' });
    expect(mayHaveTakenEffect(failure('name '.repeat(400_000)))).toBe(false);
    expect(mayHaveTakenEffect(failure(`${'name '.repeat(400_000)} is reserved`))).toBe(true);
    expect(mayHaveTakenEffect(failure('name\n is reserved'))).toBe(false);
    expect(mayHaveTakenEffect(failure('rename is reserved'))).toBe(false);
    expect(mayHaveTakenEffect(failure('name is reservedly'))).toBe(false);
    expect(mayHaveTakenEffect(failure('x is reserved: name "c" is reserved for "1"'))).toBe(true);
  });

  it('falls back to the error code', () => {
    for (const code of [StatusCode.DeadlineExceeded, StatusCode.Unavailable, StatusCode.AlreadyExists]) {
      expect(mayHaveTakenEffect(error(code))).toBe(true);
    }
    for (const code of [StatusCode.Internal, StatusCode.InvalidArgument, StatusCode.Unknown, StatusCode.NotFound]) {
      expect(mayHaveTakenEffect(error(code))).toBe(false);
    }
    expect(mayHaveTakenEffect(undefined)).toBe(false);
    expect(mayHaveTakenEffect('text')).toBe(false);
  });
});

describe('confirmOutcome', () => {
  const lost = new ServiceError(StatusCode.Unavailable, 'lost');
  const failing = (): Promise<never> => Promise.reject(lost);

  it('throws the call’s error when there is no result, or when reading fails too', async () => {
    await expect(confirmOutcome(failing, () => Promise.resolve(undefined))).rejects.toBe(lost);
    await expect(confirmOutcome(failing, () => Promise.reject(new Error('readResult failed')))).rejects.toBe(lost);
  });

  it('does not read the runtime after a plain error', async () => {
    const internal = new ServiceError(StatusCode.Internal, 'no');
    const readResult = (): never => expect.unreachable();
    await expect(confirmOutcome(() => Promise.reject(internal), readResult)).rejects.toBe(internal);
  });
});

/** Runs a pod from its start to its removal: start, restart of a container, replacement of the sandbox, stop, removal. */
async function wholeLife(b: Bench, pod: Pod): Promise<void> {
  const settle = async (): Promise<void> => {
    for (let round = 0; round < 12; round++) {
      const { results, error } = await b.during(b.sync(pod));
      checkNothingTwice(b);
      if (results.length === 0) return;
      await b.clock.advance(error?.backoffUntilMs === undefined ? 0 : error.backoffUntilMs - b.clock.now());
    }
    throw new Error('the pod does not settle');
  };
  const runs = async (): Promise<void> => {
    await settle();
    const { containers, sandboxes } = await b.status(pod);
    const running = containers.filter(({ state }) => state === 'running').map(({ name }) => name);
    expect(running.sort()).toEqual(['app', 'proxy']);
    expect(sandboxes.filter(({ state }) => state === 'ready')).toHaveLength(1);
  };
  await runs();
  b.fake.exitContainer(await b.idOf(pod, 'app'), 1);
  await runs();
  b.fake.failSandbox((await b.status(pod)).sandboxes[0]!.id);
  await runs();
  for (let round = 0; round < 4; round++) {
    const killed = await b.during(b.manager.killPod(pod, await b.status(pod)));
    if (killed.error !== undefined) continue;
    const removed = await b.during(b.manager.removePod(await b.status(pod)));
    if (removed.error === undefined) break;
  }
  expect(b.fake.snapshot()).toMatchObject({ sandboxes: [], containers: [] });
}

const lifePod = (): Pod =>
  testPod({
    initContainers: [
      { name: 'proxy', restartPolicy: 'Always' },
      { name: 'setup', command: ['true'] },
    ],
    containers: [{ name: 'app' }],
    spec: { terminationGracePeriodSeconds: 5 },
  });

const mutating = [
  'runPodSandbox',
  'createContainer',
  'startContainer',
  'stopContainer',
  'removeContainer',
  'stopPodSandbox',
  'removePodSandbox',
] as const;

const faults = {
  'rejected without effect': ['1*error(internal: not today)', 'before'],
  'not answered, without effect': ['1*hang', 'before'],
  'not answered in time after its effect': ['1*hang', 'after'],
  'done, and its reply lost': ['1*lost', 'before'],
  'rejected as unavailable, without effect': ['1*error(unavailable: starting)', 'before'],
} as const;

describe('an unknown outcome of a call for a pod', () => {
  for (const [name, [failpoint, place]] of Object.entries(faults)) {
    it.each(mutating)(`is resolved for %s: ${name}`, async (rpc) => {
      // Number of calls without faults.
      const count = bench();
      await wholeLife(count, lifePod());
      const calls = count.fake.calls.get(rpc)!;
      expect(calls).toBeGreaterThan(0);
      for (let nth = 0; nth < calls; nth++) {
        const b = bench();
        b.fake.setFailpoint(rpc, nth === 0 ? failpoint : `${String(nth)}*off->${failpoint}`, place);
        await wholeLife(b, lifePod());
        expect(b.fake.failpoints(), `call ${String(nth)} was not made`).toEqual([]);
        expect(b.clock.pendingTimers).toBe(0);
      }
    });
  }

  it.each(['runPodSandbox', 'createContainer', 'startContainer', 'stopContainer', 'removeContainer'] as const)(
    'is resolved at once for %s, as if the call had succeeded',
    async (rpc) => {
      for (const [failpoint, place] of [
        faults['done, and its reply lost'],
        faults['not answered in time after its effect'],
      ]) {
        const b = bench();
        const pod = testPod({ initContainers: [{ name: 'i', command: ['true'] }] });
        b.fake.setFailpoint(rpc, failpoint, place);
        const run = async (): Promise<void> => {
          for (let round = 0; round < 3; round++) {
            expect((await b.during(b.sync(pod))).error).toBeUndefined();
            await b.clock.settle();
          }
          expect((await b.during(b.manager.killPod(pod, await b.status(pod)))).error).toBeUndefined();
          expect((await b.during(b.manager.removePod(await b.status(pod)))).error).toBeUndefined();
        };
        await run();
        expect(b.fake.failpoints()).toEqual([]);
      }
    },
  );
});

describe('any faults in any calls', () => {
  /** Faults of one call; `late`: it takes effect after its timeout. */
  const fault = fc.constantFrom('fine', 'fine', 'fine', 'reject', 'hang', 'lose', 'slow', 'late');
  /** A container is created late, when another instance has replaced it. */
  const createdLate = 'hang late fine fine fine fine fine fine late fine late'.split(' ');

  it('never lead to two running instances or ready sandboxes, and the pod runs when they stop', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fault, { minLength: 1, maxLength: 60 }), fc.nat(), async (faults, seed) => {
        const random = seededRandom(seed);
        let calm = false;
        const b = bench((runtime, clock, fake) => {
          const check = (): void => checkNothingTwice({ fake });
          let next = 0;
          const suffer = (call: (request: unknown, options?: CallOptions) => Promise<unknown>) =>
            async function performResize(request: unknown, options: CallOptions = {}): Promise<unknown> {
              const { signal, timeoutMs = TIMEOUT_MS } = options;
              const checked = async (): Promise<unknown> => {
                check();
                return call(request, { timeoutMs: TIMEOUT_MS }).finally(check);
              };
              const timedOut = async (): Promise<never> => {
                await sleep(clock, timeoutMs, signal);
                throw new ServiceError(StatusCode.DeadlineExceeded, 'too slow');
              };
              switch (calm ? 'fine' : (faults[next++] ?? 'fine')) {
                case 'reject':
                  throw new ServiceError(StatusCode.Internal, 'not today');
                case 'hang':
                  return timedOut();
                case 'lose':
                  await checked();
                  throw new ServiceError(StatusCode.Unavailable, 'the connection was lost');
                case 'slow':
                  await sleep(clock, 1000, signal);
                  return checked();
                case 'late':
                  sleep(clock, timeoutMs + 1 + random.next() * 60_000)
                    .then(checked)
                    .catch(() => undefined);
                  return timedOut();
                default:
                  return checked();
              }
            };
          return new Proxy(runtime, {
            get: (target, name) => {
              const call = Reflect.get(target, name) as (request: unknown, options?: CallOptions) => Promise<unknown>;
              return (mutating as readonly unknown[]).includes(name) ? suffer(call) : call;
            },
          });
        });
        const pod = lifePod();
        const life = async (): Promise<void> => {
          for (let round = 0; round < 15; round++) {
            await b.sync(pod);
            const running = b.fake
              .snapshot()
              .containers.filter(({ state }) => state === ContainerState.CONTAINER_RUNNING);
            const victim = running[Math.floor(random.next() * running.length * 3)];
            if (victim !== undefined) b.fake.exitContainer(victim.id, 1);
            if (random.next() < 0.1) {
              const sandbox = b.fake.snapshot().sandboxes[0];
              if (sandbox !== undefined) b.fake.failSandbox(sandbox.id);
            }
            await sleep(b.clock, 400_000 * random.next() ** 4);
          }
        };
        let lived = false;
        const living = life().then(() => (lived = true));
        await b.clock.runUntil(() => lived, 36_000_000);
        await living;
        calm = true;
        // Late effects happen now, and back-offs end.
        await b.clock.advance(700_000);
        for (let round = 0; round < 8; round++) {
          await b.during(b.sync(pod));
          checkNothingTwice(b);
          await b.clock.advance(310_000);
        }
        const status = await b.status(pod);
        const running = status.containers.filter(({ state }) => state === 'running').map(({ name }) => name);
        expect(running.sort()).toEqual(['app', 'proxy']);
        expect(status.sandboxes.filter(({ state }) => state === 'ready')).toHaveLength(1);
        expect((await b.during(b.manager.killPod(pod, status))).error).toBeUndefined();
        expect((await b.during(b.manager.removePod(await b.status(pod)))).error).toBeUndefined();
        expect(b.fake.snapshot()).toMatchObject({ sandboxes: [], containers: [] });
      }),
      { numRuns: 60, examples: [[createdLate, 110557185]] },
    );
  }, 60_000);
});
