import { describe, expect, it } from 'vitest';
import { createEventCorrelator, type EventCorrelator } from './event-correlator.ts';
import type { EventObject, EventType } from './event-types.ts';
import { createVirtualClock } from './virtual-clock.ts';

const MINUTE = 60_000;
const web: EventObject = { apiVersion: 'v1', kind: 'Pod', namespace: 'default', name: 'web', uid: 'u1' };

function bench(): {
  clock: ReturnType<typeof createVirtualClock>;
  correlator: EventCorrelator;
  /** Records a failure of the pod. @returns `count message`; `undefined` when it was dropped */
  fail: (message: string, object?: EventObject, type?: EventType, reason?: string) => string | undefined;
} {
  const clock = createVirtualClock({ startMs: 1000 });
  const correlator = createEventCorrelator(clock);
  return {
    clock,
    correlator,
    fail(message, object = web, type = 'Warning', reason = 'Failed') {
      const event = correlator.correlate(object, type, reason, message);
      return event && `${String(event.count)} ${event.message}`;
    },
  };
}

const numbered = (count: number): string[] => Array.from({ length: count }, (_, index) => `message ${String(index)}`);

describe('equal events', () => {
  it('share one count from the first event on, regardless of the time between them', async () => {
    const { clock, correlator, fail } = bench();
    expect(fail('no')).toBe('1 no');
    await clock.advance(60 * MINUTE);
    expect(correlator.correlate({ ...web }, 'Warning', 'Failed', 'no')).toMatchObject({ count: 2, firstMs: 1000 });
  });

  it.each<[string, Partial<EventObject>]>([
    ['kind', { kind: 'Node' }],
    ['namespace', { namespace: 'other' }],
    ['name', { name: 'other' }],
    ['uid', { uid: 'u2' }],
    ['part', { fieldPath: 'spec.containers{a}' }],
  ])('share the same %s', (_, difference) => {
    const { fail } = bench();
    fail('no');
    expect(fail('no', { ...web, ...difference })).toBe('1 no');
  });

  it('differ in the last character of a long message', () => {
    const { correlator, fail } = bench();
    const long = 'x'.repeat(10_000);
    expect(fail(`${long}a`)).toBe(`1 ${long}a`);
    expect(fail(`${long}b`)).toBe(`1 ${long}b`);
    const again = correlator.correlate(web, 'Warning', 'Failed', `${long}a`)!;
    expect([again.count, again.message, again.key.length < 500]).toEqual([2, `${long}a`, true]);
  });

  it('do not collide with events whose concatenated fields are equal', () => {
    const { fail } = bench();
    fail('a', { ...web, namespace: 'x', name: 'yz' });
    expect(fail('a', { ...web, namespace: 'xy', name: 'z' })).toBe('1 a');
  });
});

describe('similar events', () => {
  it('combine from the tenth message on', () => {
    const { fail } = bench();
    expect(numbered(9).map((message) => fail(message))).toEqual(numbered(9).map((message) => `1 ${message}`));
    expect(fail('message 9')).toBe('1 (combined from similar events): message 9');
    expect(fail('message 10')).toBe('2 (combined from similar events): message 10');
    // Stored messages are still counted separately.
    expect(fail('message 8')).toBe('2 message 8');
  });

  it('drop the oldest message above the limit, or the one chosen by the option', () => {
    const { fail } = bench();
    for (const message of numbered(10)) fail(message);
    expect(fail('message 0')).toBe('2 (combined from similar events): message 0');

    const chosen: string[][] = [];
    const correlator = createEventCorrelator(createVirtualClock(), {
      chooseDropped(messages) {
        chosen.push([...messages]);
        return 'message 4';
      },
    });
    for (const message of numbered(10)) correlator.correlate(web, 'Warning', 'Failed', message);
    expect(chosen).toEqual([numbered(10)]);
    expect(correlator.correlate(web, 'Warning', 'Failed', 'message 0')).toMatchObject({ combined: false, count: 2 });
    expect(correlator.correlate(web, 'Warning', 'Failed', 'message 4')).toMatchObject({ combined: true, count: 2 });
  });

  it('share one key', () => {
    const { correlator, fail } = bench();
    for (const message of numbered(9)) fail(message);
    const first = correlator.correlate(web, 'Warning', 'Failed', 'nine')!;
    const second = correlator.correlate({ ...web, fieldPath: 'spec.containers{b}' }, 'Warning', 'Failed', 'ten')!;
    expect([first.combined, second.combined, second.key === first.key]).toEqual([true, true, true]);
  });

  it.each<[string, Partial<EventObject>, EventType, string]>([
    ['another object', { uid: 'u2' }, 'Warning', 'Failed'],
    ['another type', {}, 'Normal', 'Failed'],
    ['another reason', {}, 'Warning', 'BackOff'],
  ])('do not include events of %s', (_, object, type, reason) => {
    const { fail } = bench();
    for (const message of numbered(9)) fail(message);
    expect(fail('nine', { ...web, ...object }, type, reason)).toBe('1 nine');
  });

  it('include events of all parts of an object', () => {
    const { fail } = bench();
    numbered(9).forEach((message, index) => fail(message, { ...web, fieldPath: `spec.containers{c${String(index)}}` }));
    expect(fail('nine')).toBe('1 (combined from similar events): nine');
  });

  it('separate after a pause of ten minutes, and keep their count when combined again', async () => {
    const { clock, fail } = bench();
    for (const message of numbered(10)) fail(message);
    await clock.advance(10 * MINUTE);
    expect(fail('message 10')).toBe('2 (combined from similar events): message 10');
    await clock.advance(10 * MINUTE + 1);
    expect(fail('message 11')).toBe('1 message 11');
    for (const message of numbered(8)) fail(message);
    expect(fail('message 12')).toBe('3 (combined from similar events): message 12');
  });
});

describe('too many events', () => {
  it('stop after 25 of one type and object, regardless of their reasons', () => {
    const { fail } = bench();
    for (let count = 1; count <= 25; count++) expect(fail('no', web, 'Warning', count % 2 ? 'A' : 'B')).toBeDefined();
    expect(fail('no')).toBeUndefined();
    expect(fail('no', web, 'Normal')).toBeDefined();
    expect(fail('no', { ...web, uid: 'u2' })).toBeDefined();
    expect(fail('no', { ...web, fieldPath: 'spec.containers{a}' })).toBeUndefined();
  });

  it('keep a count while suppressed, and resume with one event after five minutes', async () => {
    const { clock, fail } = bench();
    for (let count = 0; count < 30; count++) fail('no');
    await clock.advance(5 * MINUTE - 1);
    expect(fail('no')).toBeUndefined();
    await clock.advance(1);
    expect(fail('no')).toBe('32 no');
    expect(fail('no')).toBeUndefined();
  });

  it('get a new burst after a long pause', async () => {
    const { clock, fail } = bench();
    for (let count = 0; count < 30; count++) fail('no');
    await clock.advance(24 * 60 * MINUTE);
    for (let count = 1; count <= 25; count++) expect(fail('no')).toBeDefined();
    expect(fail('no')).toBeUndefined();
  });

  it('follow the monotonic clock', async () => {
    const { clock, fail } = bench();
    for (let count = 0; count < 25; count++) fail('no');
    clock.setWallClock(Date.UTC(2030, 0, 1));
    expect(fail('no')).toBeUndefined();
    clock.setWallClock(0);
    await clock.advance(5 * MINUTE);
    expect(fail('no')).toBeDefined();
  });
});

it('evicts the objects and events that occurred longest ago', () => {
  const { fail } = bench();
  fail('no');
  fail('no', { ...web, name: 'kept' });
  for (let index = 0; index < 4095; index++) fail('no', { ...web, name: `other-${String(index)}` });
  expect(fail('no', { ...web, name: 'kept' })).toBe('2 no');
  expect(fail('no')).toBe('1 no');
});
