import type { Clock } from '@rxlet/component-base';
import type { OutputStream } from '../logs/log-line.ts';

/** What a program gets from the process that runs it. */
export interface ProcessContext {
  readonly clock: Clock;
  /** Environment variables by name. */
  readonly env: ReadonlyMap<string, string>;
  /** Aborts when the process ends before its program does; everything that waits has to heed it. */
  readonly signal: AbortSignal;
  /** Writes to standard output or standard error. */
  write(stream: OutputStream, text: string): void;
  /** Whether the process goes on when it gets this signal. By default it ends. */
  ignore(signal: number, ignored: boolean): void;
}

/** What a process runs: a cancellable function on the clock. It resolves with the exit code, or rejects with the reason of the signal of its context. */
export type Program = (context: ProcessContext) => Promise<number>;

/** A program that does nothing and runs until it is stopped: what stands for everything that the fake does not know. */
export const runUntilStopped: Program = () => new Promise(() => undefined);
