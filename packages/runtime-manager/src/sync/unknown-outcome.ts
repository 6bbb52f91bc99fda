import { errorMessage } from '@rxlet/component-base';
import { callErrorCode, StatusCode } from '@rxlet/cri-api';

/**
 * Whether a call that failed may have had its effect all the same: nobody saw the end of it, or the runtime says that somebody asked for the same before.
 * Then only a look at what the runtime has can tell.
 */
export function mayHaveHappened(error: unknown): boolean {
  // A client that knows whether the call left, and whether it was answered, knows better than the code.
  const outcome = (error as { readonly outcome?: unknown } | null | undefined)?.outcome;
  if (outcome === 'none') return false;
  if (outcome === 'unknown') return true;
  switch (callErrorCode(error)) {
    case StatusCode.DeadlineExceeded:
    case StatusCode.Unavailable:
    case StatusCode.AlreadyExists:
      return true;
    default:
      // containerd and CRI-O tell of a name that is taken by no code of its own, only in words.
      return /\bname\b.* is reserved\b/.test(errorMessage(error));
  }
}

/**
 * Makes a call that changes something in the runtime. When it fails in a way that does not tell whether it did, `look` looks at what the runtime has: what it
 * finds is the answer. Otherwise, and when not even the look succeeds, the call's own error counts, and the next sync sees what became of it.
 */
export async function callOrLook<T>(call: () => Promise<T>, look: () => Promise<T | undefined>): Promise<T> {
  try {
    return await call();
  } catch (error) {
    const found = mayHaveHappened(error) ? await look().catch(() => undefined) : undefined;
    if (found === undefined) throw error;
    return found;
  }
}
