import type { LogQueryOptions } from './log-query.ts';
import { journalTime } from './rfc3339-time.ts';

/** Arguments with which journalctl lists the units that have entries. */
export const UNITS_ARGUMENTS: readonly string[] = ['--field', '_SYSTEMD_UNIT'];

/** Returns the arguments with which journalctl prints the entries of services. Each value is part of one argument, whatever is in it. */
export function journalArguments(services: readonly string[], options: LogQueryOptions): readonly string[] {
  const { sinceTime, untilTime, tailLines, pattern, boot } = options;
  return [
    '--utc',
    '--no-pager',
    '--output=short-precise',
    ...(sinceTime === undefined ? [] : [`--since=${journalTime(sinceTime)}`]),
    ...(untilTime === undefined ? [] : [`--until=${journalTime(untilTime)}`]),
    ...(tailLines === undefined ? [] : ['--pager-end', `--lines=${String(tailLines)}`]),
    ...services.map((service) => `--unit=${service}`),
    ...(pattern === '' ? [] : [`--grep=${pattern}`]),
    ...(boot === undefined ? [] : ['--boot', String(boot)]),
  ];
}
