import { expect, it } from 'vitest';
import { splitLines } from './split-lines.ts';
import { collect } from './test-support.ts';

async function split(...pieces: readonly (string | Uint8Array)[]): Promise<string[]> {
  async function* chunks(): AsyncGenerator<Uint8Array> {
    for (const piece of pieces) yield typeof piece === 'string' ? new TextEncoder().encode(piece) : piece;
  }
  return collect(splitLines(chunks()));
}

it('finds lines, however they are cut', async () => {
  expect(await split('a\nb\n')).toEqual(['a', 'b']);
  expect(await split('a', 'b\nc', '\n', '\nd\n')).toEqual(['ab', 'c', '', 'd']);
  expect(await split()).toEqual([]);
});

it('does not cut characters', async () => {
  const [first, second] = new TextEncoder().encode('ö');
  expect(await split(Uint8Array.of(first!), Uint8Array.of(second!, 10))).toEqual(['ö']);
});

it('leaves out a line that does not end', async () => {
  expect(await split('a\n{"half":')).toEqual(['a']);
});
