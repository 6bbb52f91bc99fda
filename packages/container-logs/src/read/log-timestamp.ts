/** A time exact to the nanosecond, and how it is shown. */
export interface LogTimestamp {
  /** Whole seconds since the epoch. */
  readonly seconds: number;
  /** 0 to 999 999 999. */
  readonly nanos: number;
  /** RFC 3339 with exactly nine digits after the point, in the zone in which it was given. */
  readonly text: string;
}

/** The zero time of Go: that of an entry that has none. */
export const ZERO_TIMESTAMP: LogTimestamp = {
  seconds: -62_135_596_800,
  nanos: 0,
  text: '0001-01-01T00:00:00.000000000Z',
};

const FRACTION_DIGITS = 9;
/** Length of `2006-01-02T15:04:05`. */
const WHOLE = 19;
/** Length of `2006-01-02T15:04:05.123456789`. */
const SHOWN = WHOLE + 1 + FRACTION_DIGITS;
/** Length of `+02:00`. */
const OFFSET_LENGTH = 6;
const PLUS = 0x2b;
const DASH = 0x2d;
const POINT = 0x2e;
const ZERO = 0x30;
const COLON = 0x3a;
const Z = 0x5a;

const pattern = /^(\d{4})-(\d\d)-(\d\d)T(\d\d?):(\d\d):(\d\d)(?:[.,](\d+))?(?:Z|([+-])(\d\d):(\d\d))$/;

/**
 * Reads an RFC 3339 timestamp as Go's time.Parse does. That takes three things that the standard does not: an hour of one digit, a comma before the
 * fraction, and offsets of up to 24 hours and 60 minutes. Digits beyond nanoseconds are dropped. `undefined` when it is none.
 */
export function parseTimestamp(text: string): LogTimestamp | undefined {
  const match = pattern.exec(text);
  if (match === null) return undefined;
  const [, year = '', month = '', day = '', hour = '', minute = '', second = '', fraction = '', sign] = match;
  const offsetHours = Number(match[9] ?? 0);
  const offsetMinutes = Number(match[10] ?? 0);
  if (!isDate(Number(year), Number(month), Number(day))) return undefined;
  if (Number(hour) > 23 || Number(minute) > 59 || Number(second) > 59) return undefined;
  if (offsetHours > 24 || offsetMinutes > 60) return undefined;
  const offset = offsetHours * 60 + offsetMinutes;
  const nanos = fraction.slice(0, FRACTION_DIGITS).padEnd(FRACTION_DIGITS, '0');
  // Not by Date.UTC, which takes the years before 100 for those of the twentieth century.
  const date = new Date(0);
  date.setUTCFullYear(Number(year), Number(month) - 1, Number(day));
  date.setUTCHours(Number(hour), Number(minute) - (sign === '-' ? -offset : offset), Number(second));
  const zone = offset === 0 ? 'Z' : `${sign!}${padTwoDigits(Math.floor(offset / 60))}:${padTwoDigits(offset % 60)}`;
  return {
    seconds: date.getTime() / 1000,
    nanos: Number(nanos),
    text: `${year}-${month}-${day}T${hour.padStart(2, '0')}:${minute}:${second}.${nanos}${zone}`,
  };
}

/** Whether one time is before another. */
export function isBefore(
  a: Pick<LogTimestamp, 'seconds' | 'nanos'>,
  b: Pick<LogTimestamp, 'seconds' | 'nanos'>,
): boolean {
  return a.seconds < b.seconds || (a.seconds === b.seconds && a.nanos < b.nanos);
}

/** Distance of the first and the last Date from the epoch. */
const MAX_DATE_MS = 8.64e15;

/** The time of epoch milliseconds, which may carry a fraction. A time beyond the first or last Date is that Date. */
export function timestampOfMs(givenMs: number): LogTimestamp {
  const ms = Math.min(Math.max(givenMs, -MAX_DATE_MS), MAX_DATE_MS);
  const seconds = Math.floor(ms / 1000);
  const nanos = Math.min(Math.round((ms - seconds * 1000) * 1_000_000), 999_999_999);
  const whole = new Date(seconds * 1000).toISOString().slice(0, -'.000Z'.length);
  return { seconds, nanos, text: `${whole}.${String(nanos).padStart(FRACTION_DIGITS, '0')}Z` };
}

/*
 * What follows reads the form in which runtimes write times, with at most nine digits and either `Z` or another offset, byte by byte: a log is read at the
 * speed at which this is done.
 */

/** Length of the timestamp of that form that begins at `at`; 0 when what is there has another form, or is no timestamp. */
export function plainTimestampLength(bytes: Uint8Array, at: number): number {
  const month = twoDigits(bytes, at + 5);
  const day = twoDigits(bytes, at + 8);
  const inRange =
    bytes[at + 4] === DASH &&
    bytes[at + 7] === DASH &&
    bytes[at + 10] === 0x54 &&
    bytes[at + 13] === COLON &&
    bytes[at + 16] === COLON &&
    isUpTo(twoDigits(bytes, at + 11), 23) &&
    isUpTo(twoDigits(bytes, at + 14), 59) &&
    isUpTo(twoDigits(bytes, at + 17), 59);
  if (!inRange) return 0;
  const century = twoDigits(bytes, at);
  const yearOfCentury = twoDigits(bytes, at + 2);
  if (century < 0 || yearOfCentury < 0) return 0;
  const isCertainlyDate = day >= 1 && day <= 28 && month >= 1 && month <= 12;
  if (!isCertainlyDate && !isDate(century * 100 + yearOfCentury, month, day)) return 0;
  let end = at + WHOLE;
  if (bytes[end] === POINT) {
    const limit = end + FRACTION_DIGITS + 1;
    do end++;
    while (end <= limit && isDigit(bytes[end]!));
    if (end === at + WHOLE + 1 || end > limit) return 0;
  }
  if (bytes[end] === Z) return end + 1 - at;
  if (bytes[end] !== PLUS && bytes[end] !== DASH) return 0;
  const hours = twoDigits(bytes, end + 1);
  const minutes = twoDigits(bytes, end + 4);
  // An offset of nothing is shown in another way than it was written, and so is one with 60 minutes.
  const isPlain = bytes[end + 3] === COLON && isUpTo(hours, 24) && isUpTo(minutes, 59) && hours + minutes > 0;
  return isPlain ? end + OFFSET_LENGTH - at : 0;
}

/** By how many minutes the zone of the timestamp of that form is ahead of UTC. */
export function plainOffsetMinutes(bytes: Uint8Array, at: number, length: number): number {
  const end = at + length;
  if (bytes[end - 1] === Z) return 0;
  const minutes = twoDigits(bytes, end - 5) * 60 + twoDigits(bytes, end - 2);
  return bytes[end - OFFSET_LENGTH] === DASH ? -minutes : minutes;
}

/** Whether the timestamp of that form is before another one in the same zone, which has nine digits. */
export function isPlainBefore(bytes: Uint8Array, at: number, length: number, than: Uint8Array): boolean {
  const fractionEnd = zoneStart(bytes, at, length) - at;
  for (let index = 0; index < SHOWN; index++) {
    if (index === WHOLE) continue;
    const own = index < fractionEnd ? bytes[at + index]! : ZERO;
    const other = than[index]!;
    if (own !== other) return own < other;
  }
  return false;
}

/** Writes the timestamp of that form with nine digits. @returns where it ends */
export function writePlainTimestamp(
  bytes: Uint8Array,
  at: number,
  length: number,
  to: Uint8Array,
  start: number,
): number {
  const zone = zoneStart(bytes, at, length);
  let end = start;
  for (let index = at; index < zone; index++) to[end++] = bytes[index]!;
  if (end === start + WHOLE) to[end++] = POINT;
  while (end < start + SHOWN) to[end++] = ZERO;
  for (let index = zone; index < at + length; index++) to[end++] = bytes[index]!;
  return end;
}

function zoneStart(bytes: Uint8Array, at: number, length: number): number {
  const end = at + length;
  return bytes[end - 1] === Z ? end - 1 : end - OFFSET_LENGTH;
}

function isDigit(byte: number): boolean {
  return byte >= ZERO && byte <= ZERO + 9;
}

/** The number that two digits make; -1 when they are none. */
function twoDigits(bytes: Uint8Array, at: number): number {
  const tens = bytes[at]! - ZERO;
  const ones = bytes[at + 1]! - ZERO;
  return tens >= 0 && tens <= 9 && ones >= 0 && ones <= 9 ? tens * 10 + ones : -1;
}

function isUpTo(number: number, most: number): boolean {
  return number >= 0 && number <= most;
}

function isDate(year: number, month: number, day: number): boolean {
  return month >= 1 && month <= 12 && day >= 1 && day <= daysIn(year, month);
}

function daysIn(year: number, month: number): number {
  if (month === 2) return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0) ? 29 : 28;
  return month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31;
}

function padTwoDigits(number: number): string {
  return String(number).padStart(2, '0');
}
