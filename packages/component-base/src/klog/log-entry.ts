import type { LogFields } from '../logger.ts';

/** A line of a log before it is formatted. */
export interface LogEntry {
  readonly severity: 'info' | 'warning' | 'error';
  /** Verbosity from which the line is written. */
  readonly verbosity: number;
  /** Wall-clock time, in milliseconds since the Unix epoch. */
  readonly timeMs: number;
  /** Name of the logger: parts joined by dots; empty for a logger without one. */
  readonly logger: string;
  readonly message: string;
  /** Fields of the logger, then those of the line. Fields without a value are left out. */
  readonly fields: LogFields;
}

/** Fields of an entry that have a value, with the error last under the name that klog gives it. */
export interface EntryFields {
  readonly err: unknown;
  readonly others: readonly (readonly [name: string, value: unknown])[];
}

/** Splits the fields of an entry. */
export function entryFields({ fields }: LogEntry): EntryFields {
  const { error, ...others } = fields;
  return { err: error, others: Object.entries(others).filter(([, value]) => value !== undefined) };
}

/** Returns the JSON text of a value; that of its text for a value that JSON cannot express. */
export function toJsonText(value: unknown): string {
  try {
    return (
      JSON.stringify(value, (_, inner: unknown) => {
        if (typeof inner === 'bigint') return inner.toString();
        return inner instanceof Error ? inner.message : inner;
      }) ?? 'null'
    );
  } catch {
    return JSON.stringify(String(value));
  }
}
