/** Part of a file, the end exclusive. */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

/** Why a header `Range` is rejected, in the words of Go. */
export type RangeFault = 'invalid range' | 'invalid range: failed to overlap';

/** Ranges of one request; more are no use to a reader. */
const MAX_RANGES = 1000;

/** Parses the header `Range` of a file of this size as Go's file server. No ranges: the whole file answers it. */
export function parseRanges(header: string | undefined, sizeBytes: number): readonly ByteRange[] | RangeFault {
  if (header === undefined || header === '') return [];
  if (!header.startsWith('bytes=')) return 'invalid range';
  const parts = header
    .slice('bytes='.length)
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');
  const parsed = parts.map((part) => parseRange(part, sizeBytes));
  if (parsed.includes('invalid')) return 'invalid range';
  const ranges = parsed.filter((range) => typeof range !== 'string');
  // Some clients send a range with every request, also for a file that is empty.
  if (parts.length > 0 && ranges.length === 0) return sizeBytes === 0 ? [] : 'invalid range: failed to overlap';
  const total = ranges.reduce((sum, { start, end }) => sum + end - start, 0);
  return total > sizeBytes || ranges.length > MAX_RANGES ? [] : ranges;
}

function parseRange(part: string, sizeBytes: number): ByteRange | 'invalid' | 'outside' {
  const [, first, last] = /^(\d*)\s*-\s*(\d*)$/.exec(part) ?? [];
  if (first === undefined || last === undefined || (first === '' && last === '')) return 'invalid';
  if (![first, last].every((number) => Number.isSafeInteger(Number(number)))) return 'invalid';
  if (first === '') return { start: Math.max(0, sizeBytes - Number(last)), end: sizeBytes };
  const start = Number(first);
  if (start >= sizeBytes) return 'outside';
  if (last !== '' && Number(last) < start) return 'invalid';
  return { start, end: last === '' ? sizeBytes : Math.min(Number(last) + 1, sizeBytes) };
}

/** Returns the header `Content-Range` of a part of a file. */
export function contentRange({ start, end }: ByteRange, sizeBytes: number): string {
  return `bytes ${String(start)}-${String(end - 1)}/${String(sizeBytes)}`;
}
