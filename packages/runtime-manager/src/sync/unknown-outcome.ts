import { errorMessage } from '@rxlet/component-base';
import { callErrorCode, StatusCode } from '@rxlet/cri-api';

/**
 * Reports whether a failed call may have taken effect: its response was lost, or the runtime reports an earlier identical request.
 */
export function mayHaveTakenEffect(error: unknown): boolean {
  // The client's own outcome, whether the call was sent and answered, is more precise than the code.
  const outcome = (error as { readonly outcome?: unknown } | null | undefined)?.outcome;
  if (outcome === 'none') return false;
  if (outcome === 'unknown') return true;
  switch (callErrorCode(error)) {
    case StatusCode.DeadlineExceeded:
    case StatusCode.Unavailable:
    case StatusCode.AlreadyExists:
      return true;
    default:
      // containerd and CRI-O report a reserved name only in their messages, not by a code.
      return errorMessage(error).split('\n').some(hasReservedName);
  }
}

/** Reports whether a line has the word `name` and, later, `is reserved`. One pattern for both would search the rest of the line for each `name`. */
function hasReservedName(line: string): boolean {
  const name = /\bname\b/.exec(line);
  return name !== null && / is reserved\b/.test(line.slice(name.index + name[0].length));
}

/**
 * Makes a call that changes something in the runtime. When it fails with an unknown outcome, `readResult` reads the runtime, and its result is returned
 * instead. If there is no result, or reading fails too, the call's error is thrown, and the next sync sees the outcome.
 */
export async function confirmOutcome<T>(call: () => Promise<T>, readResult: () => Promise<T | undefined>): Promise<T> {
  try {
    return await call();
  } catch (error) {
    const found = mayHaveTakenEffect(error) ? await readResult().catch(() => undefined) : undefined;
    if (found === undefined) throw error;
    return found;
  }
}
