import type { Pod } from '@rxlet/kube-api';
import { expect, it, onTestFinished } from 'vitest';
import { manifestPod } from '@rxlet/pod-model/testing';
import { createTestNode, type TestNode } from '../test-node.ts';

/** A pod with a preStop hook of five seconds. */
const web = (): Pod =>
  manifestPod('web', {
    terminationGracePeriodSeconds: 60,
    containers: [
      {
        name: 'app',
        image: 'registry.example/app:1',
        command: ['serve'],
        lifecycle: { preStop: { exec: { command: ['sh', '-c', 'sleep 5'] } } },
      },
    ],
  });

async function running(): Promise<TestNode> {
  const made = createTestNode();
  onTestFinished(() => made[Symbol.asyncDispose]());
  made.desire(web());
  await made.start();
  await made.clock.advance(5_000);
  expect(made.running()).toEqual(['web/app']);
  return made;
}
const hooks = (made: TestNode): number => made.fake.calls.get('execSync') ?? 0;

it('runs a preStop hook once although the grace period of the deletion is shortened meanwhile', async () => {
  const made = await running();
  for (const deletionGracePeriodSeconds of [60, 20, 10]) {
    const { metadata, ...pod } = web();
    made.desire({
      ...pod,
      metadata: { ...metadata, deletionTimestamp: '2026-01-01T00:00:05Z', deletionGracePeriodSeconds },
    });
    await made.clock.advance(1_000);
  }
  expect(made.running()).toEqual(['web/app']);
  await made.clock.advance(3_000);
  expect(made.running()).toEqual([]);
  expect(hooks(made)).toBe(1);
});

it('runs no preStop hook for a pod that was removed while the agent was dead', async () => {
  const made = await running();
  await made.kill();
  made.desire();
  await made.start();
  await made.clock.advance(4_000);
  expect(made.running()).toEqual([]);
  expect(hooks(made)).toBe(0);
});
