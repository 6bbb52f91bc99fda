/** An instant, exact to the nanosecond. */
export interface Instant {
  /** Whole seconds since the epoch. */
  readonly seconds: number;
  /** 0 to 999 999 999. */
  readonly nanos: number;
}

const FRACTION_DIGITS = 9;
/** Length of `2006-01-02T15:04:05`. */
const WHOLE = 19;
/** Length of what runtimes write nearly always: nine digits, in UTC. */
const USUAL = '2006-01-02T15:04:05.123456789Z'.length;

/** The instant of an RFC 3339 timestamp. */
export function parseInstant(timestamp: string): Instant {
  const { whole, fraction, zone } = split(timestamp);
  return { seconds: Date.parse(whole + zone) / 1000, nanos: Number(fraction) };
}

/** Whether one instant is before another. */
export function isBefore(a: Instant, b: Instant): boolean {
  return a.seconds < b.seconds || (a.seconds === b.seconds && a.nanos < b.nanos);
}

/** Writes a timestamp with exactly nine digits after the point, so that lines stay aligned and sort as text. */
export function withNanoseconds(timestamp: string): string {
  if (isUsual(timestamp)) return timestamp;
  const { whole, fraction, zone } = split(timestamp);
  return `${whole}.${fraction}${zone}`;
}

function isUsual(timestamp: string): boolean {
  return timestamp.length === USUAL && timestamp.endsWith('Z');
}

/** Takes a timestamp apart; its fraction has nine digits then. */
function split(timestamp: string): { whole: string; fraction: string; zone: string } {
  const whole = timestamp.slice(0, WHOLE);
  if (isUsual(timestamp)) return { whole, fraction: timestamp.slice(WHOLE + 1, -1), zone: 'Z' };
  const [, fraction = '', zone = ''] = /^(?:\.(\d+))?(.*)$/.exec(timestamp.slice(WHOLE)) ?? [];
  return {
    whole,
    fraction: fraction.slice(0, FRACTION_DIGITS).padEnd(FRACTION_DIGITS, '0'),
    zone: /^[+-]00:00$/.test(zone) ? 'Z' : zone,
  };
}
