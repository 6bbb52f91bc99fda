/**
 * Formats the time since an event, as kubectl shows it: `42s`, `5m3s`, `3h12m`, `2d`, `3y40d`. Clocks may differ by a second; what lies further in the
 * future is `<invalid>`.
 */
export function formatAge(ms: number): string {
  const seconds = Math.trunc(ms / 1000);
  if (seconds < -1) return '<invalid>';
  if (seconds < 120) return `${String(Math.max(0, seconds))}s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 10) return withRest(minutes, 'm', seconds % 60, 's');
  if (minutes < 180) return `${String(minutes)}m`;
  const hours = Math.floor(minutes / 60);
  if (hours < 8) return withRest(hours, 'h', minutes % 60, 'm');
  if (hours < 48) return `${String(hours)}h`;
  const days = Math.floor(hours / 24);
  if (days < 8) return withRest(days, 'd', hours % 24, 'h');
  if (days < 2 * 365) return `${String(days)}d`;
  const years = Math.floor(days / 365);
  return years < 8 ? withRest(years, 'y', days % 365, 'd') : `${String(years)}y`;
}

function withRest(amount: number, unit: string, rest: number, restUnit: string): string {
  return rest === 0 ? `${String(amount)}${unit}` : `${String(amount)}${unit}${String(rest)}${restUnit}`;
}

/** The age of an API timestamp; `<unknown>` without one. */
export function formatSince(timestamp: string | undefined, nowMs: number): string {
  const ms = timestamp === undefined ? NaN : Date.parse(timestamp);
  return Number.isNaN(ms) ? '<unknown>' : formatAge(nowMs - ms);
}
