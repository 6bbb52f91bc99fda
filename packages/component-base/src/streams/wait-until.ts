import { onAbort } from '../abort.ts';
import type { CurrentValue } from './current-value.ts';
import { filter, firstValueFrom, Observable, startWith, takeUntil } from 'rxjs';

/**
 * Resolves as soon as a condition holds: now, or after a value of the stream. Rejects with the reason of `signal` when that aborts, and when
 * the stream fails or completes before.
 */
export async function waitUntil(
  stream$: Observable<unknown>,
  isTrue: () => boolean,
  signal?: AbortSignal,
): Promise<void> {
  await firstValueFrom(stream$.pipe(startWith(undefined), filter(isTrue), takeUntil(failureOnAbort(signal))));
}

/** Resolves once `state` is true; now, if it is. Rejects with the reason of `signal` when that aborts, and when `state` completes before. */
export function whenTrue(state: CurrentValue<boolean>, signal?: AbortSignal): Promise<void> {
  return waitUntil(state.value$, () => state.value, signal);
}

function failureOnAbort(signal: AbortSignal | undefined): Observable<never> {
  return new Observable((subscriber) => {
    const listener = onAbort(signal, (reason) => subscriber.error(reason));
    return () => listener[Symbol.dispose]();
  });
}
