import { type Clock, errorMessage } from '@rxlet/component-base';
import type { OutputStream } from '../logs/log-line.ts';
import { emptyInput, type Input, type ProcessContext, type Program, type SignalHandling } from './program.ts';
import { HARMLESS_SIGNALS, SIGKILL } from './signals.ts';
import type { ProcessEnvironment } from './process-environment.ts';

/** Exit of a process. */
export interface Exit {
  /** Exit code; 128 and its number for a signal. */
  readonly code: number;
  /** Reason in the container status, if it is neither `Completed` nor `Error`: e.g. `OOMKilled`. */
  readonly reason?: string;
  readonly message?: string;
}

/** A running program. */
export interface Process {
  /** Id on the host. */
  readonly pid: number;
  /** Command line. */
  readonly argv: readonly string[];
  /** Resolves when it has exited; stays pending when it was abandoned. */
  readonly exited: Promise<Exit>;
  /** Sends it a signal, which ends it at once unless the signal is harmless, ignored or handled. SIGKILL always ends it. */
  signal(signal: number): void;
  /** Ends it now with the given exit. */
  exit(exit: Exit): void;
  /** Stops it without a report, because the runtime itself stops. */
  abandon(): void;
}

/** Ports of a process. */
export interface ProcessOptions {
  readonly clock: Clock;
  readonly pid: number;
  readonly argv: readonly string[];
  readonly environment: ProcessEnvironment;
  /** Standard input. Default: empty. */
  readonly stdin?: Input;
  /** Whether standard input and output are a terminal. Default: no. */
  readonly hasTerminal?: boolean;
  /** Receives its output. */
  readonly write: (stream: OutputStream, text: string) => void;
  /** Called before its program begins. */
  readonly onStart?: (process: Process) => void;
  /** Called once, within the call or the turn that ends it. */
  readonly onExit?: (exit: Exit) => void;
}

/** One for all processes, since an error with its stack is slow to make. */
const ENDED = new Error('the process has ended');

/** Starts `program`. */
export function startProcess(program: Program, options: ProcessOptions): Process {
  const { clock, pid, argv } = options;
  const controller = new AbortController();
  const { promise: exited, resolve } = Promise.withResolvers<Exit>();
  const handlings = new Map<number, SignalHandling>();
  let running = true;

  const stop = (): void => {
    running = false;
    controller.abort(ENDED);
  };
  const exit = (how: Exit): void => {
    if (!running) return;
    stop();
    options.onExit?.(how);
    resolve(how);
  };

  const process: Process = {
    pid,
    argv,
    exited,
    signal(signal) {
      const handling = signal === SIGKILL ? 'default' : (handlings.get(signal) ?? 'default');
      if (typeof handling === 'function') handling();
      else if (handling === 'default' && !HARMLESS_SIGNALS.has(signal)) exit({ code: 128 + signal });
    },
    exit,
    abandon: () => {
      if (running) stop();
    },
  };
  options.onStart?.(process);
  const context: ProcessContext = {
    ...options.environment,
    clock,
    signal: controller.signal,
    stdin: options.stdin ?? emptyInput,
    hasTerminal: options.hasTerminal,
    write: (stream: OutputStream, text: string) => {
      if (running) options.write(stream, text);
    },
    handle: (signal, handling) => void handlings.set(signal, handling),
    oomKill: () => exit({ code: 137, reason: 'OOMKilled' }),
  };
  program(context).then(
    (code) => exit({ code }),
    // After an end from outside the program rejects, and exit() has no effect. Otherwise the rejection is a bug.
    (error: unknown) => exit({ code: 255, message: errorMessage(error) }),
  );
  return process;
}
