/** Writes a duration as Go does, to the nanosecond: `0s`, `999µs`, `1.5s`, `-5m0s`, `4h0m0s`. */
export function goDurationText(durationMs: number): string {
  const ns = BigInt(Math.round(durationMs * 1e6));
  const absolute = ns < 0n ? -ns : ns;
  const sign = ns < 0n ? '-' : '';
  if (absolute === 0n) return '0s';
  if (absolute < 1_000n) return `${sign}${String(absolute)}ns`;
  if (absolute < 1_000_000n) return `${sign}${decimal(absolute, 1_000n)}µs`;
  if (absolute < 1_000_000_000n) return `${sign}${decimal(absolute, 1_000_000n)}ms`;
  const minutes = absolute / 60_000_000_000n;
  const seconds = `${decimal(absolute % 60_000_000_000n, 1_000_000_000n)}s`;
  if (minutes === 0n) return `${sign}${seconds}`;
  if (minutes < 60n) return `${sign}${String(minutes)}m${seconds}`;
  return `${sign}${String(minutes / 60n)}h${String(minutes % 60n)}m${seconds}`;
}

function decimal(ns: bigint, unit: bigint): string {
  const fraction = String(unit + (ns % unit))
    .slice(1)
    .replace(/0+$/, '');
  return `${String(ns / unit)}${fraction === '' ? '' : `.${fraction}`}`;
}
