/** A point in time, and its text in the zone in which it was given. */
export interface ZonedTime {
  readonly epochNanos: bigint;
  /** RFC 3339, the fraction without trailing zeros. */
  readonly text: string;
}

const FORM = /^(\d{4})-(\d\d)-(\d\d)T(\d{1,2}):(\d\d):(\d\d)(?:[.,](\d+))?(?:Z|([+-])(\d\d):(\d\d))$/;
const MAX_ZONE_HOURS = 24;
const MAX_ZONE_MINUTES = 60;
const NANOS_PER_SECOND = 1_000_000_000n;

/** Parses an RFC 3339 time as Go's `time.Parse`, which also takes an hour of one digit and a comma. Returns `undefined` for another text. */
export function parseRfc3339(text: string): ZonedTime | undefined {
  const match = FORM.exec(text);
  if (match === null) return undefined;
  const [, year, month, day, hour, minute, second, fraction = '', sign, zoneHours = '0', zoneMinutes = '0'] = match;
  const date = new Date(0);
  date.setUTCFullYear(Number(year), Number(month) - 1, Number(day));
  const isDate = date.getUTCMonth() === Number(month) - 1 && date.getUTCDate() === Number(day);
  const isTime = Number(hour) < 24 && Number(minute) < 60 && Number(second) < 60;
  const isZone = Number(zoneHours) <= MAX_ZONE_HOURS && Number(zoneMinutes) <= MAX_ZONE_MINUTES;
  if (!isDate || !isTime || !isZone) return undefined;
  date.setUTCHours(Number(hour), Number(minute), Number(second));
  const offsetMinutes = (Number(zoneHours) * 60 + Number(zoneMinutes)) * (sign === '-' ? -1 : 1);
  const nanos = fraction.slice(0, 9).padEnd(9, '0');
  const seconds = BigInt(date.getTime() / 1000 - offsetMinutes * 60);
  return {
    epochNanos: seconds * NANOS_PER_SECOND + BigInt(nanos),
    text: `${date.toISOString().slice(0, -'.000Z'.length)}${fractionText(nanos)}${zoneText(offsetMinutes)}`,
  };
}

function fractionText(nanos: string): string {
  const digits = nanos.replace(/0+$/, '');
  return digits === '' ? '' : `.${digits}`;
}

function zoneText(offsetMinutes: number): string {
  if (offsetMinutes === 0) return 'Z';
  const distance = Math.abs(offsetMinutes);
  const [hours, minutes] = [Math.trunc(distance / 60), distance % 60].map((part) => String(part).padStart(2, '0'));
  return `${offsetMinutes < 0 ? '-' : '+'}${hours!}:${minutes!}`;
}

/** Returns a time as the kubelet writes it for journalctl, in UTC: `2026-1-2 03:4:5`. */
export function journalTime({ epochNanos }: ZonedTime): string {
  const date = new Date(Number(epochNanos / 1_000_000n));
  const year = String(date.getUTCFullYear()).padStart(4, '0');
  const day = [year, date.getUTCMonth() + 1, date.getUTCDate()].join('-');
  const hour = String(date.getUTCHours()).padStart(2, '0');
  return `${day} ${[hour, date.getUTCMinutes(), date.getUTCSeconds()].join(':')}`;
}
