import { describe, expect, it } from 'vitest';
import { createEventBuffer } from './event-buffer.ts';

const never = new AbortController().signal;

describe('createEventBuffer', () => {
  it('holds as many events as its capacity, and again after some were taken', async () => {
    const buffer = createEventBuffer<number>(2);
    expect([1, 2, 3].map((event) => buffer.push(event))).toEqual([true, true, false]);
    const events = buffer.take(never);
    expect((await events.next()).value).toBe(1);
    expect([4, 5].map((event) => buffer.push(event))).toEqual([true, false]);
    expect([(await events.next()).value, (await events.next()).value]).toEqual([2, 4]);
  });

  it('gives a waiting reader an event at once', async () => {
    const buffer = createEventBuffer<number>(1);
    const event = buffer.take(never).next();
    buffer.push(1);
    expect((await event).value).toBe(1);
  });

  it('ends after the events that it holds, with the first error', async () => {
    const buffer = createEventBuffer<number>(1);
    buffer.push(1);
    buffer.close(new Error('first'));
    buffer.close(new Error('second'));
    expect(buffer.push(2)).toBe(false);
    const events = buffer.take(never);
    expect((await events.next()).value).toBe(1);
    await expect(events.next()).rejects.toThrow('first');
  });

  it('ends without an error when it is closed without one', async () => {
    const buffer = createEventBuffer<number>(1);
    const end = buffer.take(never).next();
    buffer.close();
    expect(await end).toEqual({ done: true, value: undefined });
  });

  it("throws the signal's reason to a waiting reader, and drops what it holds", async () => {
    const buffer = createEventBuffer<number>(1);
    const controller = new AbortController();
    const next = buffer.take(controller.signal).next();
    controller.abort(new Error('gone'));
    buffer.push(1);
    await expect(next).rejects.toThrow('gone');
  });
});
