import type { LogEntry } from './log-entries.ts';

/** End of a log: the time of its last entry and the number of entries with that time, since the parts of a long line share one. */
export interface LogPosition {
  readonly time: string;
  readonly count: number;
}

const LINE_TIME = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{9}Z) /;

/** Returns an entry as a line of the CRI's log format. */
export function formatLine({ time, stream, content, isComplete }: LogEntry): Buffer {
  const prefix = Buffer.from(`${time} ${stream} ${isComplete ? 'F' : 'P'} `);
  return Buffer.concat([prefix, content, Buffer.from('\n')]);
}

/** Returns the position after an entry. */
export function advance(position: LogPosition | undefined, { time }: Pick<LogEntry, 'time'>): LogPosition {
  return position?.time === time ? { time, count: position.count + 1 } : { time, count: 1 };
}

/** Returns the position at the end of the last lines of a log; `undefined` when no line has a time. */
export function positionOf(lines: string): LogPosition | undefined {
  const times = timesOf(lines);
  const time = times.at(-1);
  return time === undefined ? undefined : { time, count: times.filter((other) => other === time).length };
}

/** Reports whether the last lines of a log go back beyond the time of a position, so that its count is that of all entries. */
export function reachBeyond(lines: string, position: LogPosition | undefined): boolean {
  return timesOf(lines).some((time) => time !== position?.time);
}

function timesOf(lines: string): string[] {
  return lines.split('\n').flatMap((line) => LINE_TIME.exec(line)?.[1] ?? []);
}

/** Returns Docker's parameter for entries from a position on. */
export function sinceOf({ time }: LogPosition): string {
  return `${String(Math.trunc(Date.parse(`${time.slice(0, 19)}Z`) / 1000))}.${time.slice(20, 29)}`;
}

/** Returns a filter that drops the entries up to a position, of those that Docker reports from its time on. */
export function skipUntil(position: LogPosition | undefined): (entry: LogEntry) => boolean {
  let left = position?.count ?? 0;
  return ({ time }) => {
    if (position === undefined || time > position.time) return true;
    if (time === position.time && left-- <= 0) return true;
    return false;
  };
}
