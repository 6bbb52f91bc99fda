import type { CommandContext } from '../commands/command-context.ts';
import type { StreamCommandContext } from '../commands/streams/stream-context.ts';

/** Shared ports of the actions of the commands. */
export interface CommandDeps {
  /** Arguments of the program. */
  readonly args: readonly string[];
  /** Aborts on Ctrl-C and when standard output fails. */
  readonly signal: AbortSignal;
  /** Returns the root directory of the agent that the command talks to. */
  rootDirectory(): Promise<string>;
  /** Connects to that agent. */
  context(): Promise<CommandContext>;
  /** The same, with standard input. */
  streams(): Promise<StreamCommandContext>;
}
