import type { OpenFile } from '@rxlet/node-files';

const BLOCK = 64 * 1024;
const NEWLINE = 0x0a;

/** Finds where the last `lines` lines of a file begin, reading backwards from its end. A last line without a newline does not count as one. */
export async function findTailStart(file: OpenFile, lines: number): Promise<number> {
  let left = (await file.stat()).sizeBytes;
  let newlines = 0;
  while (left > 0) {
    const start = Math.max(0, left - BLOCK);
    const block = await file.read(start, left - start);
    const positions = newlinePositions(block);
    newlines += positions.length;
    // One newline more than lines: the one that ends the line before.
    if (newlines > lines) return start + positions[newlines - lines - 1]! + 1;
    left = start;
  }
  return 0;
}

function newlinePositions(block: Uint8Array): number[] {
  const positions: number[] = [];
  for (let at = block.indexOf(NEWLINE); at >= 0; at = block.indexOf(NEWLINE, at + 1)) positions.push(at);
  return positions;
}
