import { errorMessage } from '../error-message.ts';
import type { LogFields, Logger } from '../logger.ts';

/** Returns a logger that prints a line each to `write`: warnings and errors always, information from `verbosity` 1 on, everything from 2 on. */
export function createConsoleLogger(write: (text: string) => void, verbosity: number, fields: LogFields = {}): Logger {
  const print = (level: string, fromVerbosity: number) => (message: string, own?: LogFields) => {
    if (verbosity < fromVerbosity) return;
    const details = Object.entries({ ...fields, ...own }).map(([key, value]) => ` ${key}=${formatValue(value)}`);
    write(`${level} ${message}${details.join('')}\n`);
  };
  return {
    debug: print('debug', 2),
    info: print('info', 1),
    warn: print('warn', 0),
    error: print('error', 0),
    child: (more) => createConsoleLogger(write, verbosity, { ...fields, ...more }),
  };
}

function formatValue(value: unknown): string {
  return JSON.stringify(value instanceof Error ? errorMessage(value) : value) ?? String(value);
}
