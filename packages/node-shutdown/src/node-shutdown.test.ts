import { createEventLog } from '@rxlet/component-base/events';
import { noopMetrics } from '@rxlet/component-base/metrics';
import { createVirtualClock, recordingLogger } from '@rxlet/component-base/testing';
import type { Pod } from '@rxlet/kube-api';
import { expect, it, onTestFinished } from 'vitest';
import { createNodeShutdown } from './node-shutdown.ts';
import { createFakeLogind } from './testing/fake-logind.ts';

const pod: Pod = {
  metadata: { name: 'web', namespace: 'default', uid: 'u1' },
  spec: { containers: [{ name: 'app' }] },
};

it('goes on with a shutdown that begins while a drain is cancelled', async () => {
  const clock = createVirtualClock();
  const logind = createFakeLogind(clock);
  const isSaved = Promise.withResolvers<void>();
  const shutdown = createNodeShutdown(
    {
      ...{ clock, logind, metrics: noopMetrics, logger: recordingLogger(), events: createEventLog(clock) },
      core: {
        activePods: () => [pod],
        isStatusPublished: () => true,
        killPod: () => new Promise<never>(() => undefined),
        knownPods: () => [pod],
        mayRunContainers: () => true,
        podStatus: () => undefined,
        sourcesReady: () => true,
      },
      hasVolumes: () => false,
      bootId: async () => 'boot-1',
      state: { load: async () => undefined, save: () => isSaved.promise },
    },
    { nodeName: 'node1', groups: [{ priority: 0, gracePeriodSeconds: 30 }] },
  );
  onTestFinished(async () => {
    isSaved.resolve();
    await shutdown[Symbol.asyncDispose]();
  });
  await shutdown.start();
  await clock.advance(1_000);
  await shutdown.drain();
  await clock.advance(100);
  const cancelled = shutdown.cancelDrain();
  logind.shutDown();
  await clock.advance(100);
  isSaved.resolve();
  await cancelled;
  await clock.advance(100);
  expect(shutdown.isShuttingDown.value).toBe(true);
  expect(shutdown.drainStatus().phase).toBe('none');
});
