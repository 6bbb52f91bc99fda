/** Output of a program. */
export type OutputStream = 'stdout' | 'stderr';

/** Longest content of one log line in characters; the rest continues on the next, as in containerd by default (`max_container_log_line_size`). */
export const MAX_LINE_LENGTH: number = 16 * 1024;

/**
 * Formats a line of a container log in the CRI format: `2026-01-01T00:00:00.000000000Z stdout F text`. The tag is `F`, or `P` for a part of a line
 * that the next one continues.
 */
export function formatLogLine(timestampNanos: bigint, stream: OutputStream, partial: boolean, content: string): string {
  return `${formatRfc3339Nanos(timestampNanos)} ${stream} ${partial ? 'P' : 'F'} ${content}\n`;
}

function formatRfc3339Nanos(nanos: bigint): string {
  const seconds = nanos / 1_000_000_000n;
  const fraction = String(nanos % 1_000_000_000n).padStart(9, '0');
  return `${new Date(Number(seconds) * 1000).toISOString().slice(0, 19)}.${fraction}Z`;
}
