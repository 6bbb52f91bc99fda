/** Seconds from the year 1, at which Go's times begin, to 1970. */
const YEAR_1_SECONDS = 62_135_596_800;
const utc = '{name:(string)UTC offset:(int)0 isDST:(bool)false}';
const location = [
  '{name:(string)Local',
  `zone:([]time.zone)[${utc}]`,
  'tx:([]time.zoneTrans)[{when:(int64)-9223372036854775808 index:(uint8)0 isstd:(bool)false isutc:(bool)false}]',
  'extend:(string)UTC0 cacheStart:(int64)-9223372036854775808 cacheEnd:(int64)9223372036854775807',
  `cacheZone:(*time.zone)${utc}}`,
].join(' ');

/** Prints the fields of a time, with the zone of a node in UTC; those of the zero value without one. */
export function printTime(time: string | undefined): string {
  if (time === undefined) return '{Time:(time.Time){wall:(uint64)0 ext:(int64)0 loc:(*time.Location)<nil>}}';
  const seconds = Math.floor(Date.parse(time) / 1000) + YEAR_1_SECONDS;
  const nanos = Number((/\.(\d{1,9})/.exec(time)?.[1] ?? '').padEnd(9, '0'));
  return `{Time:(time.Time){wall:(uint64)${String(nanos)} ext:(int64)${String(seconds)} loc:(*time.Location)${location}}}`;
}
