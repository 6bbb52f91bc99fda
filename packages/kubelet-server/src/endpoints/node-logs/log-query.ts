import { parseGoInt } from '../../request/go-numbers.ts';
import { invalidField } from './field-errors.ts';
import { parseRfc3339, type ZonedTime } from './rfc3339-time.ts';

/** Query for the logs of services, or for one file. */
export interface LogQuery {
  readonly services: readonly string[];
  readonly files: readonly string[];
  readonly options: LogQueryOptions;
}

/** Entries of the journal that a query selects. */
export interface LogQueryOptions {
  readonly sinceTime?: ZonedTime | undefined;
  readonly untilTime?: ZonedTime | undefined;
  /** Number of the last lines. */
  readonly tailLines?: bigint | undefined;
  /** Boot: 0 for the present one, -1 for the one before. */
  readonly boot?: bigint | undefined;
  /** Regular expression that the messages match. Empty: all. */
  readonly pattern: string;
}

/** Result of {@link parseLogQuery}. */
export type ParsedLogQuery = { readonly query: LogQuery | undefined } | { readonly errors: readonly string[] };

/** Parses the parameters of a request; the query is `undefined` when there are none of a query. */
export function parseLogQuery(parameters: URLSearchParams): ParsedLogQuery {
  const errors: string[] = [];
  const names = parameters.getAll('query');
  const files = names.filter((name) => /[/\\]/.test(name));
  const services = names.filter((name) => !/[/\\]/.test(name) && !/^\p{White_Space}*$/u.test(name));
  if (names.length > 0 && files.length + services.length === 0) {
    errors.push(invalidField('query', names, 'query cannot be empty'));
  }
  const option = <T>(name: string, parse: (text: string) => T | string): T | undefined => {
    const text = parameters.get(name) ?? '';
    if (text === '') return undefined;
    const value = parse(text);
    if (typeof value !== 'string') return value;
    errors.push(invalidField(name, text, value));
    return undefined;
  };
  const time = (text: string): ZonedTime | string => parseRfc3339(text) ?? 'invalid time format';
  const options: LogQueryOptions = {
    sinceTime: option('sinceTime', time),
    untilTime: option('untilTime', time),
    boot: option('boot', parseGoInt),
    tailLines: option('tailLines', parseGoInt),
    pattern: parameters.get('pattern') ?? '',
  };
  if (errors.length > 0) return { errors };
  const isQuery = files.length + services.length > 0 || hasOptions(options);
  return { query: isQuery ? { services, files, options } : undefined };
}

/** Reports whether any option is set. */
export function hasOptions(options: LogQueryOptions): boolean {
  return Object.values(options).some((value) => value !== undefined && value !== '');
}
