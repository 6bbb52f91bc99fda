import { errorMessage } from '@rxlet/component-base';
import type { ProcessContext } from '../process/program.ts';
import { LoopControl, ShellExit } from './builtins.ts';
import { parseScript } from './parser.ts';
import type { ScriptInput } from './script-input.ts';
import type { ShellState } from './shell-state.ts';
import { type CommandList, isIncomplete, ShellSyntaxError, ShellUnsupportedError } from './syntax.ts';

const SIGINT = 2;
const INTERRUPTED_STATUS = 130;
const WELCOME =
  'This is the shell of the fake runtime: files and processes are simulated. Type "help" for its commands.\n';

/** Ports of {@link converse}. */
export interface Conversation {
  readonly input: ScriptInput;
  readonly process: ProcessContext;
  readonly state: ShellState;
  /** Runs a command until it ends or its context's signal aborts. */
  readonly run: (list: CommandList, context: ProcessContext) => Promise<number>;
}

/**
 * Runs a shell at a terminal: a prompt, a command, and so on until `exit` or the end of the input. Ctrl-C ends the command, or begins a new line; a mistake is reported,
 * and the shell goes on.
 */
export async function converse({ input, process, state, run }: Conversation): Promise<number> {
  process.write('stderr', WELCOME);
  for (;;) {
    const interrupt = new AbortController();
    process.handle(SIGINT, () => interrupt.abort(new Error('interrupted')));
    const context = { ...process, signal: AbortSignal.any([process.signal, interrupt.signal]) };
    try {
      const list = await readCommand(input, context, state);
      if (list === undefined) {
        process.write('stderr', '\n');
        return state.lastStatus;
      }
      state.lastStatus = await run(list, context);
    } catch (error) {
      if (error instanceof ShellExit) return error.status;
      if (process.signal.aborted) throw error;
      if (interrupt.signal.aborted) state.lastStatus = INTERRUPTED_STATUS;
      else if (error instanceof ShellSyntaxError || error instanceof ShellUnsupportedError) {
        process.write('stderr', `sh: syntax error: ${errorMessage(error)}\n`);
        state.lastStatus = 2;
      } else if (!(error instanceof LoopControl)) throw error;
    }
  }
}

/** Reads a complete command, which may have several lines; `undefined` at the end of the input. */
async function readCommand(
  input: ScriptInput,
  { signal, write, uid }: ProcessContext,
  state: ShellState,
): Promise<CommandList | undefined> {
  let script = '';
  for (;;) {
    write('stderr', script === '' ? `${state.workingDirectory} ${uid === 0n ? '#' : '$'} ` : '> ');
    const line = await input.readLine(signal);
    if (line === undefined && script === '') return undefined;
    script += line ?? '';
    try {
      return parseScript(script);
    } catch (error) {
      if (line === undefined || !(error instanceof ShellSyntaxError) || !isIncomplete(error)) throw error;
    }
  }
}
