/** Returns how long ago something was, as kubectl shows it; a dash without a time. */
export function formatSince(time: string | number | undefined, nowMs: number): string {
  const ms = typeof time === 'number' ? time : Date.parse(time ?? '');
  return Number.isNaN(ms) ? '–' : formatAge(nowMs - ms);
}

/** Returns a length of time in one or two units: `42s`, `5m3s`, `3h12m`, `2d4h`. */
export function formatAge(ms: number): string {
  const seconds = Math.max(0, Math.trunc(ms / 1000));
  if (seconds < 120) return `${String(seconds)}s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 10) return two(minutes, 'm', seconds % 60, 's');
  if (minutes < 180) return `${String(minutes)}m`;
  const hours = Math.floor(minutes / 60);
  if (hours < 8) return two(hours, 'h', minutes % 60, 'm');
  if (hours < 48) return `${String(hours)}h`;
  const days = Math.floor(hours / 24);
  return days < 8 ? two(days, 'd', hours % 24, 'h') : `${String(days)}d`;
}

/** Returns a duration with the precision that its length deserves: `0.4 ms`, `312 ms`, `2.31 s`, `5m3s`. */
export function formatDuration(ms: number): string {
  if (ms < 10) return `${ms.toFixed(1)} ms`;
  if (ms < 1000) return `${String(Math.round(ms))} ms`;
  if (ms < 60_000) return `${(ms / 1000).toFixed(ms < 10_000 ? 2 : 1)} s`;
  return formatAge(ms);
}

function two(amount: number, unit: string, rest: number, restUnit: string): string {
  return rest === 0 ? `${String(amount)}${unit}` : `${String(amount)}${unit}${String(rest)}${restUnit}`;
}
