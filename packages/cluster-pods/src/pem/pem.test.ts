import { describe, expect, it } from 'vitest';
import { decodePem, encodePem } from './pem.ts';

const decoded = (text: string): readonly string[] => decodePem(text).map(String);

describe('decodePem', () => {
  it('returns the blocks, without headers and the text between them', () => {
    const [a, b] = [encodePem('CERTIFICATE', Buffer.from('a')), encodePem('KEY', Buffer.from('b'.repeat(100)))];
    expect(decoded(`about a\n${a}about b\n${b}`)).toEqual(['a', 'b'.repeat(100)]);
    expect(decoded('-----BEGIN X-----  \r\nkind: a\r\n\r\nYQ==\r\n-----END X-----')).toEqual(['a']);
  });

  it('ignores marks without their counterparts', () => {
    expect(decoded('-----END A-----\n-----BEGIN A-----\nYQ==\n-----END B-----\n')).toEqual([]);
    expect(decoded('-----BEGIN A-----\n-----BEGIN B-----\nYQ==\n-----END C-----END B-----')).toEqual(['a']);
  });

  it.each([
    ['marks', '-----BEGIN A-----\nYQ==\n'],
    ['empty lines', `-----BEGIN A-----${'\n'.repeat(300_000)}`],
  ])(
    'takes time linear in the number of %s without counterparts, which authors of trust bundles choose',
    (_title, text) => {
      expect(decodePem(text.repeat(3_000_000 / text.length))).toEqual([]);
    },
  );
});
