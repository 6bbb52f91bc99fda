import type { JournalSpan } from '../model/life.ts';

/** Returns a text attribute of a span; empty when it has none. */
export function textOf({ attributes }: JournalSpan, key: string): string {
  const value = attributes?.[key];
  return value === undefined ? '' : String(value);
}

/** Returns a numeric attribute of a span; 0 when it has none. */
export function numberOf({ attributes }: JournalSpan, key: string): number {
  const value = attributes?.[key];
  return typeof value === 'number' ? value : 0;
}

/** Returns a duration as people write it: `850ms`, `12s`, `3m20s`, `2h5m`, `3d4h`. */
export function formatDuration(ms: number): string {
  if (ms < 1000) return `${String(Math.max(0, Math.round(ms)))}ms`;
  const seconds = Math.round(ms / 1000);
  if (seconds < 60) return ms < 10_000 ? `${(ms / 1000).toFixed(1).replace(/\.0$/, '')}s` : `${String(seconds)}s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${String(minutes)}m${rest(seconds % 60, 's')}`;
  const hours = Math.floor(minutes / 60);
  return hours < 24
    ? `${String(hours)}h${rest(minutes % 60, 'm')}`
    : `${String(Math.floor(hours / 24))}d${rest(hours % 24, 'h')}`;
}

function rest(value: number, unit: string): string {
  return value === 0 ? '' : `${String(value)}${unit}`;
}

/** Returns the progress of a pull, as `: 12.0 of 40.1 MB (30 %)`; empty when the runtime reports none. */
export function formatProgress(span: JournalSpan): string {
  const current = span.attributes?.['currentBytes'];
  const total = span.attributes?.['totalBytes'];
  if (typeof current !== 'number') return '';
  if (typeof total !== 'number' || total === 0) return `: ${megabytes(current)} MB so far`;
  return `: ${megabytes(current)} of ${megabytes(total)} MB (${String(Math.floor((current / total) * 100))} %)`;
}

function megabytes(bytes: number): string {
  return (bytes / 1e6).toFixed(1);
}
