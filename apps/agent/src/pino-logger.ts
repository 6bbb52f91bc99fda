import type { Logger } from '@rxlet/component-base';
import { type Logger as PinoLogger, pino } from 'pino';

/** The {@link Logger} port on pino: a line of JSON each (its text is `msg`, as in a kubelet's), on standard error. `--v` of 4 and above adds debugging lines. */
export function createPinoLogger(verbosity: number): Logger {
  const options = {
    level: verbosity >= 4 ? 'debug' : 'info',
    base: undefined,
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (level: string) => ({ level }) },
  };
  return adapt(pino(options, pino.destination({ fd: 2, sync: true })));
}

function adapt(logger: PinoLogger): Logger {
  return {
    debug: (message, fields) => logger.debug(fields ?? {}, message),
    info: (message, fields) => logger.info(fields ?? {}, message),
    warn: (message, fields) => logger.warn(fields ?? {}, message),
    error: (message, fields) => logger.error(fields ?? {}, message),
    child: (fields) => adapt(logger.child(fields)),
  };
}
