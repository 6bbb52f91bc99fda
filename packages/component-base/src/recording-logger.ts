import type { LogFields, Logger } from './logger.ts';

/** One line that was logged. */
export interface LogLine {
  readonly level: 'debug' | 'info' | 'warn' | 'error';
  readonly message: string;
  /** The fields of the line and of all loggers above it; of equal names, the nearest. */
  readonly fields: LogFields;
}

/** A logger that keeps its lines. */
export interface RecordingLogger extends Logger {
  /** All lines so far, those of its children included, in the order they were logged. */
  readonly lines: readonly LogLine[];
}

/** Creates a {@link RecordingLogger}. It keeps everything, so it is for tests only. */
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
