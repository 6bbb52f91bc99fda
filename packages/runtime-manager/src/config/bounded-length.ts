import { MAX_EXPANDED_LENGTH } from '@rxlet/pod-model';
import { containerConfigError } from './config-error.ts';

/** Bounds what texts have together: a few variables that refer to each other twice would fill the memory of the agent. */
export interface BoundedLength {
  /** Returns the text that `expand` returns, which throws a RangeError when it is too long by itself. @throws ConfigError when the texts are too long together */
  add(expand: () => string): string;
}

/** Creates a {@link BoundedLength}. `subject` names the texts in the error. */
export function createBoundedLength(subject: string, maxLength: number = MAX_EXPANDED_LENGTH): BoundedLength {
  let length = 0;
  const fail = (cause?: unknown): never => {
    throw containerConfigError(`the ${subject} has more than ${String(maxLength)} characters`, { cause });
  };
  return {
    add(expand) {
      let text: string;
      try {
        text = expand();
      } catch (error) {
        if (error instanceof RangeError) return fail(error);
        throw error;
      }
      length += text.length;
      return length > maxLength ? fail() : text;
    },
  };
}
