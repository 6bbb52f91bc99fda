import type { Clock } from '@rxlet/component-base';
import type { OutputStream } from '../logs/log-line.ts';
import type { Surroundings } from './surroundings.ts';

/** What a program reads. */
export interface Input {
  /** The next piece; `undefined` at the end. Rejects with the signal's reason when that aborts. */
  read(signal: AbortSignal): Promise<string | undefined>;
}

/** Nothing to read. */
export const emptyInput: Input = { read: () => Promise.resolve(undefined) };

/** What a process does on a signal: end (the default), go on, or call a function and go on. */
export type SignalHandling = 'default' | 'ignore' | (() => void);

/** What a program gets from the process that runs it. */
export interface ProcessContext extends Surroundings {
  readonly clock: Clock;
  /** Aborts when the process ends before its program does; everything that waits has to heed it. */
  readonly signal: AbortSignal;
  readonly stdin: Input;
  /** Writes to standard output or standard error. */
  write(stream: OutputStream, text: string): void;
  /** Sets what happens on a signal. */
  handle(signal: number, handling: SignalHandling): void;
}

/** What a process runs: a cancellable function on the clock. It resolves with the exit code, or rejects with the reason of the signal of its context. */
export type Program = (context: ProcessContext) => Promise<number>;

/** A program that does nothing and runs until it is stopped: what stands for everything that the fake does not know. */
export const runUntilStopped: Program = () => new Promise(() => undefined);
