import { seededRandom } from '@rxlet/component-base';
import { createVirtualClock } from '@rxlet/component-base/testing';
import { ContainerState } from '@rxlet/cri-api';
import { createFakeRuntime, discardLogs, type FakeRuntime } from '@rxlet/fake-cri';
import type { Pod } from '@rxlet/kube-api';
import { testPod } from '@rxlet/pod-model/testing';
import { describe, expect, it } from 'vitest';
import type { RuntimeManagerPorts } from '../ports.ts';
import { createManagerBench, type ManagerBench } from '../testing/manager-bench.ts';
import { FINISH_SENT_CALLS_MS, finishSentCall } from './finish-sent-call.ts';

interface Bench extends ManagerBench {
  readonly fake: FakeRuntime;
  /** Another manager on the same runtime and clock, as of an agent that was started after. */
  successor(): ManagerBench;
}

function bench(ports: Partial<RuntimeManagerPorts> = {}): Bench {
  const clock = createVirtualClock();
  const fake = createFakeRuntime({ clock, random: seededRandom(2), logs: discardLogs });
  const make = (): ManagerBench => createManagerBench({ clock, runtime: fake.runtime, images: fake.images, ports });
  return { ...make(), fake, successor: make };
}

/** Begins a sync in which a call is delayed, or hangs, and aborts it while that call is under way. */
async function abortWithin(
  b: Bench,
  pod: Pod,
  ...[rpc, failpoint, place]: Parameters<FakeRuntime['setFailpoint']>
): Promise<{ readonly outcome: Promise<unknown>; elapsedMs(): number }> {
  const controller = new AbortController();
  b.fake.setFailpoint(rpc, failpoint, place);
  const sync = b.manager.syncPod(pod, await b.status(pod), { signal: controller.signal });
  const outcome = sync.then(
    () => expect.unreachable(),
    (error: unknown) => error,
  );
  await b.clock.advance(100);
  controller.abort(new Error('enough'));
  const abortedMs = b.clock.monotonicNow();
  return { outcome, elapsedMs: () => b.clock.monotonicNow() - abortedMs };
}

const neverPod = (): Pod => testPod({ spec: { restartPolicy: 'Never' } });
const runningIds = ({ fake }: Bench): string[] =>
  fake
    .snapshot()
    .containers.filter(({ state }) => state === ContainerState.CONTAINER_RUNNING)
    .map(({ id }) => id);

describe('a sync that is aborted', () => {
  it.each([
    ['runPodSandbox', []],
    ['createContainer', ['app/0 created']],
    ['startContainer', ['app/0 running']],
  ] as const)('lets %s finish, begins nothing after it, and the next agent goes on from there', async (rpc, held) => {
    const b = bench();
    const pod = neverPod();
    const steps: unknown[] = [];
    b.manager.results$.subscribe(({ action, reason }) => steps.push([action, reason]));
    const { outcome, elapsedMs } = await abortWithin(b, pod, rpc, '1*delay(300)');
    expect(await b.during(outcome)).toMatchObject({ message: 'enough' });
    expect(elapsedMs()).toBe(200);
    expect(await b.sandboxes(pod)).toEqual(['0 ready']);
    expect(await b.containers(pod)).toEqual(held);
    expect(b.eventTexts().filter((text) => text.startsWith('Failed'))).toEqual([]);
    expect(steps).toEqual(
      [
        ['CreatePodSandbox', undefined],
        ['StartContainer', undefined],
      ].slice(0, rpc === 'startContainer' ? 2 : 1),
    );
    expect(b.clock.pendingTimers).toBe(0);

    const next = b.successor();
    await next.settle(pod);
    expect(await next.containers(pod)).toEqual(['app/0 running']);
    expect(await next.sandboxes(pod)).toEqual(['0 ready']);
  });

  it('keeps on record what a container was started with', async () => {
    const b = bench();
    const resources = { requests: { cpu: '100m' } };
    const { outcome } = await abortWithin(b, testPod({ containers: [{ resources }] }), 'startContainer', 'delay(300)');
    await b.during(outcome);
    await b.manager[Symbol.asyncDispose]();
    const [, state] = [...b.files.files].find(([path]) => path.endsWith('/actuated_pods_state')) ?? [];
    expect(state).toContain('100m');
    expect(b.eventTexts()).toContain('Started: Container started');
  });

  it('starts no other container', async () => {
    const b = bench();
    const pod = testPod({ containers: [{ name: 'a' }, { name: 'b' }] });
    const { outcome } = await abortWithin(b, pod, 'startContainer', '1*delay(300)');
    await b.during(outcome);
    expect(await b.containers(pod)).toEqual(['a/0 running']);
  });

  it('runs no hook of a container that has started', async () => {
    let ran = 0;
    const hooks = { postStart: async () => void ran++, preStop: () => Promise.resolve() };
    const b = bench({ hooks });
    const pod = testPod({ containers: [{ lifecycle: { postStart: { exec: { command: ['x'] } } } }] });
    const { outcome } = await abortWithin(b, pod, 'startContainer', '1*delay(300)');
    await b.during(outcome);
    expect([ran, await b.containers(pod)]).toEqual([0, ['app/0 running']]);
  });

  it.each([
    ['runPodSandbox', 0, []],
    ['createContainer', 1, []],
    ['startContainer', 1, ['app/0 created']],
  ] as const)('gives up on %s when it hangs', async (rpc, sandboxes, held) => {
    const b = bench();
    const pod = neverPod();
    const { outcome, elapsedMs } = await abortWithin(b, pod, rpc, '1*hang');
    expect(await b.during(outcome)).toMatchObject({ message: 'enough' });
    expect(elapsedMs()).toBe(FINISH_SENT_CALLS_MS);
    expect(b.clock.pendingTimers).toBe(0);
    expect(await b.sandboxes(pod)).toHaveLength(sandboxes);
    expect(await b.containers(pod)).toEqual(held);
    await b.successor().settle(pod);
    expect(runningIds(b)).toHaveLength(1);
  });

  it('keeps the files of a container that the runtime may have made although it did not say so', async () => {
    const b = bench();
    const pod = testPod({ containers: [{ terminationMessagePath: '/dev/termination-log' }] });
    const { outcome } = await abortWithin(b, pod, 'createContainer', '1*hang', 'after');
    await b.during(outcome);
    const [container] = b.fake.snapshot().containers;
    const mounted = container?.mounts.find(({ containerPath }) => containerPath === '/dev/termination-log');
    expect(b.files.files.has(mounted!.hostPath)).toBe(true);
  });

  it('takes no more than its time, whatever hangs, to let the manager go', async () => {
    const b = bench();
    const pod = testPod();
    b.fake.setFailpoint('startContainer', 'hang');
    const sync = b.manager.syncPod(pod, await b.status(pod)).catch((error: unknown) => error);
    await b.clock.settle();
    const beganMs = b.clock.monotonicNow();
    await b.during(b.manager[Symbol.asyncDispose]());
    expect(b.clock.monotonicNow() - beganMs).toBe(FINISH_SENT_CALLS_MS);
    expect(await sync).toMatchObject({ message: 'stopped' });
  });

  it.each([
    ['in some time', '1*delay(300)', 'before', 200],
    ['unseen', '1*hang', 'after', FINISH_SENT_CALLS_MS],
    ['never', '1*hang', 'before', FINISH_SENT_CALLS_MS],
  ] as const)('lets the pod be stopped after its container started %s', async (_, failpoint, place, waitMs) => {
    const b = bench();
    const pod = testPod({ spec: { terminationGracePeriodSeconds: 5 } });
    const { outcome, elapsedMs } = await abortWithin(b, pod, 'startContainer', failpoint, place);
    await b.during(outcome);
    expect(elapsedMs()).toBe(waitMs);
    const { error } = await b.during(b.manager.killPod(pod, await b.status(pod)));
    expect(error).toBeUndefined();
    await b.clock.advance(60_000);
    expect(runningIds(b)).toEqual([]);
    expect(await b.sandboxes(pod)).toEqual(['0 notready']);
  });
});

describe('finishSentCall', () => {
  it('makes no call for a signal that is aborted already', async () => {
    const clock = createVirtualClock();
    const call = (): never => expect.unreachable();
    await expect(finishSentCall(clock, AbortSignal.abort(new Error('late')), call)).rejects.toThrow('late');
  });

  it('leaves nothing behind at the signal or the clock', async () => {
    const clock = createVirtualClock();
    const controller = new AbortController();
    expect(await finishSentCall(clock, controller.signal, () => Promise.resolve(1))).toBe(1);
    controller.abort();
    expect(clock.pendingTimers).toBe(0);
  });
});
