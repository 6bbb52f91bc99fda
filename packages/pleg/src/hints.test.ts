import { seededRandom } from '@rxlet/component-base';
import {
  createVirtualClock,
  recordingLogger,
  type RecordingLogger,
  type VirtualClock,
} from '@rxlet/component-base/testing';
import { ContainerState, type RuntimeService, ServiceError, StatusCode } from '@rxlet/cri-api';
import { createFakeRuntime, discardLogs, type FakeRuntime } from '@rxlet/fake-cri';
import fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import { containerEventHints } from './container-event-hints.ts';
import { type ContainerHint, type HintSource, HintsUnsupported } from './container-hints.ts';
import { createPleg, type Pleg } from './create-pleg.ts';
import { runPod } from './test-support/run-pod.ts';

const disposables: AsyncDisposable[] = [];
afterEach(async () => {
  for (const disposable of disposables.splice(0).reverse()) await disposable[Symbol.asyncDispose]();
});

interface Bench {
  readonly clock: VirtualClock;
  readonly fake: FakeRuntime;
  readonly pleg: Pleg;
  readonly logger: RecordingLogger;
  /** `time type` of each event of a container that died, in milliseconds since the bench began. */
  readonly deaths: string[];
}

function bench(
  makeHints: (fake: FakeRuntime) => HintSource | readonly HintSource[],
  intercept: (fake: FakeRuntime) => Partial<RuntimeService> = () => ({}),
): Bench {
  const clock = createVirtualClock();
  const fake = createFakeRuntime({ clock, random: seededRandom(1), logs: discardLogs });
  const logger = recordingLogger();
  const pleg = createPleg(
    {
      runtime: { ...fake.runtime, ...intercept(fake) },
      hints: [makeHints(fake)].flat(),
      clock,
      random: seededRandom(2),
      logger,
    },
    { runtimeName: 'fake' },
  );
  const deaths: string[] = [];
  const beganMs = clock.monotonicNow();
  pleg.events$.subscribe((event) => {
    if (event.type === 'ContainerDied') deaths.push(`${String(clock.monotonicNow() - beganMs)} ${event.podUid}`);
  });
  disposables.push(fake, pleg);
  return { clock, fake, pleg, logger, deaths };
}

const STATES: Readonly<Record<number, string>> = {
  [ContainerState.CONTAINER_CREATED]: 'created',
  [ContainerState.CONTAINER_RUNNING]: 'running',
  [ContainerState.CONTAINER_EXITED]: 'exited',
};

function isRunning(fake: FakeRuntime, containerId: string): boolean {
  const container = fake.snapshot().containers.find(({ id }) => id === containerId);
  return container?.state === ContainerState.CONTAINER_RUNNING;
}

/** A source whose streams the test feeds and breaks. */
function manualHints(): HintSource & { opened: number; hint(hint: ContainerHint): void; fail(error: Error): void } {
  let deliver: ((hint: ContainerHint | Error) => void) | undefined;
  const source = {
    name: 'manual',
    isComplete: true,
    opened: 0,
    hint: (hint: ContainerHint): void => deliver?.(hint),
    fail: (error: Error): void => deliver?.(error),
    async *open(signal: AbortSignal): AsyncIterable<ContainerHint> {
      source.opened += 1;
      const queue: (ContainerHint | Error)[] = [];
      let change = Promise.withResolvers<void>();
      deliver = (item) => {
        queue.push(item);
        change.resolve();
      };
      signal.addEventListener('abort', () => change.resolve(), { once: true });
      while (!signal.aborted) {
        const item = queue.shift();
        if (item instanceof Error) throw item;
        if (item !== undefined) yield item;
        else {
          await change.promise;
          change = Promise.withResolvers<void>();
        }
      }
    },
  };
  return source;
}

describe('with the events of the runtime', () => {
  it('detects an exit at once, and at rest lists once a minute', async () => {
    const { clock, fake, pleg, deaths } = bench(({ runtime }) => ({
      ...containerEventHints(runtime),
      isComplete: true,
    }));
    const { containerId } = await runPod(fake, 'p1');
    await runPod(fake, 'p2');
    pleg.start();
    await clock.advance(200_000);
    const lists = fake.calls.get('listPodSandbox') ?? 0;
    await clock.advance(120_000);
    expect((fake.calls.get('listPodSandbox') ?? 0) - lists).toBe(2);
    fake.exitContainer(containerId, 3);
    await clock.advance(0);
    expect(deaths).toEqual(['320000 p1']);
    expect(pleg.cache.get('p1').containers[0]?.exitCode).toBe(3);
  });

  it('detects an unannounced exit within a minute, and a foreign container half a second after its event', async () => {
    const source = manualHints();
    const { clock, fake, pleg, deaths } = bench(() => source);
    const { containerId } = await runPod(fake, 'p1');
    pleg.start();
    await clock.advance(200_000);
    fake.exitContainer(containerId, 3);
    await clock.advance(2_000);
    expect(deaths).toEqual([]);
    await clock.advance(58_000);
    expect(deaths).toHaveLength(1);

    const other = await runPod(fake, 'p2');
    source.hint({ containerId: other.containerId, kind: 'started' });
    await clock.advance(500);
    expect(pleg.cache.get('p2').containers).toHaveLength(1);
  });

  it('lists all pods at most once a second for hints about unlisted containers', async () => {
    const source = manualHints();
    const { clock, fake, pleg } = bench(() => source);
    pleg.start();
    await clock.advance(200_000);
    const lists = fake.calls.get('listPodSandbox') ?? 0;
    for (let pod = 0; pod < 40; pod++) {
      source.hint({ containerId: `in the making ${String(pod)}`, kind: 'started' });
      await clock.advance(50);
    }
    const { containerId } = await runPod(fake, 'p1');
    source.hint({ containerId, kind: 'started' });
    await clock.advance(1_500);
    expect((fake.calls.get('listPodSandbox') ?? 0) - lists).toBeLessThanOrEqual(4);
    expect(pleg.cache.get('p1').containers).toHaveLength(1);
  });

  it('polls every two seconds until the events have proven complete, and then once a minute', async () => {
    const { clock, fake, pleg } = bench(({ runtime }) => containerEventHints(runtime));
    pleg.start();
    await clock.advance(60_000);
    const listsIn = async (ms: number): Promise<number> => {
      const before = fake.calls.get('listPodSandbox') ?? 0;
      await clock.advance(ms);
      return (fake.calls.get('listPodSandbox') ?? 0) - before;
    };
    // Quiet relists alone prove nothing.
    expect(await listsIn(60_000)).toBe(30);
    // A pod that starts is two changes, of its sandbox and of its container.
    for (let index = 0; index < 9; index += 1) await runPod(fake, `p${String(index)}`);
    await clock.advance(60_000);
    expect(await listsIn(60_000)).toBe(30);
    await runPod(fake, 'p9');
    await clock.advance(130_000);
    expect(await listsIn(120_000)).toBe(2);
  });

  it('keeps polling every two seconds while another subscriber gets a part of the events', async () => {
    const { clock, fake, pleg, deaths } = bench(({ runtime }) => containerEventHints(runtime));
    fake.setEventFaults({ drop: 0.5 });
    pleg.start();
    await clock.advance(10_000);
    for (let index = 0; index < 60; index += 1) {
      const { containerId } = await runPod(fake, `p${String(index)}`);
      await clock.advance(60_000);
      const before = deaths.length;
      fake.exitContainer(containerId, 1);
      await clock.advance(2_001);
      expect(deaths.length - before).toBe(1);
    }
  });

  it('polls every two seconds again after a change that a complete source missed', async () => {
    const source = manualHints();
    const { clock, fake, pleg } = bench(() => source);
    const { containerId } = await runPod(fake, 'p1');
    pleg.start();
    await clock.advance(200_000);
    fake.exitContainer(containerId, 3);
    await clock.advance(120_000);
    expect(pleg.queue().relistPeriodMs).toBe(2_000);
  });

  it('doubles the period while relists find no change, and resets it when one does', async () => {
    const source = manualHints();
    const { clock, fake, pleg } = bench(() => source);
    const { containerId } = await runPod(fake, 'p1');
    const beganMs = clock.monotonicNow();
    const times: number[] = [];
    const { listPodSandbox } = fake.runtime;
    fake.runtime.listPodSandbox = (...request) => {
      times.push(Math.round((clock.monotonicNow() - beganMs) / 1000));
      return listPodSandbox(...request);
    };
    const spied = createPleg(
      { runtime: fake.runtime, hints: [source], clock, random: seededRandom(2) },
      { runtimeName: 'fake' },
    );
    disposables.push(spied, pleg);
    spied.start();
    await clock.advance(130_000);
    // At the start, when the stream is open, and then after pauses of 2, 4, 8, 16, 32, 60 s.
    expect(times).toEqual([0, 1, 3, 7, 15, 31, 63, 123]);
    fake.exitContainer(containerId, 1);
    await clock.advance(63_000);
    expect(times.slice(8, 13)).toEqual([183, 184, 186, 190, 192]);
  });

  it('relists again when the event comes before the runtime has recorded the exit', async () => {
    const source = manualHints();
    const { clock, fake, pleg, deaths } = bench(() => source);
    const { containerId } = await runPod(fake, 'p1');
    pleg.start();
    await clock.advance(200_000);
    source.hint({ containerId, kind: 'stopped' });
    await clock.advance(30);
    fake.exitContainer(containerId, 3);
    await clock.advance(100);
    expect(deaths).toEqual(['200070 p1']);
    // And none after it has.
    const lists = fake.calls.get('listContainers');
    await clock.advance(5_000);
    expect(fake.calls.get('listContainers')).toBe(lists);
  });

  it('ignores events that are replayed, duplicated, late or about unknown containers', async () => {
    const source = manualHints();
    const { clock, fake, pleg, deaths } = bench(() => source);
    const { containerId } = await runPod(fake, 'p1');
    pleg.start();
    await clock.advance(10_000);
    for (let round = 0; round < 100; round += 1) {
      source.hint({ containerId, kind: 'stopped' });
      source.hint({ containerId: 'long-gone', kind: 'stopped' });
      source.hint({ containerId: 'never-seen', kind: 'started', podUid: 'nobody' });
    }
    await clock.advance(20_000);
    expect(deaths).toEqual([]);
    expect(pleg.cache.get('p1').containers[0]?.state).toBe('running');
    // A burst of hints costs a handful of relists.
    expect(fake.calls.get('listContainers')).toBeLessThan(20);
  });

  it('polls every second while the stream is lost, and reopens it with back-off', async () => {
    const source = manualHints();
    const { clock, fake, pleg, deaths, logger } = bench(() => source);
    const { containerId } = await runPod(fake, 'p1');
    pleg.start();
    await clock.advance(10_000);
    source.fail(new ServiceError(StatusCode.Unavailable, 'the runtime restarts'));
    await clock.settle();
    fake.exitContainer(containerId, 3);
    await clock.advance(1_001);
    expect(deaths).toHaveLength(1);
    for (let attempt = 0; attempt < 100; attempt += 1) {
      source.fail(new Error('still away'));
      await clock.advance(37_000);
    }
    expect(source.opened).toBeGreaterThan(90);
    expect(logger.lines.filter(({ level }) => level === 'error')).toEqual([]);
  });

  it('retries a failed read after a second, as without hints', async () => {
    const source = manualHints();
    const { clock, fake, pleg, deaths } = bench(() => source);
    const { containerId } = await runPod(fake, 'p1');
    pleg.start();
    await clock.advance(10_000);
    for (const rpc of ['containerStatus', 'listContainers'] as const) {
      // The first repetition comes at once, when the last relist is longer ago than a second.
      for (let time = 0; time < 2; time += 1) fake.failNext(rpc, new ServiceError(StatusCode.Internal, 'broken'));
      pleg.requestReinspect('p1');
      await clock.advance(100);
      expect(pleg.unreadablePods().size).toBe(rpc === 'containerStatus' ? 1 : 0);
      await clock.advance(1_000);
      expect(pleg.unreadablePods().size).toBe(0);
      await expect(pleg.cache.getNewerThan('p1', 0)).resolves.toMatchObject({ uid: 'p1' });
    }
    fake.failNext('containerStatus', new ServiceError(StatusCode.Internal, 'broken'));
    fake.exitContainer(containerId, 1);
    source.hint({ containerId, kind: 'stopped' });
    await clock.advance(1_100);
    expect(deaths).toHaveLength(1);
  });

  it('polls when the runtime has no such events', async () => {
    const source: HintSource = {
      name: 'none',

      async *open() {
        await Promise.resolve();
        throw new HintsUnsupported('no such RPC');
      },
    };
    const { clock, fake, pleg } = bench(() => source);
    pleg.start();
    await clock.advance(10_000);
    expect(fake.calls.get('listPodSandbox')).toBe(11);
    expect(pleg.queue().followingHints).toBe(false);
  });

  it('counts GetContainerEvents as unsupported when it is Unimplemented', async () => {
    const source = containerEventHints({
      async *getContainerEvents() {
        await Promise.resolve();
        throw new ServiceError(StatusCode.Unimplemented, 'unknown method');
      },
    });
    const first = source.open(new AbortController().signal)[Symbol.asyncIterator]().next();
    await expect(first).rejects.toBeInstanceOf(HintsUnsupported);
  });
});

it('answers a wait for a status newer than a read in flight, without another relist', async () => {
  const source = manualHints();
  const reading = Promise.withResolvers<void>();
  let hold: Promise<void> = reading.promise;
  const { clock, fake, pleg } = bench(
    () => source,
    ({ runtime }) => ({
      podSandboxStatus: async (...request) => {
        const status = await runtime.podSandboxStatus(...request);
        await hold;
        return status;
      },
    }),
  );
  pleg.start();
  await clock.advance(10_000);
  await runPod(fake, 'p1');
  pleg.requestRelist('p1');
  await clock.advance(0);
  const waiting = pleg.cache.getNewerThan('p1', pleg.cache.mark());
  await clock.advance(0);
  hold = Promise.resolve();
  reading.resolve();
  await clock.settle();
  expect((await waiting).containers).toHaveLength(1);
});

it('converges on the state of the runtime under any faults of its events', async () => {
  const step = fc.oneof(
    fc.record({ do: fc.constant('run' as const), pod: fc.nat(3) }),
    fc.record({ do: fc.constantFrom('exit' as const, 'remove' as const, 'wait' as const), pod: fc.nat(3) }),
    fc.record({ do: fc.constant('advance' as const), ms: fc.nat(3_000) }),
    fc.record({ do: fc.constant('restart' as const), ms: fc.nat(5_000) }),
  );
  const probability = fc.constantFrom(0, 0.3, 1);
  const faults = fc.record({ drop: probability, duplicate: probability, reorder: probability, replay: probability });
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 20 }), faults, fc.nat(2_000), async (steps, lost, delayMs) => {
      const { clock, fake, pleg } = bench(({ runtime }) => containerEventHints(runtime));
      fake.setEventFaults({ ...lost, delayMs });
      const pods = new Map<string, { sandboxId: string; containerId: string }>();
      const waits: Promise<unknown>[] = [];
      pleg.start();
      for (const one of steps) {
        const uid = 'pod' in one ? `p${String(one.pod)}` : '';
        const ids = pods.get(uid);
        switch (one.do) {
          case 'run':
            if (ids === undefined) pods.set(uid, await runPod(fake, uid));
            break;
          case 'exit':
            if (ids !== undefined && isRunning(fake, ids.containerId)) fake.exitContainer(ids.containerId, 1);
            break;
          case 'remove':
            pods.delete(uid);
            if (ids !== undefined) await fake.runtime.removePodSandbox({ podSandboxId: ids.sandboxId });
            break;
          case 'wait': {
            // The answer must be at least as new as the start of the wait.
            const exists = ids !== undefined;
            const running = exists && isRunning(fake, ids.containerId);
            const answer = pleg.cache.getNewerThan(uid, pleg.cache.mark());
            if (exists && !running) {
              waits.push(
                answer.then(({ containers }) => {
                  const found = containers.find(({ id }) => id.id === ids.containerId);
                  expect(found?.state ?? 'exited').toBe('exited');
                }),
              );
            } else waits.push(answer);
            await clock.settle();
            break;
          }
          case 'advance':
            await clock.advance(one.ms);
            break;
          case 'restart':
            fake.stop();
            await clock.advance(one.ms);
            fake.start();
            break;
        }
      }
      await clock.advance(65_000);
      await Promise.allSettled(waits).then((outcomes) => {
        for (const outcome of outcomes) {
          // A wait may fail because the runtime was away, but never with a wrong answer.
          if (outcome.status === 'rejected') expect(outcome.reason).not.toHaveProperty('actual');
        }
      });
      const known = pleg
        .pods()
        .flatMap(({ uid }) => pleg.cache.get(uid).containers.map(({ id, state }) => [id.id, state]));
      const held = fake.snapshot().containers.map(({ id, state }) => [id, STATES[state]]);
      expect(Object.fromEntries(known)).toEqual(Object.fromEntries(held));
      await pleg[Symbol.asyncDispose]();
      expect(clock.pendingTimers).toBe(0);
      await fake[Symbol.asyncDispose]();
      disposables.length = 0;
    }),
    { numRuns: 100 },
  );
});

it('reads a pod on request although the lists show no change, and emits PodSync', async () => {
  const { clock, fake, pleg } = bench(manualHints);
  const { containerId } = await runPod(fake, 'p1');
  pleg.start();
  await clock.advance(10_000);
  const types: string[] = [];
  pleg.events$.subscribe(({ type }) => types.push(type));
  await fake.runtime.updateContainerResources({ containerId, linux: { cpuShares: 512n } });
  pleg.requestRelist('p1');
  await clock.advance(0);
  expect(types).toEqual([]);
  pleg.requestReinspect('p1');
  await clock.advance(0);
  expect(types).toEqual(['PodSync']);
  expect(pleg.cache.get('p1').containers[0]?.resources?.cpuRequestMillis).toBe(500);
});
