import { errorMessage } from '@rxlet/component-base';
import { shorten } from './list-some.ts';

/** Returns the message of an error as one line of limited length. */
export function oneLine(error: unknown): string {
  return shorten(errorMessage(error));
}
