import type { Clock } from '../clock.ts';
import type { LogFields, Logger } from '../logger.ts';
import { formatJsonLine } from './json-line.ts';
import type { LogEntry } from './log-entry.ts';
import { formatTextLine } from './text-line.ts';
import { verbosityByName, type VerbosityPattern } from './vmodule.ts';

/** Ports of {@link createKlogLogger}. */
export interface KlogPorts {
  readonly clock: Pick<Clock, 'now'>;
  /** Writes a line, which ends with a line break. */
  readonly write: (line: string, severity: LogEntry['severity']) => void;
}

/** Options of {@link createKlogLogger}, by the names of KubeletConfiguration. */
export interface KlogOptions {
  /** Default: `text`. */
  readonly format?: 'text' | 'json';
  /** From 4 on, debugging lines are written. Default: 0. */
  readonly verbosity?: number;
  /** Higher verbosities of single loggers. */
  readonly vmodule?: readonly VerbosityPattern[];
  /** Process of text lines. */
  readonly pid: number;
  /** Name that text lines of a logger without one have. */
  readonly program: string;
}

/** A log whose verbosity can be changed. */
export interface KlogLogger {
  readonly logger: Logger;
  /** Sets the verbosity of the logger and of all its children. */
  setVerbosity(verbosity: number): void;
  /** Sets the verbosities of single loggers. */
  setVmodule(vmodule: readonly VerbosityPattern[]): void;
}

/** Verbosity of debugging lines. */
const DEBUG_VERBOSITY = 4;

/** Creates a logger that writes the lines of Kubernetes' components. The field `logger` of a child names it; names of children are joined by dots. */
export function createKlogLogger({ clock, write }: KlogPorts, options: KlogOptions): KlogLogger {
  const { format = 'text', pid, program } = options;
  const formatLine =
    format === 'json' ? formatJsonLine : (entry: LogEntry): string => formatTextLine(entry, { pid, program });
  let verbosity = options.verbosity ?? 0;
  let verbosityOf = verbosityByName(options.vmodule ?? []);

  const create = (name: string, inherited: LogFields): Logger => {
    const log =
      (severity: LogEntry['severity'], level = 0) =>
      (message: string, fields: LogFields = {}): void => {
        if (level > 0 && level > verbosity && level > verbosityOf(name === '' ? program : name)) return;
        // A repeated field counts once, with its last value and in the place of that.
        const kept = Object.entries(inherited).filter(([key]) => !Object.hasOwn(fields, key));
        const entry = {
          timeMs: clock.now(),
          logger: name,
          message,
          fields: { ...Object.fromEntries(kept), ...fields },
        };
        write(formatLine({ ...entry, severity, verbosity: level }), severity);
      };
    return {
      debug: log('info', DEBUG_VERBOSITY),
      info: log('info'),
      warn: log('warning'),
      error: log('error'),
      child: ({ logger, ...fields }) =>
        create(typeof logger === 'string' ? [name, logger].filter((part) => part !== '').join('.') : name, {
          ...inherited,
          ...fields,
        }),
    };
  };
  return {
    logger: create('', {}),
    setVerbosity: (next) => void (verbosity = next),
    setVmodule: (next) => void (verbosityOf = verbosityByName(next)),
  };
}
