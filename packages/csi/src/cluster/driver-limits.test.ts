import { createVirtualClock, recordingLogger } from '@rxlet/component-base/testing';
import { createCurrentValue, createEmitter } from '@rxlet/component-base/streams';
import type { CSIDriver } from '@rxlet/kube-api';
import { afterEach, expect, it } from 'vitest';
import type { RegisteredCsiDriver } from '../csi-drivers.ts';
import { createDriverLimits, type DriverLimits } from './driver-limits.ts';

let limits: DriverLimits | undefined;
afterEach(() => limits?.[Symbol.asyncDispose]());

function setUp() {
  const clock = createVirtualClock();
  const logger = recordingLogger();
  const registered = createCurrentValue<readonly RegisteredCsiDriver[]>([]);
  const changes = createEmitter<string>();
  const periods = new Map<string, number>();
  const refreshed: string[] = [];
  let failure: Error | undefined;
  limits = createDriverLimits({
    drivers: {
      registered$: registered.value$,
      refresh: async (name) => {
        if (failure !== undefined) throw failure;
        refreshed.push(`${name} at ${String(clock.monotonicNow() / 1000)}`);
      },
    },
    objects: {
      find: (name): CSIDriver => ({
        metadata: { name },
        spec: { nodeAllocatableUpdatePeriodSeconds: periods.get(name) },
      }),
      changes$: changes.values$,
    },
    clock,
    logger,
  });
  const register = (...names: readonly string[]): void =>
    registered.set(names.map((name) => ({ name, nodeId: 'n', maxVolumes: 1, topology: {} })));
  const setPeriod = (name: string, seconds: number | undefined): void => {
    if (seconds === undefined) periods.delete(name);
    else periods.set(name, seconds);
    changes.emit(name);
  };
  const fail = (error: Error | undefined): void => void (failure = error);
  limits.start();
  return { clock, logger, register, setPeriod, refreshed, fail };
}

it('reads the limit of each driver that has a period, at that', async () => {
  const { clock, register, setPeriod, refreshed } = setUp();
  setPeriod('a', 10);
  setPeriod('b', 25);
  register('a', 'b', 'c');
  await clock.advance(30_000);
  expect(refreshed).toEqual(['a at 10', 'a at 20', 'b at 25', 'a at 30']);
});

it('follows changed periods and registrations, and sets no timer without them', async () => {
  const { clock, register, setPeriod, refreshed } = setUp();
  setPeriod('a', 10);
  expect(clock.pendingTimers).toBe(0);
  register('a');
  await clock.advance(5000);
  setPeriod('a', 20);
  await clock.advance(20_000);
  expect(refreshed).toEqual(['a at 25']);
  setPeriod('a', undefined);
  expect(clock.pendingTimers).toBe(0);
  setPeriod('a', 20);
  register();
  expect(clock.pendingTimers).toBe(0);
});

it('goes on after a failure, which is logged once', async () => {
  const { clock, logger, register, setPeriod, refreshed, fail } = setUp();
  setPeriod('a', 10);
  register('a');
  fail(new Error('driver is busy'));
  await clock.advance(20_000);
  fail(undefined);
  await clock.advance(10_000);
  expect(refreshed).toEqual(['a at 30']);
  expect(logger.lines.filter(({ level }) => level === 'warn')).toHaveLength(1);
});

it('leaves no timer behind', async () => {
  const { clock, register, setPeriod } = setUp();
  setPeriod('a', 10);
  register('a');
  await limits?.[Symbol.asyncDispose]();
  expect(clock.pendingTimers).toBe(0);
});
