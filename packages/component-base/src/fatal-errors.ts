import type { Clock } from './clock.ts';
import { errorMessage } from './error-message.ts';
import type { Logger } from './logger.ts';

/** Exit code after an exception that no code handled (`EX_SOFTWARE` of sysexits.h). */
const SOFTWARE_ERROR = 70;
const FATAL_EVENTS = ['uncaughtException', 'unhandledRejection'] as const;

/** The parts of `process` that report fatal errors and end the program. */
export interface FatalErrorProcess {
  on(event: (typeof FATAL_EVENTS)[number], listener: (error: unknown) => void): unknown;
  off(event: (typeof FATAL_EVENTS)[number], listener: (error: unknown) => void): unknown;
  exit(code: number): unknown;
}

/** Ports of {@link exitOnFatalErrors}. */
export interface FatalErrorPorts {
  readonly process: FatalErrorProcess;
  readonly clock: Clock;
  readonly logger: Pick<Logger, 'error'>;
  /** Stops the program in order. A failure is logged. */
  stop(): PromiseLike<void>;
}

/** Options of {@link exitOnFatalErrors}. */
export interface FatalErrorOptions {
  /** Time that `stop` may take. Default: 10 000. */
  readonly stopTimeoutMs?: number;
}

/**
 * Ends the process in order after an exception or rejection that no code handled: logs it with its stack, stops the program for a bounded time, and exits with code
 * 70. The state of the program is unknown then, so it must not run on. Disposal removes the handlers.
 */
export function exitOnFatalErrors(
  ports: FatalErrorPorts,
  { stopTimeoutMs = 10_000 }: FatalErrorOptions = {},
): Disposable {
  const { process, clock, logger } = ports;
  let isStopping = false;
  const exit = (): void => void process.exit(SOFTWARE_ERROR);
  const stop = async (): Promise<void> => {
    const deadline = clock.setTimer(stopTimeoutMs, () => {
      logger.error('cannot stop in time after a fatal error', { stopTimeoutMs });
      exit();
    });
    try {
      await ports.stop();
    } catch (error) {
      logger.error('cannot stop after a fatal error', { error: errorMessage(error) });
    }
    deadline[Symbol.dispose]();
    exit();
  };
  const handle = (error: unknown): void => {
    logger.error(isStopping ? 'unhandled error while stopping' : 'unhandled error, stopping with exit code 70', {
      error: errorMessage(error),
      stack: error instanceof Error ? error.stack : undefined,
    });
    if (isStopping) return;
    isStopping = true;
    void stop();
  };

  for (const event of FATAL_EVENTS) process.on(event, handle);
  return {
    [Symbol.dispose]() {
      for (const event of FATAL_EVENTS) process.off(event, handle);
    },
  };
}
