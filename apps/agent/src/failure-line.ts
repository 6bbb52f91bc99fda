import { errorMessage } from '@rxlet/component-base';

/** Returns the one line that reports `error` on standard error, with its causes. */
export function failureLine(error: unknown): string {
  return `rxlet: ${errorMessage(error)}\n`;
}
