import { onAbort } from '../abort.ts';
import { filter, firstValueFrom, merge, Observable, startWith } from 'rxjs';

/**
 * Resolves as soon as a condition holds: now, or after a value of the stream. Rejects with the reason of `signal` when that aborts, and when the stream fails.
 */
export async function waitUntil(
  stream$: Observable<unknown>,
  isTrue: () => boolean,
  signal: AbortSignal,
): Promise<void> {
  await firstValueFrom(merge(stream$, failureOnAbort(signal)).pipe(startWith(undefined), filter(isTrue)));
}

function failureOnAbort(signal: AbortSignal): Observable<never> {
  return new Observable((subscriber) => {
    const listener = onAbort(signal, (reason) => subscriber.error(reason));
    return () => listener[Symbol.dispose]();
  });
}
