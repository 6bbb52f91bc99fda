import type { LogFields, Logger } from './logger.ts';

/** A logged line. */
export interface LogLine {
  readonly level: 'debug' | 'info' | 'warn' | 'error';
  readonly message: string;
  /** Fields of the line and of its loggers. The innermost wins. */
  readonly fields: LogFields;
}

/** A logger that records its lines. */
export interface RecordingLogger extends Logger {
  /** All lines so far in order, those of child loggers included. */
  readonly lines: readonly LogLine[];
}

/** Creates a {@link RecordingLogger}. It is unbounded, so it is for tests only. */
export function recordingLogger(): RecordingLogger {
  const lines: LogLine[] = [];
  const withFields = (inherited: LogFields): Logger => {
    const keep =
      (level: LogLine['level']) =>
      (message: string, fields: LogFields = {}): void =>
        void lines.push({ level, message, fields: { ...inherited, ...fields } });
    return {
      debug: keep('debug'),
      info: keep('info'),
      warn: keep('warn'),
      error: keep('error'),
      child: (fields) => withFields({ ...inherited, ...fields }),
    };
  };
  return { ...withFields({}), lines };
}
