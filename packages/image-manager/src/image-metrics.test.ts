import { describe, expect, it } from 'vitest';
import { imageSizeClass } from './image-metrics.ts';

describe('imageSizeClass', () => {
  it.each([
    [0, 'N/A'],
    [1, '0-10MB'],
    [10 * 1024 ** 2, '0-10MB'],
    [10 * 1024 ** 2 + 1, '10MB-100MB'],
    [999_999_999, '500MB-1GB'],
    [5 * 1024 ** 3 + 1, '5GB-10GB'],
    [200_000_000_000, 'GT100GB'],
  ])('%d bytes: %s', (sizeBytes, label) => {
    expect(imageSizeClass(sizeBytes)).toBe(label);
  });
});
