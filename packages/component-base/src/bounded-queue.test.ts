import { getEventListeners } from 'node:events';
import { describe, expect, it } from 'vitest';
import { createBoundedQueue } from './bounded-queue.ts';

const END = { done: true, value: undefined };

describe('createBoundedQueue', () => {
  it('holds as many values as its capacity, and again after some were read', async () => {
    const queue = createBoundedQueue<number>({ capacity: 2 });
    expect([1, 2, 3].map(queue.push)).toEqual([true, true, false]);
    expect((await queue.next()).value).toBe(1);
    expect([4, 5].map(queue.push)).toEqual([true, false]);
    expect([(await queue.next()).value, (await queue.next()).value]).toEqual([2, 4]);
  });

  it('passes values to waiting readers in order, without using its capacity', async () => {
    const queue = createBoundedQueue<number>({ capacity: 0 });
    const reads = [queue.next(), queue.next()];
    expect([1, 2, 3].map(queue.push)).toEqual([true, true, false]);
    expect((await Promise.all(reads)).map(({ value }) => value)).toEqual([1, 2]);
  });

  it('ends after its values with the first error, for every later read', async () => {
    const queue = createBoundedQueue<number>({ capacity: 1 });
    queue.push(1);
    queue.close(new Error('first'));
    queue.close(new Error('second'));
    expect(queue.push(2)).toBe(false);
    expect((await queue.next()).value).toBe(1);
    await expect(queue.next()).rejects.toThrow('first');
    await expect(queue.next()).rejects.toThrow('first');
  });

  it('ends a waiting reader when it is closed without an error', async () => {
    const queue = createBoundedQueue<number>({ capacity: 1 });
    const read = queue.next();
    queue.close();
    expect(await read).toEqual(END);
  });

  it('drops its values when it is aborted', async () => {
    const queue = createBoundedQueue<number>({ capacity: 1 });
    queue.push(1);
    queue.abort(new Error('lost'));
    await expect(queue.next()).rejects.toThrow('lost');
  });

  it('drops values that a closed queue still holds when it is aborted', async () => {
    const queue = createBoundedQueue<number>({ capacity: 1 });
    queue.push(1);
    queue.close();
    queue.abort(new Error('lost'));
    expect(await queue.next()).toEqual(END);
  });

  it("rejects waiting and later reads with the signal's reason", async () => {
    const controller = new AbortController();
    const queue = createBoundedQueue<number>({ capacity: 1, signal: controller.signal });
    const read = queue.next();
    controller.abort(new Error('gone'));
    await expect(read).rejects.toThrow('gone');
    await expect(queue.next()).rejects.toThrow('gone');
  });

  it('ends at once with a signal that has aborted', async () => {
    const ended: unknown[] = [];
    const signal = AbortSignal.abort(new Error('gone'));
    const queue = createBoundedQueue<number>({ capacity: 1, signal, onEnd: (one) => ended.push(one) });
    expect([queue.push(1), ended]).toEqual([false, [queue]]);
    await expect(queue.next()).rejects.toThrow('gone');
  });

  it('reports its end once, also when the reader leaves, and leaves no listener', async () => {
    const { signal } = new AbortController();
    let ends = 0;
    const queue = createBoundedQueue<number>({ capacity: 2, signal, onEnd: () => (ends += 1) });
    queue.push(1);
    queue.push(2);
    for await (const value of queue) {
      expect(value).toBe(1);
      break;
    }
    queue.close();
    expect([ends, await queue.next(), getEventListeners(signal, 'abort')]).toEqual([1, END, []]);
  });
});
