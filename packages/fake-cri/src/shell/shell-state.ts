import { FileError } from '../fs/file-system.ts';
import type { ProcessContext } from '../process/program.ts';
import type { CommandList } from './syntax.ts';

/** State of a shell between its commands. */
export interface ShellState {
  /** Exported variables. */
  readonly environment: Map<string, string>;
  /** Commands that run in the background. */
  readonly jobs: Set<Promise<void>>;
  /** Handlers of signals by number; 0 for the end of the shell. */
  readonly traps: Map<number, CommandList>;
  workingDirectory: string;
  lastStatus: number;
  exitOnError: boolean;
  lookup(name: string): string | undefined;
  assign(name: string, value: string): void;
  export(name: string): void;
  unset(name: string): void;
  shift(): boolean;
  /** Runs a command with additional variables: `A=1 command`. */
  withVariables<T>(values: readonly (readonly [string, string])[], run: () => Promise<T>): Promise<T>;
  /** Records a signal with a trap. */
  signalled(signal: number): void;
  /** Resolves with the next signal that has a trap; at once when one is pending. */
  nextSignal(): Promise<void>;
  /** Returns the next pending handler. */
  takeTrap(): CommandList | undefined;
  takeExitTrap(): CommandList | undefined;
  /** Reports whether the error ends only the command, with a message, as a failed redirection does. */
  isReported(error: unknown): boolean;
  /** Returns the state of a subshell: a copy. */
  fork(): ShellState;
}

interface Start {
  readonly parameters?: readonly string[];
  readonly exitOnError?: boolean;
}

/** Creates the state of a shell. */
export function createShellState(
  { env, workingDirectory, pid }: Pick<ProcessContext, 'env' | 'workingDirectory' | 'pid'>,
  { parameters: first = [], exitOnError = false }: Start,
): ShellState {
  return build(pid, new Map(env), new Map(), first, { workingDirectory, exitOnError, lastStatus: 0 });
}

function build(
  pid: number,
  environment: Map<string, string>,
  variables: Map<string, string>,
  initialParameters: readonly string[],
  values: Pick<ShellState, 'workingDirectory' | 'exitOnError' | 'lastStatus'>,
): ShellState {
  let parameters = initialParameters;
  let pending: number[] = [];
  let notify: (() => void) | undefined;
  const traps = new Map<number, CommandList>();

  const state: ShellState = {
    ...values,
    environment,
    jobs: new Set(),
    traps,
    lookup(name) {
      if (name === '?') return String(state.lastStatus);
      if (name === '#') return String(Math.max(0, parameters.length - 1));
      if (name === '$') return String(pid);
      if (name === '!') return undefined;
      return /^\d+$/.test(name) ? parameters[Number(name)] : (variables.get(name) ?? environment.get(name));
    },
    assign: (name, value) => void (environment.has(name) ? environment : variables).set(name, value),
    export(name) {
      const value = variables.get(name);
      if (value === undefined) return;
      variables.delete(name);
      environment.set(name, value);
    },
    unset(name) {
      variables.delete(name);
      environment.delete(name);
    },
    shift() {
      if (parameters.length < 2) return false;
      parameters = [parameters[0]!, ...parameters.slice(2)];
      return true;
    },
    async withVariables(assigned, run) {
      const before = assigned.map(([name]) => [name, environment.get(name)] as const);
      for (const [name, value] of assigned) environment.set(name, value);
      try {
        return await run();
      } finally {
        for (const [name, value] of before) {
          if (value === undefined) environment.delete(name);
          else environment.set(name, value);
        }
      }
    },
    signalled(signal) {
      if (!pending.includes(signal)) pending.push(signal);
      notify?.();
    },
    async nextSignal() {
      if (pending.length > 0) return;
      const { promise, resolve } = Promise.withResolvers<void>();
      notify = resolve;
      await promise;
    },
    takeTrap() {
      const [signal, ...rest] = pending;
      pending = rest;
      return signal === undefined ? undefined : (traps.get(signal) ?? []);
    },
    takeExitTrap() {
      const handler = traps.get(0);
      traps.delete(0);
      return handler;
    },
    isReported: (error) => error instanceof FileError || error instanceof RangeError || error instanceof SyntaxError,
    fork: () =>
      build(pid, new Map(environment), new Map(variables), parameters, {
        workingDirectory: state.workingDirectory,
        exitOnError: state.exitOnError,
        lastStatus: state.lastStatus,
      }),
  };
  return state;
}
