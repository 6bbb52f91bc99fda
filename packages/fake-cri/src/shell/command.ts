import type { ProcessContext } from '../process/program.ts';

/** A built-in command, for a shell or on its own. It returns its exit status. */
export type Command = (args: readonly string[], context: ProcessContext) => number | Promise<number>;
