import { createManagerBench, type ManagerBench } from './testing/manager-bench.ts';
import { seededRandom } from '@rxlet/component-base';
import { createVirtualClock } from '@rxlet/component-base/testing';
import { createFakeRuntime, createMemoryLogs, type FakeRuntimeOptions } from '@rxlet/fake-cri';
import { testPod } from '@rxlet/pod-model/testing';
import { describe, expect, it } from 'vitest';

function bench(fakeOptions: FakeRuntimeOptions = {}): ManagerBench {
  const clock = createVirtualClock();
  const { runtime, images } = createFakeRuntime(
    { clock, random: seededRandom(2), logs: createMemoryLogs() },
    fakeOptions,
  );
  return createManagerBench({ clock, runtime, images });
}

describe('the manager', () => {
  it('cancels calls in flight on disposal', async () => {
    const b = bench({ latencyMs: 1000 });
    const running = b.manager.syncPod(testPod(), await b.status(testPod()));
    await b.clock.settle();
    await b.during(b.manager[Symbol.asyncDispose]());
    await expect(running).rejects.toThrow('stopped');
    expect(await b.sandboxes(testPod())).toEqual(['0 ready']);
    expect(await b.containers(testPod())).toEqual([]);
    expect(b.clock.pendingTimers).toBe(0);
  });

  it('cancels a single call, and rejects with the reason', async () => {
    const b = bench({ latencyMs: 1000 });
    const controller = new AbortController();
    const running = b.manager.syncPod(testPod(), await b.status(testPod()), { signal: controller.signal });
    await b.clock.settle();
    controller.abort(new Error('enough'));
    await expect(b.during(running)).rejects.toThrow('enough');
  });
});
