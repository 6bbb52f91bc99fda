import { sleep, systemClock } from '@rxlet/component-base';
import { ContainerState } from '@rxlet/cri-api';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type TestNode, shell, untilStopped } from './test-support/containerd-node.ts';
import { describeOnEachRuntime } from './test-support/runtimes.ts';

const PODS = 12;
const STOPS = 6;

describeOnEachRuntime('an agent that is stopped while it starts pods', {}, (startNode) => {
  let node: TestNode;
  beforeAll(async () => {
    node = await startNode();
  });
  afterAll(async () => {
    await node?.[Symbol.asyncDispose]();
  });

  // containerd ends a container whose start is cancelled, and such a pod has then failed for good.
  it('fails none of those that may run only once', { timeout: 120_000 }, async () => {
    await using agent = await node.agent();
    const names = Array.from({ length: PODS }, (_, index) => `once-${String(index)}`);
    for (const name of names) {
      await agent.write(name, { restartPolicy: 'Never', containers: [{ name: 'app', ...shell(untilStopped()) }] });
    }
    for (let stop = 0; stop < STOPS; stop += 1) {
      // What is created is started at once.
      await soon(async () =>
        (await agent.containers()).some(({ state }) => state === ContainerState.CONTAINER_CREATED),
      );
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

/** Looks often, so as not to miss a short moment, and gives up after a while: it may have passed. */
async function soon(probe: () => Promise<boolean>): Promise<void> {
  const endMs = systemClock.monotonicNow() + 3_000;
  while (!(await probe()) && systemClock.monotonicNow() < endMs) await sleep(systemClock, 2);
}
