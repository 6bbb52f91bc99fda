import { describe, expect, it } from 'vitest';
import { hugePageSizeName } from './huge-pages.ts';

describe('hugePageSizeName', () => {
  it.each([
    [1n, '1B'],
    [64n * 1024n, '64KB'],
    [2n << 20n, '2MB'],
    [1n << 30n, '1GB'],
    [1536n, '1536B'],
  ])('formats %s bytes as %s', (bytes, name) => {
    expect(hugePageSizeName(bytes)).toBe(name);
  });
});
