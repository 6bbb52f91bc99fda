import { errorMessage, sleep } from '@rxlet/component-base';
import { emptyInput, type ProcessContext, type Program } from '../process/program.ts';
import { BUILTIN_NAMES, createBuiltins, LoopControl, ShellExit } from './builtins.ts';
import { COMMANDS } from './commands.ts';
import { evaluateArithmetic } from './arithmetic.ts';
import { expandToOne, expandWords, type ExpandPart } from './expand.ts';
import { createPipe, PipeClosed } from './pipe.ts';
import { parseScript } from './parser.ts';
import { redirected } from './redirect.ts';
import { converse } from './conversation.ts';
import { createScriptInput, type ScriptInput } from './script-input.ts';
import { createShellState, type ShellState } from './shell-state.ts';
import {
  type AndOr,
  type Command,
  type CommandList,
  type ForCommand,
  type IfCommand,
  isIncomplete,
  type LoopCommand,
  type Pipeline,
  ShellSyntaxError,
  ShellUnsupportedError,
  type SimpleCommand,
} from './syntax.ts';

/** Options of {@link shellProgram}. */
export interface ShellOptions {
  /** `$0`, `$1`, …: the arguments after the script on the command line of `sh -c`. */
  readonly parameters?: readonly string[];
  /** Whether the shell was started with `-e`, as after `set -e`. */
  readonly exitOnError?: boolean;
  /** Runs an unknown command. */
  readonly unknownCommand: (name: string, context: ProcessContext) => Promise<number>;
}

/** Minimum duration of a round of a loop: without it a busy loop would block everything else. */
const SHORTEST_ROUND_MS = 10;
/** Maximum output of one `$(…)` in characters; the rest is dropped. */
const MAX_SUBSTITUTION = 1024 * 1024;
/** Maximum number of background commands of one shell. */
const MAX_JOBS = 100;
/** Status of a command that exists and may not be executed. */
const NOT_EXECUTABLE_STATUS = 126;
/** Status of a command that does not exist. */
const NOT_FOUND_STATUS = 127;
/** Status of a command that writes to an ended one: 128 and SIGPIPE. */
const PIPE_CLOSED_STATUS = 141;

/** Returns the program that runs a parsed script. Its exit code is the status of the last command. */
export function shellProgram(script: CommandList, options: ShellOptions): Program {
  return (context) => runShell([script], context, createShellState(context, options), options);
}

/** Returns the program of a shell that reads its commands from standard input; the commands read the rest. */
export function inputShellProgram(options: ShellOptions): Program {
  return (context) => {
    const input = createScriptInput(context.stdin);
    const process = { ...context, stdin: input };
    const state = createShellState(context, options);
    if (context.hasTerminal !== true) return runShell(readCommands(input, process), process, state, options);
    const unknownCommand = helpfulUnknownCommand(options.unknownCommand);
    return runShell(input, process, state, { ...options, unknownCommand });
  };
}

/** Answers `help`, and says of a command that there is not where to look. */
function helpfulUnknownCommand(unknownCommand: ShellOptions['unknownCommand']): ShellOptions['unknownCommand'] {
  return async (name, context) => {
    if (name === 'help') {
      const names = [...COMMANDS.keys(), ...BUILTIN_NAMES].toSorted().join(' ');
      context.write('stdout', `The fake runtime has these commands, most with a few options only:\n${names}\n`);
      return 0;
    }
    const status = await unknownCommand(name, context);
    if (status === NOT_FOUND_STATUS)
      context.write('stderr', 'The fake runtime has no such program. Type "help" for those that it has.\n');
    return status;
  };
}

/** Yields each complete command of the input. Ends the shell at a syntax error. */
async function* readCommands(input: ScriptInput, { signal, write }: ProcessContext): AsyncGenerator<CommandList> {
  let script = '';
  for (;;) {
    const line = await input.readLine(signal);
    if (line === undefined && script === '') return;
    script += line ?? '';
    try {
      yield parseScript(script);
    } catch (error) {
      if (line !== undefined && error instanceof ShellSyntaxError && isIncomplete(error)) continue;
      if (!(error instanceof ShellSyntaxError || error instanceof ShellUnsupportedError)) throw error;
      write('stderr', `sh: syntax error: ${error.message}\n`);
      throw new ShellExit(2);
    }
    script = '';
  }
}

/** Runs a shell to its end: the script's, an `exit`, or the trap for EXIT. */
async function runShell(
  scripts: readonly CommandList[] | AsyncIterable<CommandList> | ScriptInput,
  process: ProcessContext,
  state: ShellState,
  options: ShellOptions,
): Promise<number> {
  const runBuiltin = createBuiltins(state, process);

  const runSubshell = (list: CommandList, context: ProcessContext): Promise<number> =>
    runShell([list], { ...context, handle: () => undefined }, state.fork(), options);

  const expanderOf =
    (context: ProcessContext): ExpandPart =>
    async (part) => {
      if (part.kind === 'arithmetic') return String(evaluateArithmetic(part.expression, state.lookup));
      if (part.kind === 'variable') {
        const value = state.lookup(part.name);
        return part.fallback === undefined || (value !== undefined && value !== '') ? (value ?? '') : part.fallback;
      }
      let output = '';
      const write: ProcessContext['write'] = (stream, text) => {
        if (stream === 'stderr') context.write(stream, text);
        else output = (output + text).slice(0, MAX_SUBSTITUTION);
      };
      state.lastStatus = await runSubshell(part.list, { ...context, write });
      return output.replace(/\n+$/, '');
    };

  const runCommand = async ([name = '', ...args]: readonly string[], context: ProcessContext): Promise<number> => {
    if (name === 'exec') {
      if (args.length === 0) return 0;
      throw new ShellExit(await runCommand(args, context));
    }
    const program = name.startsWith('/') ? name.slice(name.lastIndexOf('/') + 1) : name;
    const command = COMMANDS.get(program);
    if (command !== undefined && context.isMasked(program)) {
      context.write('stderr', `${state.lookup('0') ?? 'sh'}: ${name}: Permission denied\n`);
      return NOT_EXECUTABLE_STATUS;
    }
    const inside = { ...context, env: state.environment, workingDirectory: state.workingDirectory };
    const status = command === undefined ? await runBuiltin(name, args, inside) : await command(args, inside);
    return status ?? options.unknownCommand(name, inside);
  };

  const runSimple = async (command: SimpleCommand, outer: ProcessContext): Promise<number> => {
    const expand = expanderOf(outer);
    const fields = await expandWords(command.words, expand);
    if (fields.length === 0) state.lastStatus = command.words.length === 0 ? 0 : state.lastStatus;
    const values: [string, string][] = [];
    for (const { name, value } of command.assignments) {
      const assigned = await expandToOne(value, expand);
      values.push([name, assigned]);
      if (fields.length === 0) state.assign(name, assigned);
    }
    const context = await redirected(outer, command.redirects, state, expand);
    if (fields.length === 0) return state.lastStatus;
    return state.withVariables(values, () => runCommand(fields, context));
  };

  /** Runs the rounds of a loop while `next` returns true; handles `break` and `continue`. */
  const runRounds = async (
    next: () => Promise<boolean>,
    body: CommandList,
    context: ProcessContext,
    tested: boolean,
  ): Promise<number> => {
    let status = 0;
    for (;;) {
      const startedMs = context.clock.monotonicNow();
      try {
        if (!(await next())) return status;
        status = await runList(body, context, tested);
      } catch (error) {
        if (!(error instanceof LoopControl)) throw error;
        if (error.levels > 1) throw new LoopControl(error.kind, error.levels - 1);
        status = 0;
        if (error.kind === 'break') return status;
      }
      const restMs = startedMs + SHORTEST_ROUND_MS - context.clock.monotonicNow();
      if (restMs > 0) await sleep(context.clock, restMs, context.signal);
    }
  };
  const runLoop = ({ condition, continuesOn, body }: LoopCommand, context: ProcessContext, tested: boolean) =>
    runRounds(
      async () => ((await runList(condition, context, true)) === 0) === (continuesOn === 'success'),
      body,
      context,
      tested,
    );
  const runFor = async ({ name, words, body }: ForCommand, context: ProcessContext, tested: boolean) => {
    const values = (await expandWords(words, expanderOf(context))).values();
    const next = (): Promise<boolean> => {
      const { done, value } = values.next();
      if (!done) state.assign(name, value);
      return Promise.resolve(!done);
    };
    return runRounds(next, body, context, tested);
  };
  const runIf = async ({ branches, otherwise }: IfCommand, context: ProcessContext, tested: boolean) => {
    for (const { condition, body } of branches) {
      if ((await runList(condition, context, true)) === 0) return runList(body, context, tested);
    }
    return runList(otherwise, context, tested);
  };

  const runAny = async (command: Command, outer: ProcessContext, tested: boolean): Promise<number> => {
    try {
      if (command.kind === 'simple') return await runSimple(command, outer);
      const context = await redirected(outer, command.redirects, state, expanderOf(outer));
      if (command.kind === 'loop') return await runLoop(command, context, tested);
      if (command.kind === 'for') return await runFor(command, context, tested);
      if (command.kind === 'if') return await runIf(command, context, tested);
      return await (command.subshell ? runSubshell(command.body, context) : runList(command.body, context, tested));
    } catch (error) {
      if (!state.isReported(error)) throw error;
      outer.write('stderr', `sh: ${errorMessage(error)}\n`);
      return 1;
    }
  };

  /** Runs the commands of a pipe side by side, each in a shell of its own. */
  const runPipe = async (commands: readonly Command[], context: ProcessContext): Promise<number> => {
    let stdin = context.stdin;
    const runs = commands.map(async (command, index) => {
      const input = stdin;
      const pipe = index < commands.length - 1 ? createPipe() : undefined;
      if (pipe !== undefined) stdin = pipe;
      const write: ProcessContext['write'] = (stream, text) =>
        pipe === undefined || stream === 'stderr' ? context.write(stream, text) : pipe.write(text);
      const list: CommandList = [{ first: { negated: false, commands: [command] }, rest: [], background: false }];
      try {
        return await runSubshell(list, { ...context, stdin: input, write });
      } catch (error) {
        if (error instanceof PipeClosed) return PIPE_CLOSED_STATUS;
        throw error;
      } finally {
        pipe?.end();
        if (index > 0 && 'close' in input) (input as { close(): void }).close();
      }
    });
    return (await Promise.all(runs)).at(-1) ?? 0;
  };

  const runPipeline = async (pipeline: Pipeline, context: ProcessContext, outerTested: boolean): Promise<number> => {
    const tested = outerTested || pipeline.negated;
    const [only, ...others] = pipeline.commands;
    const status = await (others.length === 0 ? runAny(only, context, tested) : runPipe(pipeline.commands, context));
    state.lastStatus = pipeline.negated ? Number(status === 0) : status;
    await runTraps(context);
    // POSIX: `set -e` does not apply where the status decides what comes next.
    if (state.exitOnError && state.lastStatus !== 0 && !tested) throw new ShellExit(state.lastStatus);
    return state.lastStatus;
  };

  /** As in a real shell, the handler of a signal waits for the command that runs; it interrupts only `wait`. */
  const runTraps = async (context: ProcessContext): Promise<void> => {
    for (let handler = state.takeTrap(); handler !== undefined; handler = state.takeTrap()) {
      const status = state.lastStatus;
      await runList(handler, context, true);
      state.lastStatus = status;
    }
  };

  const runAndOr = async ({ first, rest }: AndOr, context: ProcessContext, tested: boolean): Promise<number> => {
    let status = await runPipeline(first, context, tested || rest.length > 0);
    for (const [index, { operator, pipeline }] of rest.entries()) {
      if ((status === 0) === (operator === '&&'))
        status = await runPipeline(pipeline, context, tested || index < rest.length - 1);
    }
    return status;
  };

  const runInBackground = (andOr: AndOr, context: ProcessContext): number => {
    if (state.jobs.size >= MAX_JOBS) {
      context.write('stderr', "sh: can't fork: Resource temporarily unavailable\n");
      return 2;
    }
    const job = runSubshell([{ ...andOr, background: false }], { ...context, stdin: emptyInput })
      // It rejects only when the whole process ends.
      .catch(() => undefined)
      .then(() => void state.jobs.delete(job));
    state.jobs.add(job);
    return 0;
  };

  const runList = async (list: CommandList, context: ProcessContext, tested: boolean): Promise<number> => {
    let status = 0;
    for (const andOr of list) {
      if (andOr.background) state.lastStatus = status = runInBackground(andOr, context);
      else status = await runAndOr(andOr, context, tested);
    }
    return status;
  };

  const runToExit = async (): Promise<number> => {
    try {
      let last = 0;
      if ('readLine' in scripts) {
        const run = (list: CommandList, context: ProcessContext): Promise<number> => runList(list, context, false);
        return await converse({ input: scripts, process, state, run });
      }
      if (Symbol.asyncIterator in scripts) for await (const list of scripts) last = await runList(list, process, false);
      // A script that is there begins at once.
      else for (const list of scripts) last = await runList(list, process, false);
      return last;
    } catch (error) {
      if (error instanceof ShellExit) return error.status;
      if (error instanceof LoopControl) return 0;
      throw error;
    }
  };

  const status = await runToExit();
  const atExit = state.takeExitTrap();
  if (atExit === undefined) return status;
  state.lastStatus = status;
  // The status stays unless the handler itself exits.
  try {
    await runList(atExit, process, true);
    return status;
  } catch (error) {
    if (error instanceof ShellExit) return error.status;
    throw error;
  }
}
