import { getEventListeners } from 'node:events';
import { describe, expect, it } from 'vitest';
import { sleep } from './clock.ts';
import { createLifetime, LifetimeEnded } from './lifetime.ts';
import { createVirtualClock } from './virtual-clock.ts';

describe('createLifetime', () => {
  it('aborts, waits for the work, then releases in reverse order', async () => {
    const clock = createVirtualClock();
    const lifetime = createLifetime();
    const log: string[] = [];
    lifetime.signal.addEventListener('abort', () => log.push('aborted'));
    lifetime.defer(() => void log.push('first'));
    lifetime.defer(async () => {
      await sleep(clock, 10);
      log.push('second');
    });
    void lifetime.track(sleep(clock, 100).then(() => log.push('worked')));
    void lifetime[Symbol.asyncDispose]().then(() => log.push('disposed'));
    expect(lifetime.signal.reason).toBeInstanceOf(LifetimeEnded);
    await clock.advance(1000);
    expect(log).toEqual(['aborted', 'worked', 'second', 'first', 'disposed']);
  });

  it('is disposed of once, even when a listener of its signal disposes of it too', async () => {
    const lifetime = createLifetime();
    let releases = 0;
    lifetime.defer(() => void (releases += 1));
    let fromListener: PromiseLike<void> | undefined;
    lifetime.signal.addEventListener('abort', () => void (fromListener = lifetime[Symbol.asyncDispose]()));
    const first = lifetime[Symbol.asyncDispose]();
    expect(fromListener).toBe(first);
    expect(lifetime[Symbol.asyncDispose]()).toBe(first);
    await first;
    expect(releases).toBe(1);
  });

  it('waits for work that begins during disposal, and releases its resources', async () => {
    const clock = createVirtualClock();
    const lifetime = createLifetime();
    const log: string[] = [];
    lifetime.defer(() => void log.push('released'));
    void lifetime.track(
      sleep(clock, 10).then(() => {
        lifetime.defer(() => void log.push('released late'));
        void lifetime.track(sleep(clock, 10).then(() => log.push('worked late')));
      }),
    );
    void lifetime[Symbol.asyncDispose]();
    await clock.advance(20);
    expect(log).toEqual(['worked late', 'released late', 'released']);
  });

  it('releases at once after disposal', async () => {
    const lifetime = createLifetime();
    await lifetime[Symbol.asyncDispose]();
    let released = false;
    lifetime.defer(() => void (released = true));
    expect(released).toBe(true);
    // These rejections have no handler. The test passes unless they end the process.
    lifetime.defer(() => Promise.reject(new Error('too late')));
    lifetime.defer(() => {
      throw new Error('too late');
    });
  });

  it('runs every release even when some fail, and rejects with all failures', async () => {
    const fail = (message: string) => () => Promise.reject(new Error(message));
    const one = createLifetime();
    let released = false;
    one.defer(() => void (released = true));
    one.defer(fail('one'));
    await expect(one[Symbol.asyncDispose]()).rejects.toThrow('one');
    expect(released).toBe(true);

    const two = createLifetime();
    two.defer(fail('a'));
    two.defer(() => {
      throw new Error('b');
    });
    await expect(two[Symbol.asyncDispose]()).rejects.toMatchObject({ errors: [new Error('b'), new Error('a')] });
  });

  it('returns the outcome of tracked work', async () => {
    const lifetime = createLifetime();
    await expect(lifetime.track(Promise.resolve(5))).resolves.toBe(5);
    await expect(lifetime.track(Promise.reject(new Error('of the work')))).rejects.toThrow('of the work');
  });

  it('does not hide an unhandled failure', async () => {
    const unhandled = Promise.withResolvers<unknown>();
    const others = process.listeners('unhandledRejection');
    process.removeAllListeners('unhandledRejection');
    process.once('unhandledRejection', unhandled.resolve);
    void createLifetime().track(Promise.reject(new Error('a bug')));
    const reason = await unhandled.promise;
    for (const listener of others) process.on('unhandledRejection', listener);
    expect(reason).toEqual(new Error('a bug'));
  });

  it.each(['before', 'after'])(
    'takes it as the usual end of work that it fails after the abort: tracked %s that',
    async (when) => {
      const clock = createVirtualClock();
      const parent = new AbortController();
      const lifetime = createLifetime(parent.signal);
      const begin = (): void => void lifetime.track(sleep(clock, 10, lifetime.signal));
      if (when === 'before') begin();
      parent.abort(new Error('all ends'));
      if (when === 'after') begin();
      // Unhandled rejections would surface here, and fail the run.
      await clock.settle();
      await lifetime[Symbol.asyncDispose]();
      expect(clock.pendingTimers).toBe(0);
    },
  );

  it('aborts with its parent, but releases only when it is disposed of', async () => {
    const parent = new AbortController();
    const lifetime = createLifetime(parent.signal);
    let released = false;
    lifetime.defer(() => void (released = true));
    const reason = new Error('all ends');
    parent.abort(reason);
    expect(lifetime.signal.reason).toBe(reason);
    expect(released).toBe(false);
    await lifetime[Symbol.asyncDispose]();
    expect(released).toBe(true);
    expect(lifetime.signal.reason).toBe(reason);
  });

  it('is aborted when the parent has aborted', () => {
    expect(createLifetime(AbortSignal.abort('before')).signal.reason).toBe('before');
  });

  it('leaves no listener on its parent', async () => {
    const parent = new AbortController();
    const lifetime = createLifetime(parent.signal);
    expect(getEventListeners(parent.signal, 'abort')).toHaveLength(1);
    await lifetime[Symbol.asyncDispose]();
    expect(getEventListeners(parent.signal, 'abort')).toEqual([]);
  });

  it('works with await using', async () => {
    const log: string[] = [];
    {
      await using lifetime = createLifetime();
      lifetime.defer(() => void log.push('released'));
      log.push('used');
    }
    expect(log).toEqual(['used', 'released']);
  });
});
