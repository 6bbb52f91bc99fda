import { errorMessage } from '@rxlet/component-base';
import { callErrorCode, StatusCode } from '@rxlet/cri-api';

/**
 * Whether a call that failed may have had its effect all the same: nobody waited for the end of it, or the runtime says that somebody asked for the
 * same before. Then only a look at what the runtime has can tell.
 */
export function mayHaveHappened(error: unknown): boolean {
  const code = callErrorCode(error);
  if (code === StatusCode.DeadlineExceeded || code === StatusCode.AlreadyExists) return true;
  // containerd and CRI-O tell of a name that is taken by no code of its own, only in words.
  return /\bname\b.* is reserved\b/.test(errorMessage(error));
}
