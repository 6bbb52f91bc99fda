import { createVirtualClock } from '@rxlet/component-base/testing';
import { expect, it } from 'vitest';
import { createFakeLogind } from '../testing/fake-logind.ts';
import { raiseInhibitDelay } from './raise-inhibit-delay.ts';

const { signal } = new AbortController();
const observer = { prepareForShutdown: () => undefined, lost: () => undefined };

it('leaves a delay alone that is long enough', async () => {
  const clock = createVirtualClock();
  const logind = createFakeLogind(clock);
  logind.delayMs = 40_000;
  expect(await raiseInhibitDelay(await logind.connect(observer, signal), clock, 30, signal)).toBe(40_000);
  expect(logind.delayMs).toBe(40_000);
});

it('raises a shorter delay', async () => {
  const clock = createVirtualClock();
  const logind = createFakeLogind(clock);
  expect(await raiseInhibitDelay(await logind.connect(observer, signal), clock, 30, signal)).toBe(30_000);
});

it('fails when the delay stays too short', async () => {
  const clock = createVirtualClock();
  const logind = createFakeLogind(clock);
  logind.readsConfiguration = false;
  const raised = raiseInhibitDelay(await logind.connect(observer, signal), clock, 90, signal);
  const outcome = raised.catch((error: unknown) => String(error));
  await clock.advance(1_500);
  expect(await outcome).toBe(
    'Error: node shutdown manager was timed out after 5 attempts waiting for logind InhibitDelayMaxSec to update to 1m30s (ShutdownGracePeriod), current value is 5s',
  );
});
