/** A duration in the notation of Go, which events use, truncated to whole milliseconds: `0s`, `312ms`, `1.5s`, `2m3.45s`, `1h0m5s`. */
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
