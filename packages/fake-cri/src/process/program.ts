import type { Clock } from '@rxlet/component-base';
import type { OutputStream } from '../logs/log-line.ts';
import type { ProcessEnvironment } from './process-environment.ts';

/** Input of a program. */
export interface Input {
  /** Returns the next piece; `undefined` at the end. Rejects with the signal's reason when it aborts. */
  read(signal: AbortSignal): Promise<string | undefined>;
}

/** Empty input. */
export const emptyInput: Input = { read: () => Promise.resolve(undefined) };

/** Reaction of a process to a signal: end (the default), ignore it, or call a function. */
export type SignalHandling = 'default' | 'ignore' | (() => void);

/** Context of a program in its process. */
export interface ProcessContext extends ProcessEnvironment {
  readonly clock: Clock;
  /** Aborts when the process ends before its program does; everything that waits must observe it. */
  readonly signal: AbortSignal;
  readonly stdin: Input;
  /** Whether standard input and output are a terminal. Default: no. */
  readonly hasTerminal?: boolean | undefined;
  /** Writes to standard output or standard error. */
  write(stream: OutputStream, text: string): void;
  /** Sets what happens on a signal. */
  handle(signal: number, handling: SignalHandling): void;
  /** Ends the process as the kernel does when its container exceeds its memory limit. */
  oomKill(): void;
}

/** Program of a process: a cancellable function on the clock. It resolves with the exit code, or rejects with the reason of the signal of its context. */
export type Program = (context: ProcessContext) => Promise<number>;

/** A program that does nothing and runs until it is stopped. It replaces every program that the fake does not have. */
export const runUntilStopped: Program = () => new Promise(() => undefined);
