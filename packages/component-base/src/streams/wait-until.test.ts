import { createCurrentValue } from './current-value.ts';
import { throwError } from 'rxjs';
import { describe, expect, it } from 'vitest';
import { createEmitter } from './emitter.ts';
import { waitUntil, whenTrue } from './wait-until.ts';

it('resolves at once, or after the value that makes the condition true', async () => {
  const changes = createEmitter<void>();
  const { signal } = new AbortController();
  let count = 0;
  await waitUntil(changes.values$, () => count === 0, signal);
  let isOver = false;
  const waiting = waitUntil(changes.values$, () => count === 2, signal).then(() => (isOver = true));
  for (count = 1; count <= 2; count += 1) {
    expect(isOver).toBe(false);
    changes.emit();
    await Promise.resolve();
  }
  await waiting;
});

it('rejects when the signal aborts, before or meanwhile, and leaves no listener', async () => {
  const changes = createEmitter<void>();
  const controller = new AbortController();
  const waiting = waitUntil(changes.values$, () => false, controller.signal);
  controller.abort(new Error('the pod has ended'));
  await expect(waiting).rejects.toThrow('the pod has ended');
  await expect(waitUntil(changes.values$, () => false, controller.signal)).rejects.toThrow('the pod has ended');
});

it('rejects when the stream fails', async () => {
  const failed$ = throwError(() => new Error('no watch'));
  await expect(waitUntil(failed$, () => false, new AbortController().signal)).rejects.toThrow('no watch');
});

describe('whenTrue', () => {
  it('resolves at once for a value that is true, and otherwise when it becomes true', async () => {
    await whenTrue(createCurrentValue(true));
    const state = createCurrentValue(false);
    const resolved = whenTrue(state);
    state.set(true);
    await resolved;
  });

  it('rejects when the signal aborts, or the value completes, before it is true', async () => {
    const state = createCurrentValue(false);
    await expect(whenTrue(state, AbortSignal.abort(new Error('stopped')))).rejects.toThrow('stopped');
    const result = expect(whenTrue(state)).rejects.toThrow('no elements in sequence');
    state.complete();
    await result;
  });
});
