import { abortable, errorMessage } from '@rxlet/component-base';
import { resolvePath } from '../fs/file-system.ts';
import type { ProcessContext } from '../process/program.ts';
import { signalNumber } from '../process/signals.ts';
import { parseScript } from './parser.ts';
import type { ShellState } from './shell-state.ts';

/** Ends the shell with a status, at any depth. */
export class ShellExit extends Error {
  override readonly name = 'ShellExit';
  readonly status: number;

  constructor(status: number) {
    super(`exit ${String(status)}`);
    this.status = status;
  }
}

/** `break` and `continue`, with the number of loops to leave. */
export class LoopControl extends Error {
  override readonly name = 'LoopControl';
  readonly kind: 'break' | 'continue';
  readonly levels: number;

  constructor(kind: 'break' | 'continue', levels: number) {
    super(kind);
    this.kind = kind;
    this.levels = levels;
  }
}

/** Names of the builtins, for people. */
export const BUILTIN_NAMES: readonly string[] = [
  'break',
  'cd',
  'continue',
  'exit',
  'export',
  'set',
  'trap',
  'unset',
  'wait',
];

type Builtin = (args: readonly string[], context: ProcessContext) => number | undefined | Promise<number | undefined>;

/** Runs a builtin of the shell; `undefined` for another command. `process` is the source of signals. */
export function createBuiltins(
  state: ShellState,
  process: ProcessContext,
): (name: string, args: readonly string[], context: ProcessContext) => Promise<number | undefined> {
  const assignAll = (args: readonly string[], exported: boolean): number => {
    for (const arg of args) {
      const [name = '', ...value] = arg.split('=');
      if (value.length > 0) state.assign(name, value.join('='));
      if (exported) state.export(name);
    }
    return 0;
  };

  const trap: Builtin = ([action, ...names], context) => {
    const signals = names.map((name) => (name === 'EXIT' ? 0 : signalNumber(name)));
    if (action === undefined || signals.includes(undefined)) {
      context.write('stderr', 'sh: trap: bad trap\n');
      return 1;
    }
    let handler: ReturnType<typeof parseScript>;
    try {
      handler = parseScript(action);
    } catch (error) {
      context.write('stderr', `sh: trap: ${errorMessage(error)}\n`);
      return 2;
    }
    for (const signal of signals as number[]) {
      if (action === '' || action === '-') state.traps.delete(signal);
      else state.traps.set(signal, handler);
      if (signal === 0) continue;
      process.handle(signal, action === '' ? 'ignore' : action === '-' ? 'default' : () => state.signalled(signal));
    }
    return 0;
  };

  /** Waits for all jobs, or for a signal with a trap. */
  const wait: Builtin = async (_args, { signal }) => {
    const jobs = Promise.all(state.jobs).then(() => 0);
    return abortable(Promise.race([jobs, state.nextSignal().then(() => 128 + 15)]), signal);
  };

  const builtins = new Map<string, Builtin>([
    [':', () => 0],
    ['break', ([levels = '1']) => leave('break', levels)],
    ['continue', ([levels = '1']) => leave('continue', levels)],
    ['export', (args) => assignAll(args, true)],
    ['local', (args) => assignAll(args, false)],
    ['shift', () => Number(!state.shift())],
    ['trap', trap],
    ['wait', wait],
    [
      'cd',
      ([to = '/'], context) => {
        const path = resolvePath(state.workingDirectory, to);
        if (context.files.kind(path) === 'directory') {
          state.workingDirectory = path;
          return 0;
        }
        context.write('stderr', `sh: cd: can't cd to ${to}: No such file or directory\n`);
        return 2;
      },
    ],
    [
      'exit',
      ([status], context) => {
        throw new ShellExit(status === undefined ? state.lastStatus : exitStatus(status, context));
      },
    ],
    [
      'set',
      (args) => {
        if (args.length !== 1 || !/^[-+][eux]+$/.test(args[0]!)) return undefined;
        if (args[0]!.includes('e')) state.exitOnError = args[0]!.startsWith('-');
        return 0;
      },
    ],
    [
      'unset',
      (args) => {
        for (const name of args) state.unset(name);
        return 0;
      },
    ],
  ]);
  return async (name, args, context) => builtins.get(name)?.(args, context);
}

function leave(kind: 'break' | 'continue', levels: string): never {
  throw new LoopControl(kind, Math.max(1, Number(levels) || 1));
}

function exitStatus(text: string, context: ProcessContext): number {
  if (/^\d+$/.test(text)) return Number(text) & 0xff;
  context.write('stderr', `sh: exit: Illegal number: ${text}\n`);
  return 2;
}
