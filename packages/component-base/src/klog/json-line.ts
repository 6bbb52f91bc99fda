import { entryFields, type LogEntry, toJsonText } from './log-entry.ts';

/**
 * Formats a line in the JSON format of Kubernetes: `{"ts":1763964768123,"logger":"eviction","msg":"evicting pod","v":0,"pod":"web"}`. An error has `err` last and no `v`;
 * a warning, which Kubernetes does not distinguish from other lines, has a `severity`.
 */
export function formatJsonLine(entry: LogEntry): string {
  const { severity, verbosity, timeMs, logger, message } = entry;
  const { err, others } = entryFields(entry);
  const head: readonly (readonly [string, unknown])[] = [
    ['ts', timeMs],
    ...(logger === '' ? [] : [['logger', logger] as const]),
    ['msg', message],
    ...(severity === 'error' ? [] : [['v', verbosity] as const]),
    ...(severity === 'warning' ? [['severity', severity] as const] : []),
  ];
  const known = new Set(head.map(([name]) => name));
  const rest = [...others.filter(([name]) => !known.has(name)), ...(err === undefined ? [] : [['err', err] as const])];
  const members = [...head, ...rest].map(([name, value]) => `${JSON.stringify(name)}:${toJsonText(value)}`);
  return `{${members.join(',')}}\n`;
}
