import { getEventListeners } from 'node:events';
import { describe, expect, it } from 'vitest';
import { sleep } from './clock.ts';
import { DeadlineExceededError, withDeadline } from './deadline.ts';
import { createVirtualClock } from './virtual-clock.ts';

const never = (): Promise<never> => new Promise(() => undefined);

describe('withDeadline', () => {
  it('returns the result, and leaves neither timer nor listener', async () => {
    const clock = createVirtualClock();
    const { signal } = new AbortController();
    await expect(withDeadline(clock, 100, signal, () => Promise.resolve('done'))).resolves.toBe('done');
    expect(clock.pendingTimers).toBe(0);
    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });

  it('rejects with the error of a task that rejects or throws, and leaves neither timer nor listener', async () => {
    const clock = createVirtualClock();
    const { signal } = new AbortController();
    await expect(withDeadline(clock, 100, signal, () => Promise.reject(new Error('rejected')))).rejects.toThrow(
      'rejected',
    );
    const throws = (): Promise<void> => {
      throw new Error('thrown');
    };
    await expect(withDeadline(clock, 100, signal, throws)).rejects.toThrow('thrown');
    expect(clock.pendingTimers).toBe(0);
    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });

  it('rejects at the deadline even when the task ignores its signal', async () => {
    const clock = createVirtualClock();
    let seen: unknown;
    const result = withDeadline(clock, 100, undefined, (signal) => {
      signal.addEventListener('abort', () => void (seen = signal.reason));
      return never();
    });
    const outcome = expect(result).rejects.toMatchObject({
      name: 'DeadlineExceededError',
      message: 'no answer within 100 ms',
      timeoutMs: 100,
    });
    await clock.advance(99);
    expect(seen).toBeUndefined();
    await clock.advance(1);
    await outcome;
    expect(seen).toBeInstanceOf(DeadlineExceededError);
    expect(clock.pendingTimers).toBe(0);
  });

  it('ignores the outcome of a task after its deadline', async () => {
    const clock = createVirtualClock();
    const result = withDeadline(clock, 10, undefined, async () => {
      await sleep(clock, 50);
      throw new Error('too late');
    });
    const outcome = expect(result).rejects.toThrow(DeadlineExceededError);
    await clock.advance(100);
    await outcome;
  });

  it('rejects with the reason of the signal as soon as it aborts', async () => {
    const clock = createVirtualClock();
    const controller = new AbortController();
    let seen: unknown;
    const result = withDeadline(clock, 100, controller.signal, (signal) => {
      signal.addEventListener('abort', () => void (seen = signal.reason));
      return never();
    });
    const reason = new Error('stopped');
    controller.abort(reason);
    await expect(result).rejects.toBe(reason);
    expect(seen).toBe(reason);
    expect(clock.pendingTimers).toBe(0);
    expect(getEventListeners(controller.signal, 'abort')).toEqual([]);
  });

  it('does not run the task for an aborted signal', async () => {
    const clock = createVirtualClock();
    let began = false;
    const task = async (): Promise<void> => void (began = true);
    await expect(withDeadline(clock, 100, AbortSignal.abort(new Error('before')), task)).rejects.toThrow('before');
    expect(began).toBe(false);
  });

  it('handles a task that aborts the signal and throws synchronously', async () => {
    const controller = new AbortController();
    const task = (): Promise<void> => {
      controller.abort(new Error('aborted'));
      throw new Error('thrown');
    };
    await expect(withDeadline(createVirtualClock(), 100, controller.signal, task)).rejects.toThrow('thrown');
  });

  it('has no deadline with Infinity', () => {
    const clock = createVirtualClock();
    void withDeadline(clock, Infinity, undefined, never);
    expect(clock.pendingTimers).toBe(0);
  });

  it('expires with the next timer for a timeout of zero', async () => {
    const clock = createVirtualClock();
    const outcome = expect(withDeadline(clock, 0, undefined, never)).rejects.toThrow(DeadlineExceededError);
    await clock.advance(0);
    await outcome;
  });
});
