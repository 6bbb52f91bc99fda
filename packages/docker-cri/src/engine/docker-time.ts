const PATTERN = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.(\d{1,9}))?(Z|[+-]\d\d:\d\d)$/;

/** Returns a time of Docker's in nanoseconds since the epoch; 0 for Docker's zero time and for texts that are no times. */
export function dockerTimeNanos(text: string): bigint {
  const [, seconds, fraction = '', zone] = PATTERN.exec(text) ?? [];
  if (seconds === undefined || text.startsWith('0001-')) return 0n;
  const epochMs = Date.parse(`${seconds}${zone!}`);
  return Number.isNaN(epochMs) ? 0n : BigInt(epochMs) * 1_000_000n + BigInt(fraction.padEnd(9, '0'));
}
