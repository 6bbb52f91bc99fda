import { createKeyedExecutor, createLifetime, noopLogger } from '@rxlet/component-base';
import { createVirtualClock } from '@rxlet/component-base/testing';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createContainers } from '../engine/containers.ts';
import { createFakeDocker, type FakeDocker } from '../test-support/fake-docker.ts';
import type { CheckpointStore } from './checkpoint-store.ts';
import { createStraySandboxes, type StraySandboxes } from './stray-sandboxes.ts';

let stack: AsyncDisposableStack;
beforeEach(() => {
  stack = new AsyncDisposableStack();
});
afterEach(() => stack.disposeAsync());

/** Sandboxes by id: whether they run, are on the host's network, and are connected. */
type Sandboxes = Readonly<Record<string, { runs: boolean; isHostNetwork?: boolean; addresses?: readonly string[] }>>;

async function setUp(
  sandboxes: Sandboxes,
  answers: { isAway: boolean } = { isAway: false },
): Promise<{ strays: StraySandboxes; docker: FakeDocker; clock: ReturnType<typeof createVirtualClock> }> {
  const docker = await createFakeDocker((request) => {
    if (answers.isAway) return [500, { message: 'Docker is starting' }];
    const id = request.split('/')[2]!;
    if (request.endsWith('/kill')) return [204, null];
    const labels = { 'io.kubernetes.docker.type': 'podsandbox' };
    return [
      200,
      { Id: id, Created: '2026-01-01T00:00:00Z', Config: { Labels: labels }, State: { Running: sandboxes[id]!.runs } },
    ];
  });
  stack.use(docker);
  const clock = createVirtualClock();
  const lifetime = stack.use(createLifetime());
  const list = Object.entries(sandboxes).map(([id, { isHostNetwork = false }]) => ({ id, isHostNetwork }));
  const checkpoints = { list: async () => list } as unknown as CheckpointStore;
  const addresses = { get: async (id: string) => sandboxes[id]!.addresses ?? [], forget: () => undefined };
  const { engine } = docker;
  const strays = createStraySandboxes({
    addresses,
    checkpoints,
    clock,
    containers: createContainers(engine),
    engine,
    lifetime,
    logger: noopLogger,
    sandboxQueue: createKeyedExecutor(),
  });
  return { strays, docker, clock };
}

const killed = ({ requests }: FakeDocker): readonly string[] =>
  requests.filter((request) => request.includes('/kill')).map((request) => request.split('/')[2]!);

it('stops what runs without a network, and nothing else', async () => {
  const { strays, docker } = await setUp({
    stray: { runs: true },
    connected: { runs: true, addresses: ['10.0.0.2'] },
    ended: { runs: false },
    onhost: { runs: true, isHostNetwork: true },
  });
  await strays.stopAll();
  expect(killed(docker)).toEqual(['stray']);
});

it('repeats a request until Docker answers', async () => {
  const answers = { isAway: true };
  const { strays, docker, clock } = await setUp({ stray: { runs: true } }, answers);
  strays.request();
  await expect.poll(() => docker.requests.length).toBe(1);
  answers.isAway = false;
  await expect
    .poll(async () => {
      await clock.advance(500);
      return killed(docker);
    })
    .toEqual(['stray']);
});
