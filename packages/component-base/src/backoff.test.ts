import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Backoff, createBackoff } from './backoff.ts';

/** The kubelet's figures for crash loops and image pulls. */
const FIGURES = { initialMs: 10_000, maxMs: 300_000, expiryMs: 600_000 };

describe('createBackoff', () => {
  it('doubles up to the maximum', () => {
    const backoff = createBackoff(FIGURES);
    const delays = Array.from({ length: 8 }, (_, index) => backoff.next('a', index) / 1000);
    expect(delays).toEqual([10, 20, 40, 80, 160, 300, 300, 300]);
  });

  it('limits the first delay to the maximum', () => {
    expect(createBackoff({ initialMs: 10_000, maxMs: 2_000 }).next('a', 0)).toBe(2_000);
  });

  it('keeps a separate delay for each key', () => {
    const backoff = createBackoff(FIGURES);
    backoff.next('a', 0);
    backoff.next('a', 0);
    expect(backoff.delayMs('b', 0)).toBe(0);
    expect(backoff.next('b', 0)).toBe(10_000);
    expect(backoff.delayMs('a', 0)).toBe(20_000);
    expect(backoff.size).toBe(2);
  });

  it('blocks until the delay has passed, to the millisecond', () => {
    const backoff = createBackoff(FIGURES);
    backoff.next('a', 1_000);
    expect(backoff.blockedUntilMs('a', 1_000)).toBe(11_000);
    expect(backoff.blockedUntilMs('a', 10_999)).toBe(11_000);
    expect(backoff.blockedUntilMs('a', 11_000)).toBeUndefined();
    expect(backoff.blockedUntilMs('b', 0)).toBeUndefined();
  });

  it('starts again from the initial delay once a key has expired', () => {
    const backoff = createBackoff(FIGURES);
    backoff.next('a', 0);
    expect(backoff.next('a', 600_000)).toBe(20_000);
    expect(backoff.delayMs('a', 1_200_001)).toBe(0);
    expect(backoff.next('a', 1_200_001)).toBe(10_000);
  });

  it('expires after twice the maximum by default', () => {
    const backoff = createBackoff({ initialMs: 1, maxMs: 50 });
    backoff.next('a', 0);
    expect(backoff.delayMs('a', 100)).toBe(1);
    expect(backoff.delayMs('a', 101)).toBe(0);
  });

  it('counts only run time, not waiting time, towards the expiry of a crash loop', () => {
    const backoff = createBackoff(FIGURES);
    // Exited at 0, and started again after five minutes of back-off.
    for (let failure = 0; failure < 6; failure += 1) backoff.next('web', 0, 300_000);
    // It then ran for ten minutes: 15 minutes after the earlier exit, it is still the same loop.
    expect(backoff.delayMs('web', 900_000)).toBe(300_000);
    expect(backoff.delayMs('web', 900_001)).toBe(0);
  });

  it('blocks for no longer than the delay when the clock is set back', () => {
    const backoff = createBackoff(FIGURES);
    const hourMs = 3_600_000;
    backoff.next('a', hourMs);
    expect(backoff.blockedUntilMs('a', 5000)).toBe(15_000);
    expect(backoff.blockedUntilMs('a', 14_999)).toBe(15_000);
    expect(backoff.blockedUntilMs('a', 15_000)).toBeUndefined();
    backoff.collectGarbage(605_001);
    expect(backoff.size).toBe(0);
  });

  it('removes a key', () => {
    const backoff = createBackoff(FIGURES);
    backoff.next('a', 0);
    backoff.reset('a');
    backoff.reset('never seen');
    expect(backoff.delayMs('a', 0)).toBe(0);
    expect(backoff.size).toBe(0);
  });

  it('collects only expired keys', () => {
    const backoff = createBackoff(FIGURES);
    backoff.next('old', 0);
    backoff.next('young', 1);
    backoff.collectGarbage(600_001);
    expect(backoff.size).toBe(1);
    expect(backoff.delayMs('young', 600_001)).toBe(10_000);
  });
});

/** Model of client-go's flowcontrol.Backoff: derives each answer from the history of records. */
function modelOf(records: readonly { key: string; eventMs: number; nowMs: number }[], key: string) {
  let delayMs: number | undefined;
  let lastUpdateMs = 0;
  const hasExpired = (eventMs: number): boolean => eventMs - lastUpdateMs > FIGURES.expiryMs;
  for (const record of records) {
    if (record.key !== key) continue;
    delayMs =
      delayMs === undefined || hasExpired(record.eventMs) ? FIGURES.initialMs : Math.min(2 * delayMs, FIGURES.maxMs);
    lastUpdateMs = record.nowMs;
  }
  return {
    delayMs: delayMs ?? 0,
    isInBackOffSince: (eventMs: number, nowMs: number) =>
      delayMs !== undefined && !hasExpired(eventMs) && nowMs - eventMs < delayMs,
    isInBackOffSinceUpdate: (eventMs: number) =>
      delayMs !== undefined && !hasExpired(eventMs) && eventMs - lastUpdateMs < delayMs,
  };
}

const key = fc.constantFrom('a', 'b', 'c');
const stepMs = fc.oneof(fc.nat(30_000), fc.constantFrom(10_000, 300_000, 600_000, 600_001), fc.nat(900_000));
const command = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({ kind: fc.constant('fail' as const), key, stepMs, agoMs: fc.oneof(fc.constant(0), stepMs) }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant('ask' as const), key, stepMs, agoMs: fc.oneof(fc.constant(0), stepMs) }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('forget' as const), key, stepMs, agoMs: fc.constant(0) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('collect' as const), key, stepMs, agoMs: fc.constant(0) }) },
);

describe('compared with client-go', () => {
  it('agrees with a model of flowcontrol.Backoff on every history', () => {
    fc.assert(
      fc.property(fc.array(command, { maxLength: 60 }), (commands) => {
        const backoff: Backoff = createBackoff(FIGURES);
        let records: { key: string; eventMs: number; nowMs: number }[] = [];
        let nowMs = 0;
        for (const { kind, key, stepMs, agoMs } of commands) {
          nowMs += stepMs;
          const eventMs = nowMs - agoMs;
          if (kind === 'fail') {
            records.push({ key, eventMs, nowMs });
            expect(backoff.next(key, eventMs, nowMs)).toBe(modelOf(records, key).delayMs);
          } else if (kind === 'forget') {
            backoff.reset(key);
            records = records.filter((record) => record.key !== key);
          } else if (kind === 'collect') {
            backoff.collectGarbage(nowMs);
            const lastOf = new Map(records.map((record) => [record.key, record.nowMs]));
            records = records.filter((record) => nowMs - lastOf.get(record.key)! <= FIGURES.expiryMs);
          }
          const model = modelOf(records, key);
          const delayMs = backoff.delayMs(key, eventMs);
          expect(delayMs > 0 && nowMs - eventMs < delayMs).toBe(model.isInBackOffSince(eventMs, nowMs));
          expect(backoff.blockedUntilMs(key, nowMs) !== undefined).toBe(model.isInBackOffSinceUpdate(nowMs));
          expect(backoff.size).toBe(new Set(records.map((record) => record.key)).size);
        }
      }),
      { seed: 2026, numRuns: 300 },
    );
  });
});
