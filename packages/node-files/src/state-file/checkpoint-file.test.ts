import { describe, expect, it } from 'vitest';
import { createCheckpointFile } from './checkpoint-file.ts';

/** Lets all promises settle that wait for nothing else. */
async function settle(): Promise<void> {
  for (let turn = 0; turn < 50; turn += 1) await Promise.resolve();
}

describe('createCheckpointFile', () => {
  it('writes once at a time when a caller writes again at the end of its write', async () => {
    const ends: (() => void)[] = [];
    const written: string[] = [];
    let running = 0;
    let mostRunning = 0;
    let state = 0;
    const files = {
      readPrivate: async () => undefined,
      async replaceFile(_path: string, content: string | Uint8Array) {
        running += 1;
        mostRunning = Math.max(mostRunning, running);
        await new Promise<void>((resolve) => ends.push(resolve));
        written.push(String(content));
        running -= 1;
      },
    };
    const file = createCheckpointFile(files, '/root/state', () => String(state));
    const twice = (async () => {
      await file.write();
      state += 1;
      await file.write();
    })();
    state += 1;
    const other = file.write();
    while (ends.length > 0) {
      ends.shift()!();
      await settle();
    }
    await Promise.all([twice, other]);
    expect(mostRunning).toBe(1);
    expect(written).toEqual(['0', '2']);
  });
});
