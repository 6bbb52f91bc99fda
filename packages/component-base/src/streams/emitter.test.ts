import { expect, it } from 'vitest';
import { createEmitter } from './emitter.ts';

it('emits to every subscriber in one order, including values emitted by a subscriber', () => {
  const emitter = createEmitter<number>();
  const seen: string[] = [];
  emitter.values$.subscribe((value) => {
    seen.push(`a${String(value)}`);
    if (value === 1) emitter.emit(2);
  });
  emitter.values$.subscribe((value) => seen.push(`b${String(value)}`));
  emitter.emit(1);
  expect(seen).toEqual(['a1', 'b1', 'a2', 'b2']);
});

it('emits to a subscriber only values emitted after it subscribed, even during an emission', () => {
  const emitter = createEmitter<number>();
  const late: number[] = [];
  emitter.values$.subscribe((value) => {
    if (value !== 1) return;
    emitter.emit(2);
    emitter.values$.subscribe((seen) => late.push(seen));
    emitter.emit(3);
  });
  emitter.emit(1);
  expect(late).toEqual([3]);
});

it('emits falsy values', () => {
  const emitter = createEmitter<number | undefined>();
  const seen: (number | undefined)[] = [];
  emitter.values$.subscribe((value) => seen.push(value));
  emitter.emit(undefined);
  emitter.emit(0);
  expect(seen).toEqual([undefined, 0]);
});

it('emits nothing more to a subscriber that leaves during an emission', () => {
  const emitter = createEmitter<number>();
  const seen: number[] = [];
  emitter.values$.subscribe(() => other.unsubscribe());
  const other = emitter.values$.subscribe((value) => seen.push(value));
  emitter.emit(1);
  emitter.emit(2);
  expect(seen).toEqual([]);
});

it('completes after the values emitted before, and drops later ones', () => {
  const emitter = createEmitter<number>();
  const seen: unknown[] = [];
  emitter.values$.subscribe((value) => {
    if (value !== 1) return;
    emitter.emit(2);
    emitter.complete();
    emitter.emit(3);
  });
  emitter.values$.subscribe({ next: (value) => seen.push(value), complete: () => seen.push('end') });
  emitter.emit(1);
  expect(seen).toEqual([1, 2, 'end']);
});

it('completes a subscription made after the end', () => {
  const emitter = createEmitter<number>();
  emitter.complete();
  let completed = false;
  emitter.values$.subscribe({ complete: () => (completed = true) });
  expect(completed).toBe(true);
});

it('does not expose the writing side', () => {
  expect(createEmitter<number>().values$).not.toHaveProperty('next');
});
