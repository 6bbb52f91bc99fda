import type { LogFields, Logger } from './logger.ts';

/** Log lines of work that is repeated until it succeeds: a failure that stays the same is logged once. */
export interface ProblemLog {
  /** Logs a failure at `warn` if its message or its `error` differs from the last one, otherwise at `debug`. */
  failed(message: string, fields: LogFields & { readonly error: string }): void;
  /** Records a success: the next failure is logged again. */
  ended(): void;
}

/** Creates a {@link ProblemLog}. */
export function createProblemLog(logger: Pick<Logger, 'warn' | 'debug'>): ProblemLog {
  let last: string | undefined;
  return {
    failed(message, fields) {
      const text = `${message}: ${fields.error}`;
      (text === last ? logger.debug : logger.warn)(message, fields);
      last = text;
    },
    ended() {
      last = undefined;
    },
  };
}
