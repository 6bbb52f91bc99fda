import { createVirtualClock, recordingLogger } from '@rxlet/component-base/testing';
import type { Pod } from '@rxlet/kube-api';
import { EMPTY } from 'rxjs';
import { describe, expect, it } from 'vitest';
import { inBackground } from './background-mirror-pods.ts';

const pod = (generation: number): Pod => ({ metadata: { name: 'web', namespace: 'ns', generation } });
const { signal } = new AbortController();

function setUp() {
  const calls: { generation: number | undefined; end: PromiseWithResolvers<void>; signal: AbortSignal }[] = [];
  const logger = recordingLogger();
  const clock = createVirtualClock();
  let isDesired = true;
  const mirrorPods = inBackground(
    {
      reconcile(given, on) {
        const end = Promise.withResolvers<void>();
        on.addEventListener('abort', () => end.reject(on.reason as Error));
        calls.push({ generation: given.metadata?.generation, end, signal: on });
        return end.promise;
      },
      fullNames: () => [],
      mirrorOf: () => undefined,
      changes$: EMPTY,
      remove: async () => undefined,
    },
    { clock, logger, isDesired: () => isDesired },
  );
  const generations = () => calls.map(({ generation }) => generation);
  return { calls, clock, logger, mirrorPods, generations, undesire: () => void (isDesired = false) };
}

const settle = (): Promise<void> => new Promise((resolve) => queueMicrotask(() => queueMicrotask(resolve)));

describe('inBackground', () => {
  it('does not wait, and follows a call with one for the latest version', async () => {
    const { calls, mirrorPods, generations } = setUp();
    await using _ = mirrorPods;
    await mirrorPods.reconcile(pod(1), signal);
    await mirrorPods.reconcile(pod(2), signal);
    await mirrorPods.reconcile(pod(3), signal);
    expect(generations()).toEqual([1]);
    calls[0]!.end.resolve();
    await settle();
    expect(generations()).toEqual([1, 3]);
  });

  it('logs a failure, and repeats the call with growing pauses until the pod is gone', async () => {
    const { calls, clock, mirrorPods, generations, logger, undesire } = setUp();
    await using _ = mirrorPods;
    await mirrorPods.reconcile(pod(1), signal);
    calls[0]!.end.reject(new Error('no API server'));
    await clock.advance(99);
    expect(logger.lines).toMatchObject([{ level: 'warn', fields: { error: 'no API server' } }]);
    expect(generations()).toEqual([1]);
    await clock.advance(1);
    expect(generations()).toEqual([1, 1]);
    calls[1]!.end.reject(new Error('no API server'));
    await mirrorPods.reconcile(pod(2), signal);
    await clock.advance(199);
    expect(generations()).toEqual([1, 1]);
    await clock.advance(1);
    expect(generations()).toEqual([1, 1, 2]);
    calls[2]!.end.reject(new Error('no API server'));
    undesire();
    await clock.advance(100_000);
    expect(generations()).toEqual([1, 1, 2]);
    expect(clock.pendingTimers).toBe(0);
  });

  it('aborts the calls on disposal', async () => {
    const { calls, clock, mirrorPods, logger } = setUp();
    await mirrorPods.reconcile(pod(1), signal);
    await mirrorPods[Symbol.asyncDispose]();
    expect(calls[0]!.signal.aborted).toBe(true);
    await mirrorPods.reconcile(pod(2), signal);
    expect(calls).toHaveLength(1);
    expect(logger.lines).toEqual([]);
    expect(clock.pendingTimers).toBe(0);
  });
});
