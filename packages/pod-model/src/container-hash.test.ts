import { describe, expect, it } from 'vitest';
import { containerHash } from './container-hash.ts';

describe('containerHash', () => {
  it('depends on name and image alone', () => {
    const container = { name: 'app', image: 'nginx', args: ['-v'] };
    expect(containerHash(container)).toBe(containerHash({ name: 'app', image: 'nginx' }));
    expect(containerHash({ name: 'app', image: 'busybox' })).not.toBe(containerHash(container));
    expect(containerHash({ name: 'web', image: 'nginx' })).not.toBe(containerHash(container));
  });

  it('treats a missing image as empty', () => {
    expect(containerHash({ name: 'app' })).toBe(containerHash({ name: 'app', image: '' }));
  });

  it('treats a lone surrogate as a replacement character, like UTF-8', () => {
    expect(containerHash({ name: 'app', image: 'a\ud800' })).toBe(containerHash({ name: 'app', image: 'a\ufffd' }));
  });

  it('distinguishes a character from its escape', () => {
    for (const [char, escape] of [
      ['<', '\\u003c'],
      ['\u2028', '\\u2028'],
      ['\n', '\\n'],
    ] as const) {
      expect(containerHash({ name: 'app', image: char })).not.toBe(containerHash({ name: 'app', image: escape }));
    }
  });
});
