import { sleep } from '@rxlet/component-base';
import type { OutputStream } from '../logs/log-line.ts';
import type { ProcessContext, Program } from '../process/program.ts';
import { signalNumber } from '../process/signals.ts';
import { COMMANDS } from './commands.ts';
import { expandWords } from './expand.ts';
import type { AndOr, Command, CommandList, LoopCommand, Redirect, SimpleCommand } from './syntax.ts';

/** Options of {@link shellProgram}. */
export interface ShellOptions {
  /** `$0`, `$1`, …: what follows the script on the command line of `sh -c`. */
  readonly parameters?: readonly string[];
  /** Whether the shell was started with `-e`, as after `set -e`. */
  readonly exitOnError?: boolean;
  /** What a command does that is not known. */
  readonly unknownCommand: (name: string, context: ProcessContext) => Promise<number>;
}

/** A loop that never sleeps would never let anything else run: each round takes at least this long. */
const SHORTEST_ROUND_MS = 10;

/** Ends the script with a status, from anywhere within. */
class ShellExit extends Error {
  readonly status: number;

  constructor(status: number) {
    super(`exit ${String(status)}`);
    this.status = status;
  }
}

/** The program that runs a parsed script. Its exit code is the status of the last command. */
export function shellProgram(script: CommandList, options: ShellOptions): Program {
  return async (process) => {
    let lastStatus = 0;
    let exitOnError = options.exitOnError ?? false;

    const lookup = (name: string): string | undefined => {
      if (name === '?') return String(lastStatus);
      if (name === '#') return String(Math.max(0, (options.parameters?.length ?? 0) - 1));
      if (name === '$') return '1';
      return /^\d+$/.test(name) ? options.parameters?.[Number(name)] : process.env.get(name);
    };

    /** Commands that belong to the shell itself. `undefined`: it is none of them. */
    const runBuiltin = async (
      name: string,
      args: readonly string[],
      context: ProcessContext,
    ): Promise<number | undefined> => {
      switch (name) {
        case ':':
          return 0;
        case 'exit':
          throw new ShellExit(args[0] === undefined ? lastStatus : exitStatus(args[0], context));
        case 'exec':
          if (args.length === 0) return 0;
          throw new ShellExit(await runCommand(args, context));
        case 'set':
          if (args.length !== 1 || !/^[-+]e$/.test(args[0]!)) return undefined;
          exitOnError = args[0] === '-e';
          return 0;
        case 'trap':
          return ignoreSignals(args, context);
        default:
          return undefined;
      }
    };

    const runCommand = async ([name = '', ...args]: readonly string[], context: ProcessContext): Promise<number> => {
      const command = COMMANDS.get(name.startsWith('/') ? name.slice(name.lastIndexOf('/') + 1) : name);
      if (command !== undefined) return command(args, context);
      return (await runBuiltin(name, args, context)) ?? options.unknownCommand(name, context);
    };

    const runSimple = async ({ words, redirects }: SimpleCommand, context: ProcessContext): Promise<number> => {
      const fields = expandWords(words, lookup);
      return fields.length === 0 ? 0 : runCommand(fields, redirected(context, redirects));
    };

    const runLoop = async (loop: LoopCommand, outer: ProcessContext, tested: boolean): Promise<number> => {
      const context = redirected(outer, loop.redirects);
      let status = 0;
      for (;;) {
        const startedMs = context.clock.monotonicNow();
        const condition = await runList(loop.condition, context, true);
        if ((condition === 0) !== (loop.continuesOn === 'success')) return status;
        status = await runList(loop.body, context, tested);
        const restMs = startedMs + SHORTEST_ROUND_MS - context.clock.monotonicNow();
        if (restMs > 0) await sleep(context.clock, restMs, context.signal);
      }
    };

    const run = async (command: Command, context: ProcessContext, tested: boolean): Promise<number> => {
      lastStatus = await (command.kind === 'simple' ? runSimple(command, context) : runLoop(command, context, tested));
      // POSIX: `set -e` does not apply where the status decides what comes next.
      if (exitOnError && lastStatus !== 0 && !tested) throw new ShellExit(lastStatus);
      return lastStatus;
    };

    const runAndOr = async ({ first, rest }: AndOr, context: ProcessContext, tested: boolean): Promise<number> => {
      let status = await run(first, context, tested || rest.length > 0);
      for (const [index, { operator, command }] of rest.entries()) {
        if ((status === 0) === (operator === '&&'))
          status = await run(command, context, tested || index < rest.length - 1);
      }
      return status;
    };

    const runList = async (list: CommandList, context: ProcessContext, tested: boolean): Promise<number> => {
      let status = 0;
      for (const andOr of list) status = await runAndOr(andOr, context, tested);
      return status;
    };

    try {
      return await runList(script, process, false);
    } catch (error) {
      if (error instanceof ShellExit) return error.status;
      throw error;
    }
  };
}

function exitStatus(text: string, context: ProcessContext): number {
  if (/^\d+$/.test(text)) return Number(text) & 0xff;
  context.write('stderr', `sh: exit: Illegal number: ${text}\n`);
  return 2;
}

/** `trap '' SIGNAL…` and `trap - SIGNAL…`. Handlers that run a command are not supported. */
function ignoreSignals([action, ...signals]: readonly string[], context: ProcessContext): number | undefined {
  const numbers = signals.map(signalNumber);
  if ((action !== '' && action !== '-') || numbers.includes(undefined)) return undefined;
  for (const number of numbers) context.ignore(number!, action === '');
  return 0;
}

/** Redirections apply from left to right: `>/dev/null 2>&1` silences both outputs. */
function redirected(context: ProcessContext, redirects: readonly Redirect[]): ProcessContext {
  if (redirects.length === 0) return context;
  const targets: Record<OutputStream, OutputStream | 'null'> = { stdout: 'stdout', stderr: 'stderr' };
  for (const { from, to } of redirects) targets[from] = to === 'null' ? 'null' : targets[to];
  return {
    ...context,
    write(stream, text) {
      const target = targets[stream];
      if (target !== 'null') context.write(target, text);
    },
  };
}
