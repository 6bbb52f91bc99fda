import { goQuote } from '../go-quote.ts';
import { entryFields, type LogEntry, toJsonText } from './log-entry.ts';

const LETTERS = { info: 'I', warning: 'W', error: 'E' } as const;
/** Line of a source that is not known, as in klog. */
const UNKNOWN_LINE = 1;

/**
 * Formats a line in klog's text format: `I1124 06:12:48.123000    4711 eviction:1] "evicting pod" pod="web"`. The name of the logger stands where klog has the file.
 * The time is local.
 */
export function formatTextLine(
  entry: LogEntry,
  { pid, program }: { readonly pid: number; readonly program: string },
): string {
  const { severity, timeMs, logger, message } = entry;
  const { err, others } = entryFields(entry);
  const pairs = [...(err === undefined ? [] : [['err', err] as const]), ...others];
  const source = (logger === '' ? program : logger).replaceAll(/[\s\]:]/g, '_');
  const head = `${LETTERS[severity]}${localTime(timeMs)} ${String(pid).padStart(7)} ${source}:${String(UNKNOWN_LINE)}]`;
  return `${head} ${goQuote(message)}${pairs.map(([name, value]) => ` ${name}=${formatValue(value)}`).join('')}\n`;
}

/** Formats a time as `MMDD hh:mm:ss.uuuuuu` in the zone of the process. */
function localTime(timeMs: number): string {
  const time = new Date(timeMs);
  const two = (part: number): string => String(part).padStart(2, '0');
  const micros = Math.floor((((timeMs % 1000) + 1000) % 1000) * 1000);
  const day = `${two(time.getMonth() + 1)}${two(time.getDate())}`;
  return `${day} ${two(time.getHours())}:${two(time.getMinutes())}:${two(time.getSeconds())}.${String(micros).padStart(6, '0')}`;
}

function formatValue(value: unknown): string {
  const text = typeof value === 'string' ? value : value instanceof Error ? value.message : undefined;
  if (text === undefined) return typeof value === 'bigint' ? value.toString() : toJsonText(value);
  if (!text.includes('\n')) return goQuote(text);
  // The end cannot be mistaken for a line of the value, which is indented by a tab.
  const lines = (text.endsWith('\n') ? text.slice(0, -1) : text).split('\n');
  return `<\n${lines.map((line) => `\t${line}\n`).join('')} >`;
}
