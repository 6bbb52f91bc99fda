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
 * Reads a duration as Go and the KubeletConfiguration write it: `1m30s`, `100ms`, `1.5h`, `0`.
 * @returns milliseconds, or `undefined` when the text is no duration
 */
export function parseDurationMs(text: string): number | undefined {
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
