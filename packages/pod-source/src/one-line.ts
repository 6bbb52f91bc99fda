import { errorMessage } from '@rxlet/component-base';
import { shorten } from '@rxlet/pod-model/validation';

/** Returns the message of an error as one line of limited length. */
export function oneLine(error: unknown): string {
  return shorten(errorMessage(error));
}
