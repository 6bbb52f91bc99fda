import type { Logger } from '@rxlet/component-base';
import { type Logger as PinoLogger, pino } from 'pino';

/** A log on standard error whose verbosity can be changed. */
export interface PinoLog {
  readonly logger: Logger;
  /** Sets the verbosity of the logger and of all its children: 4 and above adds debugging lines. */
  setVerbosity(verbosity: number): void;
}

/** The {@link Logger} port on pino: a line of JSON each (its text is `msg`, as in a kubelet's), on standard error. */
export function createPinoLogger(verbosity: number): PinoLog {
  const options = {
    level: 'debug',
    base: undefined,
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (level: string) => ({ level }) },
  };
  const destination = pino.destination({ fd: 2, sync: true });
  // A full disk or a closed pipe costs log lines, never the agent.
  destination.on('error', () => undefined);
  let hasDebugLines = false;
  const setVerbosity = (next: number): void => void (hasDebugLines = next >= 4);
  setVerbosity(verbosity);
  return { logger: adapt(pino(options, destination), () => hasDebugLines), setVerbosity };
}

function adapt(logger: PinoLogger, hasDebugLines: () => boolean): Logger {
  return {
    debug: (message, fields) => {
      if (hasDebugLines()) logger.debug(fields ?? {}, message);
    },
    info: (message, fields) => logger.info(fields ?? {}, message),
    warn: (message, fields) => logger.warn(fields ?? {}, message),
    error: (message, fields) => logger.error(fields ?? {}, message),
    child: (fields) => adapt(logger.child(fields), hasDebugLines),
  };
}
