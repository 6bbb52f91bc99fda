import { seededRandom, sleep, systemClock } from '@rxlet/component-base';
import { ContainerState } from '@rxlet/cri-api';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { containerdUnavailable } from '../../../tools/containerd/prerequisites.ts';
import { type ContainerdNode, shell, startContainerdNode, untilStopped } from './test-support/containerd-node.ts';

const unavailable = containerdUnavailable();
if (unavailable !== undefined) console.warn(`skipped: ${unavailable}`);

const PODS = 12;
const STOPS = 5;
/** Set another to try other moments. */
const SEED = Number(process.env['RXLET_STOP_SEED'] ?? 1);

describe.skipIf(unavailable !== undefined)('an agent that is stopped while it starts pods', () => {
  let node: ContainerdNode;
  beforeAll(async () => {
    node = await startContainerdNode();
  });
  afterAll(async () => {
    await node?.[Symbol.asyncDispose]();
  });

  // containerd ends a container whose start is cancelled, and such a pod has then failed for good.
  it(`fails none of those that may run only once (seed ${String(SEED)})`, { timeout: 120_000 }, async () => {
    const random = seededRandom(SEED);
    await using agent = await node.agent();
    const names = Array.from({ length: PODS }, (_, index) => `once-${String(index)}`);
    for (const name of names) {
      await agent.write(name, { restartPolicy: 'Never', containers: [{ name: 'app', ...shell(untilStopped()) }] });
    }
    for (let stop = 0; stop < STOPS; stop += 1) {
      // An agent needs some 300 ms to its first call of the runtime.
      await sleep(systemClock, 350 + random.next() * 500);
      await agent.end('SIGTERM');
      agent.startAgain();
    }
    await agent.eventually('all run', async () => {
      const running = await Promise.all(names.map((name) => agent.running(name, 'app')));
      return running.every((container) => container !== undefined);
    });
    const containers = await agent.containers();
    expect(containers.map(({ state, metadata }) => [state, metadata?.attempt])).toEqual(
      names.map(() => [ContainerState.CONTAINER_RUNNING, 0]),
    );
    expect(await agent.sandboxes()).toHaveLength(PODS);
    for (const name of names) expect((await agent.pod(name))?.status?.phase, name).not.toBe('Failed');
  });
});
