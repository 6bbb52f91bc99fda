import { sleep, systemClock } from '@rxlet/component-base';

/**
 * Polls until `probe` returns a value, and returns it. @throws Error with `what` and `details()` after `timeoutMs`
 */
export async function eventually<T>(
  what: string,
  probe: () => Promise<T | undefined | false>,
  details: () => string = () => '',
  timeoutMs = 30_000,
): Promise<T> {
  const endMs = systemClock.monotonicNow() + timeoutMs;
  for (;;) {
    const value = await probe();
    if (value !== undefined && value !== false) return value;
    if (systemClock.monotonicNow() > endMs)
      throw new Error(`not within ${String(timeoutMs / 1000)} s: ${what}\n${details()}`);
    await sleep(systemClock, 50);
  }
}
