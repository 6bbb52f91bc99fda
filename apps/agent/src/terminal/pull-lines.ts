import type { ImagePull } from '@rxlet/agent-api/images';
import { formatDuration } from '@rxlet/journal/model';

/** Maximum number of pulls with a line of their own. */
const MAX_LINES = 3;
const BAR_WIDTH = 20;
const MEGABYTE = 1_000_000;

/** Returns lines about the image pulls of a node: one for each of the first that run, and the number of the others. */
export function pullLines(pulls: readonly ImagePull[], nowMs: number): string[] {
  const running = pulls.filter(({ phase }) => phase === 'pulling');
  const shown = running.slice(0, MAX_LINES);
  const others = pulls.length - shown.length;
  if (pulls.length === 0) return [];
  return [
    ...shown.map((pull) => `pulling ${pull.image}  ${progressOf(pull, nowMs)}`),
    ...(others === 0 ? [] : [`… and ${String(others)} more ${others === 1 ? 'image' : 'images'} to pull`]),
  ];
}

function progressOf({ progress, sinceMs }: ImagePull, nowMs: number): string {
  const { step, currentBytes, totalBytes } = progress ?? {};
  if (step === 'unpacking') return 'unpacking';
  if (currentBytes === undefined || totalBytes === undefined || totalBytes === 0)
    return `for ${formatDuration(Math.max(0, nowMs - sinceMs))}`;
  const share = Math.min(1, currentBytes / totalBytes);
  const filled = Math.floor(share * BAR_WIDTH);
  const bar = `[${'='.repeat(filled)}${' '.repeat(BAR_WIDTH - filled)}]`;
  return `${bar} ${String(Math.floor(share * 100))}% of ${(totalBytes / MEGABYTE).toFixed(1)} MB`;
}
