import { seededRandom } from '@rxlet/component-base';
import { createVirtualClock } from '@rxlet/component-base/testing';
import { type RuntimeService, ServiceError, StatusCode } from '@rxlet/cri-api';
import { createFakeRuntime, discardLogs, type FakeRuntime } from '@rxlet/fake-cri';
import { PodLabel } from '@rxlet/pod-model';
import { afterEach, describe, expect, it } from 'vitest';
import { createPleg, type Pleg, type PlegOptions } from './create-pleg.ts';
import type { PodLifecycleEvent } from './pod-lifecycle-event.ts';
import { runContainer, runPod } from './test-support/run-pod.ts';

const disposables: AsyncDisposable[] = [];
afterEach(async () => {
  for (const disposable of disposables.splice(0).reverse()) await disposable[Symbol.asyncDispose]();
});

interface Setup {
  readonly clock: ReturnType<typeof createVirtualClock>;
  readonly fake: FakeRuntime;
  readonly pleg: Pleg;
  readonly events: PodLifecycleEvent[];
}

function setup(
  intercept: (runtime: RuntimeService) => Partial<RuntimeService> = () => ({}),
  options: Partial<PlegOptions> = {},
): Setup {
  const clock = createVirtualClock();
  const fake = createFakeRuntime({ clock, random: seededRandom(1), logs: discardLogs });
  const pleg = createPleg(
    { runtime: { ...fake.runtime, ...intercept(fake.runtime) }, clock },
    { runtimeName: 'fake', ...options },
  );
  const events: PodLifecycleEvent[] = [];
  pleg.events$.subscribe((event) => events.push(event));
  disposables.push(fake, pleg);
  return { clock, fake, pleg, events };
}

/** Creates a generator that is reading that many pods whose reads hang. */
async function hungPods(count: number): Promise<Setup> {
  const made = setup((runtime) => ({
    podSandboxStatus: async (request, options) => {
      const status = await runtime.podSandboxStatus(request, options);
      return status.status?.metadata?.uid.startsWith('hung') ? new Promise(() => undefined) : status;
    },
  }));
  for (let index = 0; index < count; index += 1) await runPod(made.fake, `hung${String(index)}`);
  made.pleg.start();
  await made.clock.advance(2_000);
  return made;
}

const summary = (events: readonly PodLifecycleEvent[]): string[] =>
  events.map(
    (event) =>
      `${event.podUid} ${event.type}${event.type !== 'PodSync' && event.exitCode !== undefined ? ` ${String(event.exitCode)}` : ''}`,
  );

describe('createPleg', () => {
  it('does nothing before it is started', async () => {
    const { clock, fake } = setup();
    await clock.advance(5_000);
    expect(fake.calls.size).toBe(0);
    expect(clock.pendingTimers).toBe(0);
  });

  it('does not count a status as newer than the listing that it is based on', async () => {
    const gate = Promise.withResolvers<void>();
    let held = false;
    const { clock, fake, pleg } = setup(({ listPodSandbox }) => ({
      async listPodSandbox(request, options) {
        if (held) await gate.promise;
        return listPodSandbox(request, options);
      },
    }));
    pleg.start();
    await clock.settle();
    held = true;
    // Lists no container yet, but the sandbox that is created meanwhile.
    pleg.requestRelist('p1');
    await clock.advance(0);
    const { containerId } = await runPod(fake, 'p1');
    const status = pleg.cache.getNewerThan('p1', pleg.cache.mark());
    gate.resolve();
    await clock.advance(0);
    expect((await status).containers.map(({ id }) => id.id)).toEqual([containerId]);
  });

  it('emits starts and deaths, with the exit code, after the cache has the status', async () => {
    const { clock, fake, pleg, events } = setup();
    const statesSeen: (string | undefined)[] = [];
    pleg.events$.subscribe((event) => statesSeen.push(pleg.cache.get(event.podUid).containers[0]?.state));
    const { containerId } = await runPod(fake, 'p1');
    pleg.start();
    await clock.settle();
    expect(summary(events)).toEqual(['p1 ContainerStarted', 'p1 ContainerStarted']);
    fake.exitContainer(containerId, 3);
    await clock.advance(1_000);
    expect(summary(events).slice(2)).toEqual(['p1 ContainerDied 3']);
    expect(statesSeen).toEqual(['running', 'running', 'exited']);
    expect(pleg.cache.get('p1').containers[0]?.exitCode).toBe(3);
  });

  it('costs two lists a second at rest', async () => {
    const { clock, fake, pleg } = setup();
    for (let index = 0; index < 20; index += 1) await runPod(fake, `p${String(index)}`);
    pleg.start();
    await clock.settle();
    const before = new Map(fake.calls);
    await clock.advance(10_000);
    const added = [...fake.calls]
      .map(([rpc, count]) => [rpc, count - (before.get(rpc) ?? 0)] as const)
      .filter(([, count]) => count > 0);
    expect(Object.fromEntries(added)).toEqual({ listPodSandbox: 10, listContainers: 10 });
  });

  it('reports a pod that cannot be read, reads the others, and retries at the next relist', async () => {
    let broken = true;
    const { clock, fake, pleg, events } = setup((runtime) => ({
      containerStatus: async (request, options) => {
        const status = await runtime.containerStatus(request, options);
        if (broken && status.status?.labels[PodLabel.podUid] === 'broken')
          throw new ServiceError(StatusCode.Internal, 'broken');
        return status;
      },
    }));
    await runPod(fake, 'broken');
    await runPod(fake, 'well');
    pleg.start();
    await clock.advance(3_000);
    expect(pleg.problem()).toBeUndefined();
    expect([...pleg.unreadablePods()].map(([uid, error]) => [uid, error.message])).toEqual([['broken', 'broken']]);
    expect(new Set(events.map(({ podUid }) => podUid))).toEqual(new Set(['well']));
    await expect(pleg.cache.getNewerThan('broken', 0)).rejects.toThrow('broken');
    broken = false;
    await clock.advance(1_000);
    expect(pleg.unreadablePods().size).toBe(0);
    expect(summary(events).filter((text) => text.startsWith('broken'))).toEqual([
      'broken ContainerStarted',
      'broken ContainerStarted',
    ]);
  });

  it('reads a pod again that could not be read, when the container that failed is gone', async () => {
    let broken = false;
    const { clock, fake, pleg, events } = setup((runtime) => ({
      containerStatus: (request, options) =>
        broken ? Promise.reject(new Error('broken')) : runtime.containerStatus(request, options),
    }));
    const { sandboxId, containerId: first } = await runPod(fake, 'p1');
    fake.loseContainer(first);
    pleg.start();
    await clock.advance(1_000);
    broken = true;
    const containerId = await runContainer(fake, 'p1', sandboxId, 'main');
    await clock.advance(1_000);
    expect(pleg.unreadablePods().has('p1')).toBe(true);
    fake.loseContainer(containerId);
    broken = false;
    const changedAt = pleg.cache.mark();
    await clock.advance(1_000);
    expect(pleg.unreadablePods().size).toBe(0);
    expect((await pleg.cache.getNewerThan('p1', changedAt)).containers).toEqual([]);
    // The pod needs a sync, although its lists are those of the last successful read.
    expect(summary(events).at(-1)).toBe('p1 PodSync');
  });

  it('reads the other pods while the reading of one hangs', async () => {
    const { clock, fake, pleg, events } = setup(
      (runtime) => ({
        podSandboxStatus: async (request, options) => {
          const status = await runtime.podSandboxStatus(request, options);
          return status.status?.metadata?.uid === 'hung' ? new Promise(() => undefined) : status;
        },
      }),
      { readTimeoutMs: 120_000 },
    );
    await runPod(fake, 'hung');
    pleg.start();
    await clock.advance(2_000);
    const { containerId } = await runPod(fake, 'quick');
    await clock.advance(1_000);
    fake.exitContainer(containerId, 1);
    await clock.advance(1_000);
    expect(summary(events)).toEqual(['quick ContainerStarted', 'quick ContainerStarted', 'quick ContainerDied 1']);
    await clock.advance(120_000);
    expect(pleg.unreadablePods().get('hung')?.message).toContain('no answer within 120000 ms');
  });

  it('reads the other pods while the reading of many hangs', async () => {
    const { clock, fake, events } = await hungPods(25);
    const { containerId } = await runPod(fake, 'quick');
    await clock.advance(5_000);
    fake.exitContainer(containerId, 1);
    await clock.advance(2_000);
    expect(summary(events)).toEqual(['quick ContainerStarted', 'quick ContainerStarted', 'quick ContainerDied 1']);
  });

  it('is unhealthy before the first listing, and when none has succeeded for three minutes', async () => {
    let broken = true;
    const { clock, pleg } = setup((runtime) => ({
      listPodSandbox: (request, options) =>
        broken
          ? Promise.reject(new ServiceError(StatusCode.Unavailable, 'runtime is away'))
          : runtime.listPodSandbox(request, options),
    }));
    expect(pleg.problem()).toBe('pleg has yet to be successful');
    pleg.start();
    await clock.advance(2_000);
    expect(pleg.problem()).toBe('runtime is away');
    broken = false;
    await clock.advance(1_000);
    expect(pleg.problem()).toBeUndefined();
    broken = true;
    await clock.advance(178_000);
    expect(pleg.problem()).toBeUndefined();
    await clock.advance(3_000);
    expect(pleg.problem()).toBe('pleg was last seen active 181s ago; threshold is 180s: runtime is away');
  });

  it('relists one pod on request without waiting for the period', async () => {
    const { clock, fake, pleg, events } = setup();
    pleg.start();
    await clock.advance(10);
    await runPod(fake, 'p1');
    const lists = fake.calls.get('listPodSandbox') ?? 0;
    pleg.requestRelist('p1');
    pleg.requestRelist('p1');
    await clock.advance(0);
    expect(summary(events)).toEqual(['p1 ContainerStarted', 'p1 ContainerStarted']);
    expect(fake.calls.get('listPodSandbox')).toBe(lists + 1);
  });

  it('answers a wait for a newer status at once, by a relist of that pod', async () => {
    const { clock, fake, pleg } = setup();
    await runPod(fake, 'p1');
    pleg.start();
    await clock.settle();
    const { containerId } = await runPod(fake, 'p2');
    const mark = pleg.cache.mark();
    const status = pleg.cache.getNewerThan('p2', mark);
    await clock.advance(0);
    expect((await status).containers[0]?.id).toEqual({ type: 'fake', id: containerId });
    const stillGood = pleg.cache.getNewerThan('p1', pleg.cache.mark());
    await clock.advance(0);
    expect((await stillGood).containers).toHaveLength(1);
  });

  it('removes a pod that is gone, and answers waits for it', async () => {
    const { clock, fake, pleg, events } = setup();
    const { sandboxId } = await runPod(fake, 'p1');
    pleg.start();
    await clock.settle();
    await fake.runtime.removePodSandbox({ podSandboxId: sandboxId });
    const gone = pleg.cache.getNewerThan('p1', pleg.cache.mark());
    await clock.advance(1_000);
    expect(await gone).toMatchObject({ uid: 'p1', sandboxes: [], containers: [] });
    expect(summary(events).slice(2).sort()).toEqual([
      'p1 ContainerDied',
      'p1 ContainerDied',
      'p1 ContainerRemoved',
      'p1 ContainerRemoved',
    ]);
    expect(pleg.pods()).toEqual([]);
  });

  it('keeps the IPs of a pod whose sandbox has ended', async () => {
    const { clock, fake, pleg } = setup();
    const { sandboxId } = await runPod(fake, 'p1');
    pleg.start();
    await clock.settle();
    const { ips } = pleg.cache.get('p1');
    expect(ips).toHaveLength(1);
    await fake.runtime.stopPodSandbox({ podSandboxId: sandboxId });
    await clock.advance(1_000);
    expect(pleg.cache.get('p1')).toMatchObject({ ips, sandboxes: [{ state: 'notready' }] });
  });

  it('leaves nothing behind and rejects pending and later waits', async () => {
    const { clock, pleg } = setup();
    pleg.start();
    await clock.advance(500);
    const waiting = pleg.cache.getNewerThan('p1', pleg.cache.mark());
    const outcome = expect(waiting).rejects.toThrow();
    let completed = false;
    pleg.events$.subscribe({ complete: () => (completed = true) });
    await pleg[Symbol.asyncDispose]();
    await outcome;
    await expect(pleg.cache.getNewerThan('p1', pleg.cache.mark())).rejects.toThrow('has stopped');
    expect(completed).toBe(true);
    expect(clock.pendingTimers).toBe(0);
  });
});
