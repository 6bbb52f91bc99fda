const UNIT_MS: Readonly<Record<string, number>> = {
  ns: 1e-6,
  us: 1e-3,
  // Both micro signs, as in Go.
  '\u00b5s': 1e-3,
  '\u03bcs': 1e-3,
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
};

const PART = /(\d+(?:\.\d*)?|\.\d+)(ns|us|\u00b5s|\u03bcs|ms|s|m|h)/y;

/** The longest duration that Go can express, about 292 years: its unit is a nanosecond in 64 bits. */
const LONGEST_MS = 2 ** 63 / 1e6;

/**
 * Parses a duration in the notation of Go, as in a KubeletConfiguration: `1m30s`, `100ms`, `1.5h`, `0`.
 * @returns milliseconds; `undefined` when the text is not a duration
 */
export function parseGoDuration(text: string): number | undefined {
  const isNegative = text.startsWith('-');
  const digits = /^[+-]/.test(text) ? text.slice(1) : text;
  if (digits === '0') return 0;
  let totalMs = 0;
  PART.lastIndex = 0;
  while (PART.lastIndex < digits.length) {
    const match = PART.exec(digits);
    if (match === null) return undefined;
    totalMs += Number(match[1]) * UNIT_MS[match[2]!]!;
  }
  if (digits === '' || totalMs >= LONGEST_MS) return undefined;
  return isNegative ? -totalMs : totalMs;
}

/** Formats a duration in the notation of Go, as in events and waiting messages, truncated to whole milliseconds: `0s`, `312ms`, `1.5s`, `2m3.45s`, `1h0m5s`. */
export function formatGoDuration(durationMs: number): string {
  const totalMs = Math.max(0, Math.trunc(durationMs));
  if (totalMs === 0) return '0s';
  if (totalMs < 1000) return `${String(totalMs)}ms`;
  const minutes = Math.floor(totalMs / 60_000);
  const seconds = `${String((totalMs % 60_000) / 1000)}s`;
  if (minutes === 0) return seconds;
  return minutes < 60
    ? `${String(minutes)}m${seconds}`
    : `${String(Math.floor(minutes / 60))}h${String(minutes % 60)}m${seconds}`;
}
