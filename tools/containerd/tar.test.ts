import { describe, expect, it } from 'vitest';
import { createTar } from './tar.ts';
import { readTar } from './read-tar.ts';

describe('createTar', () => {
  it('writes archives that are read back unchanged', () => {
    const entries = [
      { type: 'directory', path: 'bin' },
      { type: 'directory', path: 'tmp', mode: 0o1777 },
      { type: 'file', path: 'bin/tool', mode: 0o755, content: Buffer.alloc(1000, 7) },
      { type: 'file', path: 'empty', content: '' },
      { type: 'file', path: 'block', content: 'x'.repeat(512) },
      { type: 'symlink', path: 'bin/sh', target: 'tool' },
      { type: 'hardlink', path: 'bin/other', target: 'bin/tool' },
    ] as const;
    expect(readTar(createTar(entries))).toEqual([
      { type: '5', path: 'bin/', mode: 0o755, content: '', target: '' },
      { type: '5', path: 'tmp/', mode: 0o1777, content: '', target: '' },
      { type: '0', path: 'bin/tool', mode: 0o755, content: '\u0007'.repeat(1000), target: '' },
      { type: '0', path: 'empty', mode: 0o644, content: '', target: '' },
      { type: '0', path: 'block', mode: 0o644, content: 'x'.repeat(512), target: '' },
      { type: '2', path: 'bin/sh', mode: 0o777, content: '', target: 'tool' },
      { type: '1', path: 'bin/other', mode: 0o777, content: '', target: 'bin/tool' },
    ]);
  });

  it('returns the same bytes each time, in whole blocks, ended by two empty ones', () => {
    const entries = [{ type: 'file', path: 'a', content: 'b' }] as const;
    const archive = createTar(entries);
    expect(archive).toEqual(createTar(entries));
    expect(archive.length).toBe(4 * 512);
    expect(archive.subarray(2 * 512).every((byte) => byte === 0)).toBe(true);
  });

  it('cuts a long path at a slash, as ustar does', () => {
    const path = `${'d'.repeat(90)}/${'e'.repeat(60)}/${'f'.repeat(99)}`;
    expect(readTar(createTar([{ type: 'file', path, content: '' }]))[0]?.path).toBe(path);
  });

  it.each([
    ['a last part of over 100 bytes', { type: 'file', path: 'x'.repeat(101), content: '' }],
    ['a path of over 255 bytes', { type: 'file', path: `${'a/'.repeat(130)}b`, content: '' }],
    ['a link to over 100 bytes', { type: 'symlink', path: 'l', target: 'x'.repeat(101) }],
    ['an empty path', { type: 'file', path: '', content: '' }],
  ] as const)('rejects %s', (_, entry) => {
    expect(() => createTar([entry])).toThrow(RangeError);
  });
});
