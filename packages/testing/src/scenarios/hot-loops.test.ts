import { ServiceError, StatusCode } from '@rxlet/cri-api';
import type { PodSpec } from '@rxlet/kube-api';
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

const injected = (): Error => new ServiceError(StatusCode.Internal, 'injected');

type Wrap<K extends 'runPodSandbox' | 'startContainer'> = (
  made: TestNode,
  call: TestNode['fake']['runtime'][K],
) => TestNode['fake']['runtime'][K];

const onRunPodSandbox =
  (wrap: Wrap<'runPodSandbox'>) =>
  (made: TestNode): void => {
    made.fake.runtime.runPodSandbox = wrap(made, made.fake.runtime.runPodSandbox);
  };
const onStartContainer =
  (wrap: Wrap<'startContainer'>) =>
  (made: TestNode): void => {
    made.fake.runtime.startContainer = wrap(made, made.fake.runtime.startContainer);
  };
const isThere = ({ fake }: TestNode, sandboxId: string): boolean =>
  fake.snapshot().sandboxes.some(({ id }) => id === sandboxId);

/** Faults that change something in the runtime with each attempt, which the runtime reports at once. */
const faults: readonly {
  readonly name: string;
  readonly spec?: Partial<PodSpec>;
  readonly prepare?: (made: TestNode) => void;
}[] = [
  {
    name: 'sandboxes without a network, which are left behind',
    prepare: onRunPodSandbox(({ fake }, run) => async (request, options) => {
      const { podSandboxId } = await run(request, options);
      fake.failSandbox(podSandboxId);
      throw injected();
    }),
  },
  {
    name: 'sandboxes that die as soon as they are created',
    prepare: onRunPodSandbox((made, run) => async (request, options) => {
      const answer = await run(request, options);
      made.clock.setTimer(5, () => {
        if (isThere(made, answer.podSandboxId)) made.fake.failSandbox(answer.podSandboxId);
      });
      return answer;
    }),
  },
  {
    name: 'sandboxes that vanish as soon as they are created',
    prepare: onRunPodSandbox(({ fake, clock }, run) => async (request, options) => {
      const answer = await run(request, options);
      clock.setTimer(5, () => {
        const { podSandboxId } = answer;
        void fake.runtime.stopPodSandbox({ podSandboxId }).then(() => fake.runtime.removePodSandbox({ podSandboxId }));
      });
      return answer;
    }),
  },
  {
    name: 'containers that exit instead of starting',
    prepare: onStartContainer(({ fake }, start) => async (request, options) => {
      await start(request, options);
      fake.exitContainer(request.containerId ?? '', 128, 'StartError');
      throw injected();
    }),
  },
  {
    name: 'containers that vanish when they have started',
    prepare: onStartContainer(({ fake, clock }, start) => async (request, options) => {
      const answer = await start(request, options);
      clock.setTimer(5, () => void fake.runtime.removeContainer({ containerId: request.containerId ?? '' }));
      return answer;
    }),
  },
  {
    name: 'containers that vanish instead of starting',
    prepare: onStartContainer(({ fake }) => (request) => {
      fake.loseContainer(request.containerId ?? '');
      return Promise.reject(injected());
    }),
  },
  {
    name: 'a container whose exit stops all others',
    spec: {
      containers: [
        { name: 'app', image: 'registry.example/app:1', command: ['serve'] },
        {
          name: 'crash',
          image: 'registry.example/app:1',
          command: ['sh', '-c', 'exit 1'],
          restartPolicy: 'Never',
          restartPolicyRules: [{ action: 'RestartAllContainers', exitCodes: { operator: 'In', values: [1] } }],
        },
      ],
    },
  },
  {
    name: 'a postStart hook that fails',
    spec: {
      containers: [
        {
          name: 'app',
          image: 'registry.example/app:1',
          command: ['serve'],
          lifecycle: { postStart: { exec: { command: ['sh', '-c', 'exit 1'] } } },
        },
      ],
    },
  },
];

/** Highest rate: the kubelet, which relists each second, syncs a pod 60 times a minute; events at its start may come faster. */
const MAX_TRIES = 60 + 30 + 1;

describe('a pod that fails again and again', () => {
  it.each(faults)('is not retried without a pause: $name', async ({ prepare, spec }) => {
    // Calls take some time, so that a loop without a pause would fail here, not hang.
    const made = createTestNode({ latencyMs: 5 });
    benches.push(made);
    prepare?.(made);
    await made.start();
    await made.clock.advance(2_000);
    made.desire(manifestPod('bad', spec));
    await made.clock.advance(60_000);
    for (const rpc of ['runPodSandbox', 'createContainer'] as const)
      expect(made.fake.calls.get(rpc) ?? 0, rpc).toBeLessThanOrEqual(MAX_TRIES);
    // The other pods are not affected.
    const beganMs = made.clock.now();
    made.desire(manifestPod('bad', spec), manifestPod('good'));
    if (prepare === undefined) {
      await made.clock.runUntil(() => made.running().includes('good/app'));
      expect(made.clock.now() - beganMs).toBeLessThan(100);
    }
    made.desire();
    await made.clock.runUntil(() => made.fake.snapshot().sandboxes.length === 0);
    // The timers of the faults themselves.
    await made.clock.advance(10);
  });
});

describe('a pod that works', () => {
  it('is not delayed by the events of its own start', async () => {
    const made = createTestNode();
    benches.push(made);
    await made.start();
    await made.clock.advance(2_000);
    const beganMs = made.clock.now();
    const init = (index: number) => ({
      name: `init-${String(index)}`,
      image: 'registry.example/init:1',
      command: ['sh'],
    });
    made.desire(manifestPod('web', { initContainers: Array.from({ length: 10 }, (_, index) => init(index)) }));
    await made.clock.runUntil(() => made.running().length === 1);
    expect(made.clock.now() - beganMs).toBeLessThan(100);
  });
});
