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
  /** Begins to stop the agent. */
  stopAgent(): void;
  /** Another manager on the same runtime and clock, as of an agent that was started after. */
  successor(): ManagerBench;
}

function bench(ports: Partial<RuntimeManagerPorts> = {}): Bench {
  const clock = createVirtualClock();
  const fake = createFakeRuntime({ clock, random: seededRandom(2), logs: discardLogs });
  const make = (stopping?: AbortSignal): ManagerBench =>
    createManagerBench({ clock, runtime: fake.runtime, images: fake.images, ports: { ...ports, stopping } });
  const agent = new AbortController();
  return {
    ...make(agent.signal),
    fake,
    stopAgent: () => agent.abort(new Error('enough')),
    successor: () => make(),
  };
}

/** Begins a sync in which a call is delayed, or hangs, and ends its pod, or the agent, while that call is in flight. */
async function abortWithin(
  b: Bench,
  pod: Pod,
  ending: 'agent' | 'pod',
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
  if (ending === 'agent') b.stopAgent();
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
  ] as const)('completes %s, begins nothing after it, and the next agent continues', async (rpc, held) => {
    const b = bench();
    const pod = neverPod();
    const { outcome, elapsedMs } = await abortWithin(b, pod, 'agent', rpc, '1*delay(300)');
    expect(await b.during(outcome)).toMatchObject({ message: 'enough' });
    expect(elapsedMs()).toBe(200);
    expect(await b.sandboxes(pod)).toEqual(['0 ready']);
    expect(await b.containers(pod)).toEqual(held);
    expect(b.eventTexts().filter((text) => text.startsWith('Failed'))).toEqual([]);
    expect(b.clock.pendingTimers).toBe(0);

    const next = b.successor();
    await next.settle(pod);
    expect(await next.containers(pod)).toEqual(['app/0 running']);
    expect(await next.sandboxes(pod)).toEqual(['0 ready']);
  });

  it('keeps the record of a started container’s resources', async () => {
    const b = bench();
    const resources = { requests: { cpu: '100m' } };
    const { outcome } = await abortWithin(
      b,
      testPod({ containers: [{ resources }] }),
      'agent',
      'startContainer',
      'delay(300)',
    );
    await b.during(outcome);
    await b.manager[Symbol.asyncDispose]();
    expect(b.files.text('/var/lib/kubelet/actuated_pods_state')).toContain('100m');
    expect(b.eventTexts()).toContain('Started: Container started');
  });

  it('starts no other container', async () => {
    const b = bench();
    const pod = testPod({ containers: [{ name: 'a' }, { name: 'b' }] });
    const { outcome } = await abortWithin(b, pod, 'pod', 'startContainer', '1*delay(300)');
    await b.during(outcome);
    expect(await b.containers(pod)).toEqual(['a/0 running']);
  });

  it('runs no hook of a container that has started', async () => {
    let ran = 0;
    const hooks = { postStart: async () => void ran++, preStop: () => Promise.resolve() };
    const b = bench({ hooks });
    const pod = testPod({ containers: [{ lifecycle: { postStart: { exec: { command: ['x'] } } } }] });
    const { outcome } = await abortWithin(b, pod, 'pod', 'startContainer', '1*delay(300)');
    await b.during(outcome);
    expect([ran, await b.containers(pod)]).toEqual([0, ['app/0 running']]);
  });

  it.each([
    ['runPodSandbox', 0, []],
    ['createContainer', 1, []],
    ['startContainer', 1, ['app/0 created']],
  ] as const)('cancels a hanging %s when the agent stops', async (rpc, sandboxes, held) => {
    const b = bench();
    const pod = neverPod();
    const { outcome, elapsedMs } = await abortWithin(b, pod, 'agent', rpc, '1*hang');
    expect(await b.during(outcome)).toMatchObject({ message: 'enough' });
    expect(elapsedMs()).toBe(FINISH_SENT_CALLS_MS);
    expect(b.clock.pendingTimers).toBe(0);
    expect(await b.sandboxes(pod)).toHaveLength(sandboxes);
    expect(await b.containers(pod)).toEqual(held);
    await b.successor().settle(pod);
    expect(runningIds(b)).toHaveLength(1);
  });

  it('keeps the files of a container that the runtime may have created', async () => {
    const b = bench();
    const pod = testPod({ containers: [{ terminationMessagePath: '/dev/termination-log' }] });
    const { outcome } = await abortWithin(b, pod, 'agent', 'createContainer', '1*hang', 'after');
    await b.during(outcome);
    const [container] = b.fake.snapshot().containers;
    const mounted = container?.mounts.find(({ containerPath }) => containerPath === '/dev/termination-log');
    expect(b.files.info(mounted!.hostPath)).toBeDefined();
  });

  it('ends within its timeout on disposal, whatever call hangs', async () => {
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
    ['runPodSandbox', ['0 ready'], []],
    ['createContainer', ['0 ready'], ['app/0 created']],
    ['startContainer', ['0 ready'], ['app/0 running']],
  ] as const)('lets %s take its time when only its pod terminates', async (rpc, sandboxes, containers) => {
    const b = bench();
    const pod = testPod();
    const { outcome, elapsedMs } = await abortWithin(b, pod, 'pod', rpc, '1*delay(90100)');
    expect(await b.during(outcome)).toMatchObject({ message: 'enough' });
    expect(elapsedMs()).toBe(90_000);
    expect([await b.sandboxes(pod), await b.containers(pod)]).toEqual([sandboxes, containers]);
    expect(b.eventTexts().filter((text) => text.startsWith('Failed'))).toEqual([]);

    const { error } = await b.during(b.manager.killPod(pod, await b.status(pod)));
    expect(error).toBeUndefined();
    expect([runningIds(b), await b.sandboxes(pod)]).toEqual([[], ['0 notready']]);
  });

  it('times out when the agent stops, also after its pod was terminated', async () => {
    const b = bench();
    const { outcome } = await abortWithin(b, testPod(), 'pod', 'runPodSandbox', '1*hang');
    await b.clock.advance(60_000);
    b.stopAgent();
    const stoppedMs = b.clock.monotonicNow();
    await b.during(outcome);
    expect(b.clock.monotonicNow() - stoppedMs).toBe(FINISH_SENT_CALLS_MS);
  });

  it('completes the stop of a container, so that its preStop hook runs once', async () => {
    let hooks = 0;
    const sleeping = (): Promise<void> => new Promise((resolve) => void b.clock.setTimer(5000, resolve));
    const preStop = (): Promise<void> => (hooks++, sleeping());
    const b: Bench = bench({ hooks: { postStart: () => Promise.resolve(), preStop } });
    const before = testPod({ containers: [{ lifecycle: { preStop: { sleep: { seconds: 5 } } } }] });
    await b.settle(before);
    const changed = {
      ...before,
      spec: { ...before.spec, containers: [{ ...before.spec!.containers[0]!, image: 'b' }] },
    };

    const controller = new AbortController();
    const sync = b.manager.syncPod(changed, await b.status(changed), { signal: controller.signal });
    const outcome = sync.catch((error: unknown) => error);
    await b.clock.advance(1000);
    controller.abort(new Error('enough'));
    expect(await b.during(outcome)).toMatchObject({ message: 'enough' });
    expect(await b.containers(changed)).toEqual(['app/0 exited']);
    await b.during(b.manager.killPod(changed, await b.status(changed)));
    expect(hooks).toBe(1);
  });
});

describe('finishSentCall', () => {
  it('makes no call with an aborted signal', async () => {
    const context = { clock: createVirtualClock(), stopping: new AbortController().signal };
    const call = (): never => expect.unreachable();
    await expect(finishSentCall(context, AbortSignal.abort(new Error('late')), call)).rejects.toThrow('late');
  });

  it('makes no call while the agent stops', async () => {
    const context = { clock: createVirtualClock(), stopping: AbortSignal.abort(new Error('late')) };
    const call = (): never => expect.unreachable();
    await expect(finishSentCall(context, undefined, call)).rejects.toThrow('late');
  });

  it('leaves no listener or timer behind', async () => {
    const clock = createVirtualClock();
    const agent = new AbortController();
    const context = { clock, stopping: agent.signal };
    expect(await finishSentCall(context, undefined, () => Promise.resolve(1))).toBe(1);
    agent.abort();
    expect(clock.pendingTimers).toBe(0);
  });
});
