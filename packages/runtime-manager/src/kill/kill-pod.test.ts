import { seededRandom } from '@rxlet/component-base';
import { createVirtualClock } from '@rxlet/component-base/testing';
import { createFakeRuntime, createMemoryLogs, type FakeRuntime } from '@rxlet/fake-cri';
import type { Container, LifecycleHandler, Pod } from '@rxlet/kube-api';
import { testPod } from '@rxlet/pod-model/testing';
import { describe, expect, it } from 'vitest';
import { createManagerBench, type ManagerBench, type ManagerBenchParts } from '../testing/manager-bench.ts';

interface Bench extends ManagerBench {
  readonly fake: FakeRuntime;
}

function bench(ports: ManagerBenchParts['ports'] = {}): Bench {
  const clock = createVirtualClock();
  const fake = createFakeRuntime({ clock, random: seededRandom(3), logs: createMemoryLogs() });
  return { ...createManagerBench({ clock, runtime: fake.runtime, images: fake.images, ports }), fake };
}

/** Ignores the stop signal. */
const stubborn: Partial<Container> = { command: ['sh', '-c', "trap '' TERM; sleep 100000"] };

/** Starts a pod, kills it, and returns after how many seconds each container had stopped. */
async function timesOfDeath(
  b: Bench,
  pod: Pod,
  options: { gracePeriodSeconds?: number } = {},
  { orphaned = false }: { orphaned?: boolean } = {},
): Promise<Record<string, number>> {
  await b.settle(pod);
  const startMs = b.clock.now();
  const running = await b.status(pod);
  const { error } = await b.during(b.manager.killPod(orphaned ? undefined : pod, running, options));
  expect(error).toBeUndefined();
  const { containers, sandboxes } = await b.status(pod);
  expect(sandboxes.map(({ state }) => state)).toEqual(['notready']);
  const runningIds = new Set(running.containers.filter(({ state }) => state === 'running').map(({ id }) => id.id));
  const stopped = containers.filter(({ id }) => runningIds.has(id.id));
  return Object.fromEntries(
    stopped.map(({ name, finishedAtNanos }) => [name, (Number(finishedAtNanos / 1_000_000n) - startMs) / 1000]),
  );
}

describe('killPod', () => {
  it('stops all containers concurrently with the pod’s grace period', async () => {
    const b = bench();
    const pod = testPod({
      containers: [{ name: 'polite' }, { name: 'a', ...stubborn }, { name: 'b', ...stubborn }],
      spec: { terminationGracePeriodSeconds: 7 },
    });
    expect(await timesOfDeath(b, pod)).toEqual({ polite: 0, a: 7, b: 7 });
    expect(b.eventTexts()).toContain('Killing: Stopping container polite');
  });

  it('prefers an explicit grace period to that of the deletion, and that to the spec’s', async () => {
    const pod = testPod({ containers: [{ name: 'a', ...stubborn }], metadata: { deletionGracePeriodSeconds: 4 } });
    expect(await timesOfDeath(bench(), pod)).toEqual({ a: 4 });
    expect(await timesOfDeath(bench(), pod, { gracePeriodSeconds: 9 })).toEqual({ a: 9 });
  });

  it('gives every container at least two seconds', async () => {
    const pod = testPod({ containers: [{ name: 'a', ...stubborn }] });
    expect(await timesOfDeath(bench(), pod, { gracePeriodSeconds: 0 })).toEqual({ a: 2 });
  });

  it('restores the grace period when the pod’s definition is unknown', async () => {
    const pod = testPod({ containers: [{ name: 'a', ...stubborn }], spec: { terminationGracePeriodSeconds: 6 } });
    const b = bench();
    await b.settle(pod);
    const startMs = b.clock.now();
    await b.during(b.manager.killPod(undefined, await b.status(pod)));
    expect(b.clock.now() - startMs).toBe(6000);
    expect(b.events.list().at(-1)?.object).toMatchObject({ name: 'web', uid: 'uid-web' });
  });

  it('runs no preStop hook of an orphaned pod', async () => {
    const b = bench({ hooks: { postStart: () => Promise.resolve(), preStop: () => expect.unreachable() } });
    const pod = testPod({ containers: [{ name: 'a', lifecycle: sleepHook(1), ...stubborn }] });
    expect(await timesOfDeath(b, pod, { gracePeriodSeconds: 5 }, { orphaned: true })).toEqual({ a: 5 });
    expect(b.eventTexts()).not.toContain('FailedPreStopHook: PreStopHook failed');
  });

  it('stops sidecars after the others, the last one first, within the grace period of the pod', async () => {
    const slow = (seconds: number): Partial<Container> => ({
      terminationMessagePath: '',
      lifecycle: sleepHook(seconds),
    });
    const hooks = {
      postStart: () => Promise.resolve(),
      preStop: async ({ handler }: { handler: { sleep?: { seconds: number } } }) => sleeping(handler.sleep!.seconds),
    };
    const b = bench({ hooks });
    const sleeping = (seconds: number): Promise<void> =>
      new Promise((resolve) => void b.clock.setTimer(seconds * 1000, resolve));
    const pod = testPod({
      initContainers: [
        { name: 's1', restartPolicy: 'Always' },
        { name: 's2', restartPolicy: 'Always', ...stubborn },
      ],
      containers: [{ name: 'main', ...slow(5) }],
      spec: { terminationGracePeriodSeconds: 20 },
    });
    // main needs 5 s for its hook; s2 then has the 15 s that are left, and s1 its two seconds at the end.
    expect(await timesOfDeath(b, pod)).toEqual({ main: 5, s2: 20, s1: 20 });
  });

  it('waits for a preStop hook up to the grace period, and records its failure', async () => {
    const lifecycle = sleepHook(1000);
    const never = bench({ hooks: { postStart: () => Promise.resolve(), preStop: () => new Promise(() => undefined) } });
    const pod = testPod({ containers: [{ name: 'a', lifecycle }], spec: { terminationGracePeriodSeconds: 10 } });
    expect(await timesOfDeath(never, pod)).toEqual({ a: 10 });

    const broken = bench({
      hooks: { postStart: () => Promise.resolve(), preStop: () => Promise.reject(new Error('broken')) },
    });
    expect(await timesOfDeath(broken, pod)).toEqual({ a: 0 });
    expect(broken.eventTexts()).toContain('FailedPreStopHook: PreStopHook failed');
  });

  it.each<[string, LifecycleHandler, string[]]>([
    ['a command', { exec: { command: ['hang'] } }, ['FailedPreStopHook: PreStopHook failed']],
    ['a request', { httpGet: { port: 80 } }, ['FailedPreStopHook: PreStopHook failed']],
    ['a sleep', { sleep: { seconds: 1000 } }, []],
  ])('lets a preStop hook that does not end run until its container has stopped: %s', async (_, preStop, failures) => {
    const endedAt: number[] = [];
    const b = bench({
      hooks: {
        postStart: () => Promise.resolve(),
        preStop: ({ signal }) =>
          new Promise((_, reject) => {
            signal?.addEventListener('abort', () => {
              endedAt.push(b.clock.now());
              reject(signal.reason as Error);
            });
          }),
      },
    });
    const pod = testPod({
      containers: [{ name: 'a', lifecycle: { preStop }, ...stubborn }],
      spec: { terminationGracePeriodSeconds: 10 },
    });
    await b.settle(pod);
    const startMs = b.clock.now();
    await b.during(b.manager.killPod(pod, await b.status(pod)));
    expect([endedAt, b.clock.now() - startMs]).toEqual([[startMs + 12_000], 12_000]);
    expect(b.eventTexts().filter((text) => text.startsWith('FailedPreStopHook'))).toEqual(failures);
    expect(b.clock.pendingTimers).toBe(0);
  });

  it('ends a preStop hook at once when the kill is cancelled', async () => {
    const ended: unknown[] = [];
    const b = bench({
      hooks: {
        postStart: () => Promise.resolve(),
        preStop: ({ signal }) =>
          new Promise((_, reject) => {
            signal?.addEventListener('abort', () => {
              ended.push(b.clock.now());
              reject(signal.reason as Error);
            });
          }),
      },
    });
    const pod = testPod({ containers: [{ name: 'a', lifecycle: { preStop: { exec: { command: ['hang'] } } } }] });
    await b.settle(pod);
    const startMs = b.clock.now();
    const controller = new AbortController();
    const killed = b.manager.killPod(pod, await b.status(pod), { signal: controller.signal });
    await b.clock.advance(1000);
    controller.abort(new Error('a shorter grace period'));
    await expect(killed).rejects.toThrow('a shorter grace period');
    expect([ended, b.eventTexts().filter((text) => text.startsWith('FailedPreStopHook'))]).toEqual([
      [startMs + 1000],
      [],
    ]);
  });

  it('reports a hook that fails after the grace period', async () => {
    const late = Promise.withResolvers<void>();
    const b = bench({ hooks: { postStart: () => Promise.resolve(), preStop: () => late.promise } });
    const pod = testPod({
      containers: [{ name: 'a', lifecycle: { preStop: { exec: { command: ['hang'] } } } }],
      spec: { terminationGracePeriodSeconds: 3 },
    });
    expect(await timesOfDeath(b, pod)).toEqual({ a: 3 });
    expect(b.eventTexts()).not.toContain('FailedPreStopHook: PreStopHook failed');
    late.reject(new Error('broken'));
    await b.clock.settle();
    expect(b.eventTexts()).toContain('FailedPreStopHook: PreStopHook failed');
  });

  it('starts the preStop hooks of sidecars at once, and subtracts only whole seconds', async () => {
    const began: string[] = [];
    const b = bench({
      hooks: {
        postStart: () => Promise.resolve(),
        async preStop({ container }) {
          began.push(`${container} ${String(b.clock.now() % 60_000)}`);
          await new Promise<void>((resolve) => void b.clock.setTimer(1900, resolve));
        },
      },
    });
    const pod = testPod({
      initContainers: [{ name: 'side', restartPolicy: 'Always', lifecycle: sleepHook(1), ...stubborn }],
      containers: [{ name: 'main', lifecycle: sleepHook(1), ...stubborn }],
      spec: { terminationGracePeriodSeconds: 10 },
    });
    // 1.9 s of the hook count as 1 s; the sidecar waits for main for the 9 s that are left, and then has its two.
    expect(await timesOfDeath(b, pod)).toEqual({ main: 10.9, side: 12.9 });
    expect(began.sort()).toEqual(['main 0', 'side 0']);
  });

  it('runs no preStop hook with a grace period of zero', async () => {
    let hooks = 0;
    const b = bench({
      hooks: { postStart: () => Promise.resolve(), preStop: () => Promise.resolve(void hooks++) },
    });
    const pod = testPod({ containers: [{ name: 'a', lifecycle: sleepHook(1) }] });
    await timesOfDeath(b, pod, { gracePeriodSeconds: 0 });
    expect(hooks).toBe(0);
  });

  it('continues a kill after a restart of the agent', async () => {
    const pod = testPod({
      containers: [{ name: 'a', ...stubborn }, { name: 'b' }],
      spec: { terminationGracePeriodSeconds: 8 },
    });
    const b = bench();
    await b.settle(pod);
    const controller = new AbortController();
    const first = b.manager.killPod(pod, await b.status(pod), { signal: controller.signal });
    await b.clock.advance(1000);
    controller.abort(new Error('the agent stops'));
    await expect(first).rejects.toThrow('the agent stops');
    expect(await b.containers(pod)).toEqual(['a/0 running', 'b/0 exited']);
    const again = await b.during(b.manager.killPod(undefined, await b.status(pod)));
    expect(again.error).toBeUndefined();
    expect(await b.containers(pod)).toEqual(['a/0 exited', 'b/0 exited']);
  });

  it('can be cancelled during a hook without recording a failure of the hook', async () => {
    const b = bench({ hooks: { postStart: () => Promise.resolve(), preStop: () => new Promise(() => undefined) } });
    const pod = testPod({ containers: [{ name: 'a', lifecycle: sleepHook(1000) }] });
    await b.settle(pod);
    const controller = new AbortController();
    const killing = b.manager.killPod(pod, await b.status(pod), { signal: controller.signal });
    await b.clock.settle();
    controller.abort(new Error('enough'));
    await expect(killing).rejects.toThrow('enough');
    expect(b.eventTexts()).not.toContain('FailedPreStopHook: PreStopHook failed');
    expect(b.clock.pendingTimers).toBe(0);
  });

  it('counts missing containers and sandboxes as stopped', async () => {
    const b = bench();
    const pod = testPod();
    await b.settle(pod);
    const status = await b.status(pod);
    await b.fake.runtime.removePodSandbox({ podSandboxId: status.sandboxes[0]!.id });
    expect((await b.manager.killPod(pod, status)).error).toBeUndefined();
    expect((await b.manager.killPod(undefined, status)).error).toBeUndefined();
  });

  it('reports failed stops, and still stops the others', async () => {
    const b = bench();
    const pod = testPod({ containers: [{ name: 'a' }, { name: 'b' }] });
    await b.settle(pod);
    b.fake.failNext('stopContainer', new Error('stuck'));
    const { results } = await b.manager.killPod(pod, await b.status(pod));
    const kills = results.filter(({ action }) => action === 'KillContainer');
    expect(kills.map(({ reason, message }) => [reason, message])).toEqual([
      ['KillContainerError', 'stuck'],
      [undefined, undefined],
    ]);
    expect(results.at(-1)?.action).toBe('KillPodSandbox');
  });
});

describe('removePod', () => {
  it('removes containers, sandboxes, logs and files of a pod', async () => {
    const b = bench();
    const pod = testPod({ containers: [{ terminationMessagePath: '/dev/termination-log' }] });
    await b.settle(pod);
    b.files.put('/var/log/pods/default_web_uid-web/app/0.log', 'text');
    await b.manager.killPod(pod, await b.status(pod));
    const { error } = await b.manager.removePod(await b.status(pod));
    expect(error).toBeUndefined();
    expect(b.fake.snapshot()).toMatchObject({ sandboxes: [], containers: [] });
    expect(b.files.paths().filter((path) => path.includes('uid-web'))).toEqual([]);
    expect(b.files.info('/var/lib/kubelet/pods/uid-web')).toBeUndefined();
    // A second removal finds nothing.
    expect((await b.manager.removePod({ ...(await b.status(pod)) })).error).toBeUndefined();
  });

  it('does not count a sandbox as removed when a part of it is not found', async () => {
    const b = bench();
    const pod = testPod({ containers: [{ name: 'main' }] });
    await b.sync(pod);
    const status = await b.status(pod);
    await b.manager.killPod(pod, status, { gracePeriodSeconds: 0 });
    b.fake.setFailpoint('removePodSandbox', '1*error(not_found: container "1a2b" in namespace "k8s.io")');
    const { error } = await b.manager.removePod(await b.status(pod));
    expect(error?.message).toContain('1a2b');
    expect((await b.manager.removePod(await b.status(pod))).error).toBeUndefined();
    expect(b.fake.snapshot().sandboxes).toEqual([]);
  });

  it('keeps mounted volumes', async () => {
    const b = bench();
    const pod = testPod();
    await b.settle(pod);
    const data = '/var/lib/kubelet/pods/uid-web/volumes/kubernetes.io~empty-dir/v/data';
    b.files.put(data, 'precious');
    const { error } = await b.manager.removePod(await b.status(pod));
    expect(error?.failures).toMatchObject([{ action: 'RemovePodFiles', reason: 'RemovePodFilesError' }]);
    expect(b.files.text(data)).toBe('precious');
    expect(b.fake.snapshot().sandboxes).toEqual([]);
  });
});

function sleepHook(seconds: number): NonNullable<Container['lifecycle']> {
  return { preStop: { sleep: { seconds } } };
}
