/** Which of a program's two outputs a line came from. */
export type OutputStream = 'stdout' | 'stderr';

/** Longest content of one log line in characters; what exceeds it continues on the next, as containerd does it by default (`max_container_log_line_size`). */
export const MAX_LINE_LENGTH: number = 16 * 1024;

/**
 * One line of a container log in the CRI format: `2026-01-01T00:00:00.000000000Z stdout F text`. The tag is `F`, or `P` for a part of a line
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
