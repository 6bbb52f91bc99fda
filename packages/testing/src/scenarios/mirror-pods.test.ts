import { contribute } from '@rxlet/agent-api';
import { mirrorPods } from '@rxlet/agent-api/statuses';
import type { Pod } from '@rxlet/kube-api';
import { podFullName, podUid } from '@rxlet/pod-model';
import { expect, it, onTestFinished } from 'vitest';
import { manifestPod } from '@rxlet/pod-model/testing';
import { contributing } from '../test-modules.ts';
import { createTestNode } from '../test-node.ts';

it('keeps the mirror of a static pod until the pod is gone, whatever calls for mirrors fail', async () => {
  const made = createTestNode();
  onTestFinished(() => made[Symbol.asyncDispose]());
  const mirrors = new Map<string, string>([['old_default', 'uid-old']]);
  let away = true;
  const failing = (): void => {
    if (away) throw new Error('no API server');
  };
  const client = {
    async reconcile(pod: Pod): Promise<void> {
      await Promise.resolve(failing());
      mirrors.set(podFullName(pod), podUid(pod));
    },
    fullNames: () => [...mirrors.keys()],
    async remove(fullName: string): Promise<void> {
      await Promise.resolve(failing());
      // The pod must be gone before its mirror.
      expect(made.fake.snapshot().sandboxes.map(({ metadata }) => `${metadata?.name ?? ''}_default`)).not.toContain(
        fullName,
      );
      mirrors.delete(fullName);
    },
  };
  await made.start({ modules: [contributing({ contributions: [contribute(mirrorPods, client)] })] });
  made.desire(manifestPod('web'));
  await made.clock.advance(5_000);
  expect(made.running()).toEqual(['web/app']);
  expect([...mirrors.keys()]).toEqual(['old_default']);
  away = false;
  await made.clock.advance(90_000);
  expect([...mirrors]).toEqual([['web_default', 'uid-web-1']]);
  made.desire();
  await made.clock.advance(60_000);
  expect([...mirrors]).toEqual([]);
});
