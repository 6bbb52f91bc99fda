import { ContainerState, PodSandboxState } from '@rxlet/cri-api';
import { afterEach, describe, expect, it } from 'vitest';
import { manifestPod } from '@rxlet/pod-model/testing';
import { createTestNode, type TestNode } from '../test-node.ts';

const benches: TestNode[] = [];
afterEach(async () => {
  for (const made of benches.splice(0)) {
    await made[Symbol.asyncDispose]();
    expect(made.clock.pendingTimers).toBe(0);
  }
});

const container = (name: string, command = ['serve']) => ({ name, image: `registry.example/${name}:1`, command });

/** A pod that needs every repeatable step: sidecar, init container, containers. */
const fullPod = () =>
  manifestPod('full', {
    terminationGracePeriodSeconds: 2,
    initContainers: [{ ...container('proxy'), restartPolicy: 'Always' }, container('setup', ['sh', '-c', 'exit 0'])],
    containers: [container('app'), container('web')],
  });
const ALL_RUNNING = ['full/app', 'full/proxy', 'full/web'];

/** `container reason: message` of each waiting container that the pod's status showed, once each. */
type Shown = ReadonlySet<string>;

async function begin(prepare?: (made: TestNode) => void): Promise<{ made: TestNode; shown: Shown }> {
  const made = createTestNode();
  benches.push(made);
  prepare?.(made);
  await made.start();
  const shown = new Set<string>();
  made.agent().pods.changes$.subscribe(({ pod: { status } }) => {
    for (const { name, state } of [...(status?.initContainerStatuses ?? []), ...(status?.containerStatuses ?? [])]) {
      const { reason = '', message } = state?.waiting ?? {};
      if (message !== undefined) shown.add(`${name} ${reason}: ${message}`);
    }
  });
  await made.clock.advance(100);
  return { made, shown };
}

const runsWell = (made: TestNode): boolean => {
  const conditions = made.agent().pods.list()[0]?.status?.conditions ?? [];
  return (
    made.running().join() === ALL_RUNNING.join() &&
    conditions.some(({ type, status }) => type === 'Ready' && status === 'True')
  );
};

/** Asserts that the pod runs, each container exactly once and in one sandbox, and keeps running. */
async function comesToRun(made: TestNode): Promise<void> {
  made.desire(fullPod());
  await made.clock.runUntil(() => runsWell(made));
  const ids = (): string[] =>
    made.fake
      .snapshot()
      .containers.filter(({ state }) => state === ContainerState.CONTAINER_RUNNING)
      .map(({ id }) => id);
  const before = ids();
  await made.clock.advance(120_000);
  expect(ids()).toEqual(before);
  expect(made.running()).toEqual(ALL_RUNNING);
  const ready = made.fake.snapshot().sandboxes.filter(({ state }) => state === PodSandboxState.SANDBOX_READY);
  expect(ready).toHaveLength(1);
}

async function comesToItsEnd(made: TestNode): Promise<void> {
  made.desire();
  const isEmpty = (): boolean =>
    made.fake.snapshot().sandboxes.length + made.fake.snapshot().containers.length + made.agent().pods.list().length ===
    0;
  await made.clock.runUntil(isEmpty, 900_000);
}

const beginning = [
  'runPodSandbox',
  'podSandboxStatus',
  'listPodSandbox',
  'pullImage',
  'imageStatus',
  'createContainer',
  'startContainer',
  'listContainers',
  'containerStatus',
] as const;
const ending = ['stopContainer', 'stopPodSandbox', 'removeContainer', 'removePodSandbox'] as const;
const changing = ['runPodSandbox', 'createContainer', 'startContainer', ...ending] as const;
type Step = (typeof beginning)[number] | (typeof ending)[number];

/** Returns which calls of an RPC, counted from the start of the agent, belong to the pod's life without faults. */
async function callsOf(step: Step): Promise<number[]> {
  const { made } = await begin();
  const count = (): number => made.fake.calls.get(step) ?? 0;
  const first = count();
  made.desire(fullPod());
  await made.clock.runUntil(() => runsWell(made));
  let last = count();
  if ((ending as readonly Step[]).includes(step)) {
    await made.clock.advance(120_000);
    await comesToItsEnd(made);
    last = count();
  }
  expect(last).toBeGreaterThan(first);
  return Array.from({ length: last - first }, (_, index) => first + index);
}

/** Makes one call fail, by its number from the start of the agent, and runs the pod from start to end. */
async function liveWithFault(
  step: Step,
  call: number,
  failpoint: string,
  place: 'before' | 'after' = 'before',
): Promise<{ made: TestNode; shown: Shown }> {
  const { made, shown } = await begin(({ fake }) =>
    fake.setFailpoint(step, call === 0 ? failpoint : `${String(call)}*off->${failpoint}`, place),
  );
  await comesToRun(made);
  await comesToItsEnd(made);
  expect(made.fake.failpoints(), `call ${String(call)} was not made`).toEqual([]);
  return { made, shown };
}

/** Waiting message that a step rejected with `injected` shows, by reason. Containers show nothing of other steps. */
const eventsOfStep: Partial<Record<Step, Readonly<Record<string, string | RegExp>>>> = {
  pullImage: {
    ErrImagePull: 'rpc error: code = Internal desc = injected',
    ImagePullBackOff:
      /^Back-off pulling image "registry\.example\/\w+:1": ErrImagePull: rpc error: code = Internal desc = injected$/,
  },
  imageStatus: {
    ImageInspectError:
      /^Failed to inspect image "registry\.example\/\w+:1": rpc error: code = Internal desc = injected$/,
    CreateContainerConfigError: 'injected',
  },
  createContainer: { CreateContainerError: 'injected' },
  startContainer: { RunContainerError: 'injected' },
};

describe('every step of a pod, failed once', () => {
  it.each([...beginning, ...ending])(
    '%s: rejected, and repaired by the next sync',
    async (step) => {
      const reasons = new Set<string>();
      const expected = eventsOfStep[step] ?? {};
      for (const call of await callsOf(step)) {
        const { made, shown } = await liveWithFault(step, call, '1*error(internal: injected)');
        for (const text of shown) {
          const [, reason = '', message] = /^\w+ (\w+): (.*)$/.exec(text) ?? [];
          reasons.add(reason);
          if (expected[reason] instanceof RegExp) expect(message).toMatch(expected[reason]);
          else expect(message, `${step} ${String(call)}: ${text}`).toBe(expected[reason]);
        }
        if (step !== 'runPodSandbox') continue;
        const texts = made
          .agent()
          .events.list()
          .map(({ reason, message }) => `${reason}: ${message}`);
        expect(texts).toContain(
          'FailedCreatePodSandBox: Failed to create pod sandbox: rpc error: code = Internal desc = injected',
        );
      }
      expect([...reasons].sort()).toEqual(Object.keys(expected).sort());
    },
    60_000,
  );

  it.each(changing)(
    '%s: done, with its reply lost or too late: has no visible effect',
    async (step) => {
      for (const call of await callsOf(step)) {
        for (const [failpoint, place] of [
          ['1*lost', 'before'],
          ['1*hang', 'after'],
        ] as const) {
          const { shown, made } = await liveWithFault(step, call, failpoint, place);
          expect([...shown], `${step} ${String(call)} ${failpoint}`).toEqual([]);
          for (const name of ['proxy', 'setup', 'app', 'web']) {
            expect(made.startsMs('full', name), `${step} ${String(call)} ${failpoint}: ${name}`).toHaveLength(1);
          }
        }
      }
    },
    60_000,
  );

  it.each(changing)(
    '%s: neither done nor answered: retried after the deadline',
    async (step) => {
      const reasons = new Set<string>();
      for (const call of await callsOf(step)) {
        const { shown } = await liveWithFault(step, call, '1*hang');
        for (const text of shown) reasons.add(text.split(/[ :]/)[1]!);
      }
      expect([...reasons]).toEqual(Object.keys(eventsOfStep[step] ?? {}));
    },
    60_000,
  );

  it('an ephemeral container is retried until it was created, and never after', async () => {
    for (const [step, reason] of [
      ['pullImage', undefined],
      ['createContainer', undefined],
      ['startContainer', 'RunContainerError'],
    ] as const) {
      const { made } = await begin();
      made.desire(manifestPod('full'));
      await made.clock.runUntil(() => made.running().length === 1);
      const [app] = made.instances('full');
      made.fake.setFailpoint(step, '1*error(internal: injected)');
      made.desire(manifestPod('full', { ephemeralContainers: [container('debug')] }));
      await made.clock.advance(120_000);
      expect(made.fake.failpoints()).toEqual([]);
      const [pod] = made.agent().pods.list();
      expect(pod?.status?.ephemeralContainerStatuses?.[0]?.state?.waiting?.reason, step).toBe(reason);
      expect(made.running(), step).toEqual(reason === undefined ? ['full/app', 'full/debug'] : ['full/app']);
      expect(made.instances('full').map(({ id }) => id)).toEqual([app!.id]);
    }
  });
});
