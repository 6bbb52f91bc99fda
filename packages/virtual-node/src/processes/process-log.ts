import { open } from 'node:fs/promises';
import { type Clock, sleep } from '@rxlet/component-base';
import type { ProviderLogOptions } from '../pod-provider.ts';

const CHUNK_BYTES = 64 * 1024;
/** Period in which new lines are looked for. */
const FOLLOW_MS = 250;

/** Reads a log, and what is appended while `isOpen`. @throws Error when there is no log, or lines would need times */
export async function* readProcessLog(
  path: string,
  { follow, tailLines, limitBytes = Infinity, timestamps, sinceMs, signal }: ProviderLogOptions,
  { clock, isOpen }: { readonly clock: Clock; isOpen(): boolean },
): AsyncGenerator<Uint8Array> {
  if (timestamps || sinceMs !== undefined) throw new Error('the lines of a process have no times');
  await using file = await open(path, 'r');
  let position = tailLines === undefined ? 0 : await findTail(file, tailLines);
  let leftBytes = limitBytes;
  for (;;) {
    signal.throwIfAborted();
    // Before the read, so that the last lines are not missed.
    const mayGrow = follow && isOpen();
    const buffer = Buffer.alloc(Math.min(CHUNK_BYTES, leftBytes));
    const { bytesRead } = await file.read(buffer, 0, buffer.length, position);
    if (bytesRead > 0) {
      position += bytesRead;
      leftBytes -= bytesRead;
      yield buffer.subarray(0, bytesRead);
    } else if (!mayGrow) {
      return;
    } else {
      await sleep(clock, FOLLOW_MS, signal);
    }
    if (leftBytes <= 0) return;
  }
}

/** Returns the position of the last lines. */
async function findTail(file: Awaited<ReturnType<typeof open>>, lines: number): Promise<number> {
  const { size } = await file.stat();
  const last = Buffer.alloc(1);
  const endsWithNewline = size > 0 && (await file.read(last, 0, 1, size - 1)).bytesRead === 1 && last[0] === 0x0a;
  let left = lines + (endsWithNewline ? 1 : 0);
  const buffer = Buffer.alloc(CHUNK_BYTES);
  for (let end = size; end > 0;) {
    const start = Math.max(0, end - CHUNK_BYTES);
    await file.read(buffer, 0, end - start, start);
    for (let index = end - start - 1; index >= 0; index -= 1) {
      if (buffer[index] !== 0x0a) continue;
      left -= 1;
      if (left <= 0) return start + index + 1;
    }
    end = start;
  }
  return 0;
}
