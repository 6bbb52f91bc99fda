import { Subject, take } from 'rxjs';
import { describe, expect, it } from 'vitest';
import { createCurrentValue, currentThenChanges } from './current-value.ts';
import { createEmitter } from './emitter.ts';

describe('createCurrentValue', () => {
  it('emits the current value, then every later one', () => {
    const state = createCurrentValue('a');
    const seen: string[] = [];
    state.set('b');
    state.value$.subscribe((value) => seen.push(value));
    state.set('c');
    expect([seen, state.value]).toEqual([['b', 'c'], 'c']);
  });

  it('neither misses nor repeats a value for a subscription made during an emission', () => {
    const state = createCurrentValue(0);
    const late: number[] = [];
    state.value$.subscribe((value) => {
      if (value !== 1) return;
      state.set(2);
      state.value$.subscribe((seen) => late.push(seen));
      state.set(3);
    });
    state.set(1);
    expect(late).toEqual([2, 3]);
  });

  it('emits a value set by its first subscriber after the current one', () => {
    const state = createCurrentValue(1);
    const seen: number[] = [];
    state.value$.subscribe((value) => {
      if (value === 1) state.set(2);
      seen.push(value);
    });
    expect(seen).toEqual([1, 2]);
  });

  it('keeps its last value after completion', () => {
    const state = createCurrentValue(1);
    state.set(2);
    state.complete();
    state.set(3);
    const seen: unknown[] = [];
    state.value$.subscribe({ next: (value) => seen.push(value), complete: () => seen.push('end') });
    expect([seen, state.value]).toEqual([[2, 'end'], 2]);
  });
});

describe('currentThenChanges', () => {
  function collection(): {
    names: Set<string>;
    add: (name: string) => void;
    watch$: ReturnType<typeof currentThenChanges<string>>;
    complete: () => void;
  } {
    const names = new Set<string>();
    const changes = createEmitter<string>();
    return {
      names,
      add(name) {
        names.add(name);
        changes.emit(name);
      },
      watch$: currentThenChanges(() => names, changes.values$),
      complete: changes.complete,
    };
  }

  it('emits the current content, then the changes', () => {
    const { add, watch$ } = collection();
    add('a');
    const seen: string[] = [];
    watch$.subscribe((name) => seen.push(name));
    add('b');
    expect(seen).toEqual(['a', 'b']);
  });

  it('emits changes caused by the content after all of it', () => {
    const { add, watch$ } = collection();
    add('a');
    add('b');
    const seen: string[] = [];
    watch$.subscribe((name) => {
      seen.push(name);
      if (name === 'a') add('c');
      if (name === 'c') add('d');
    });
    expect(seen).toEqual(['a', 'b', 'c', 'd']);
  });

  it('completes after the content when the changes end meanwhile', () => {
    const { add, watch$, complete } = collection();
    add('a');
    add('b');
    const seen: string[] = [];
    watch$.subscribe({
      next(name) {
        seen.push(name);
        complete();
      },
      complete: () => seen.push('end'),
    });
    expect(seen).toEqual(['a', 'b', 'end']);
  });

  it('leaves no subscription to the changes', () => {
    const changes = new Subject<string>();
    currentThenChanges(() => ['a', 'b'], changes)
      .pipe(take(1))
      .subscribe();
    currentThenChanges(() => ['a'], changes)
      .subscribe()
      .unsubscribe();
    expect(changes.observed).toBe(false);
  });

  it('fails with the changes', () => {
    const changes = new Subject<string>();
    const seen: unknown[] = [];
    currentThenChanges(() => ['a'], changes).subscribe({
      next: (name) => seen.push(name),
      error: (error) => seen.push(error),
    });
    changes.error('broken');
    expect(seen).toEqual(['a', 'broken']);
  });
});
