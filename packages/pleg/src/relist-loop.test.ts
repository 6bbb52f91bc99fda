import { sleep } from '@rxlet/component-base';
import { createVirtualClock } from '@rxlet/component-base/testing';
import { expect, it, onTestFinished } from 'vitest';
import { createRelistLoop } from './relist-loop.ts';

/** Runs a loop on a node where a relist of all pods takes `fullMs`, and one of a single pod 2 ms. */
async function startLoop(fullMs: number) {
  const clock = createVirtualClock();
  const counts = { full: 0, single: 0 };
  const loop = createRelistLoop({
    clock,
    async relistAll() {
      counts.full += 1;
      await sleep(clock, fullMs);
    },
    async relistPod() {
      counts.single += 1;
      await sleep(clock, 2);
    },
    periodMs: () => 60_000,
  });
  const controller = new AbortController();
  const running = loop.run(controller.signal);
  onTestFinished(async () => {
    controller.abort();
    await clock.advance(1_000);
    await running;
  });
  await clock.advance(1_000);
  return { clock, counts, loop };
}

/** Requests 50 pods a second, one by one, for ten seconds. */
async function requestPods({ clock, loop }: Awaited<ReturnType<typeof startLoop>>): Promise<void> {
  for (let count = 0; count < 500; count += 1) {
    loop.requestPod(`pod-${String(count % 40)}`);
    await clock.advance(20);
  }
}

it('serves many requests by relists of single pods where all of them take long', async () => {
  const bench = await startLoop(200);
  await requestPods(bench);
  // Single relists take as long together as the full ones between them, so that a change costs twice its own relist at most.
  expect(bench.counts.single).toBeGreaterThan(250);
  expect(bench.counts.full).toBeLessThan(10);
});

it('serves many requests by relists of all pods where those are cheap', async () => {
  const bench = await startLoop(5);
  await requestPods(bench);
  expect(bench.counts.full).toBeGreaterThan(60);
});
