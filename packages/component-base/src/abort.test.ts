import { getEventListeners } from 'node:events';
import { describe, expect, it } from 'vitest';
import { abortable, onAbort } from './abort.ts';

const REASON = new Error('stopped');

describe('onAbort', () => {
  it('calls the listener once, with the reason', () => {
    const controller = new AbortController();
    const reasons: unknown[] = [];
    onAbort(controller.signal, (reason) => reasons.push(reason));
    expect(reasons).toEqual([]);
    controller.abort(REASON);
    controller.abort(new Error('later'));
    expect(reasons).toEqual([REASON]);
  });

  it('calls the listener at once for a signal that has aborted', () => {
    const reasons: unknown[] = [];
    onAbort(AbortSignal.abort(REASON), (reason) => reasons.push(reason));
    expect(reasons).toEqual([REASON]);
  });

  it('removes the listener on disposal', () => {
    const controller = new AbortController();
    const reasons: unknown[] = [];
    onAbort(controller.signal, (reason) => reasons.push(reason))[Symbol.dispose]();
    expect(getEventListeners(controller.signal, 'abort')).toEqual([]);
    controller.abort(REASON);
    expect(reasons).toEqual([]);
  });

  it('adds one listener to a signal, however many wait for it', () => {
    const controller = new AbortController();
    const calls: number[] = [];
    const listeners = [0, 1, 2, 3].map((number) => onAbort(controller.signal, () => calls.push(number)));
    expect(getEventListeners(controller.signal, 'abort')).toHaveLength(1);
    listeners[1]![Symbol.dispose]();
    listeners[1]![Symbol.dispose]();
    controller.abort(REASON);
    expect(calls).toEqual([0, 2, 3]);
  });

  it('notifies a listener that was added after all others were removed', () => {
    const controller = new AbortController();
    const reasons: unknown[] = [];
    onAbort(controller.signal, () => expect.unreachable())[Symbol.dispose]();
    onAbort(controller.signal, (reason) => reasons.push(reason));
    expect(getEventListeners(controller.signal, 'abort')).toHaveLength(1);
    controller.abort(REASON);
    expect(reasons).toEqual([REASON]);
  });

  it('calls no listener that another one has removed', () => {
    const controller = new AbortController();
    const calls: string[] = [];
    onAbort(controller.signal, () => {
      calls.push('first');
      second[Symbol.dispose]();
    });
    const second = onAbort(controller.signal, () => calls.push('second'));
    onAbort(controller.signal, () => calls.push('third'));
    controller.abort(REASON);
    expect(calls).toEqual(['first', 'third']);
  });

  it('does nothing without a signal', () => {
    onAbort(undefined, () => expect.unreachable())[Symbol.dispose]();
  });
});

describe('abortable', () => {
  it('settles as the work does, and leaves no listener', async () => {
    const { signal } = new AbortController();
    await expect(abortable(Promise.resolve(1), signal)).resolves.toBe(1);
    await expect(abortable(Promise.reject(REASON), signal)).rejects.toBe(REASON);
    await expect(abortable(Promise.resolve(2), undefined)).resolves.toBe(2);
    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });

  it('rejects with the reason while the work goes on', async () => {
    const controller = new AbortController();
    const result = abortable(new Promise(() => undefined), controller.signal);
    controller.abort(REASON);
    await expect(result).rejects.toBe(REASON);
  });

  it('rejects with the reason of a signal that has aborted, and handles a later failure of the work', async () => {
    const work = Promise.withResolvers<void>();
    await expect(abortable(work.promise, AbortSignal.abort(REASON))).rejects.toBe(REASON);
    work.reject(new Error('late'));
  });
});
