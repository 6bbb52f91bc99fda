import { describe, expect, it } from 'vitest';
import { compareVersions, highestSupportedVersion } from './driver-versions.ts';

const NAME = 'csi.example.com';

describe('highestSupportedVersion', () => {
  it('returns the highest 1.x version', () => {
    expect(highestSupportedVersion(NAME, ['1.0.0', 'v1.10.0', '1.9.3', '2.0.0', '0.3.0'])).toEqual([1, 10, 0]);
    expect(highestSupportedVersion(NAME, ['nonsense', '1.2.0-rc1'])).toEqual([1, 2, 0]);
  });

  it('rejects drivers without a 1.x version', () => {
    const failed = `kubernetes.io/csi: RegisterPlugin for CSI driver "${NAME}" failed.`;
    expect(() => highestSupportedVersion(NAME, [])).toThrow(
      `${failed} Plugin returned an empty list for supported versions`,
    );
    expect(() => highestSupportedVersion(NAME, ['0.3.0'])).toThrow(
      `${failed} None of the versions specified ["0.3.0"] are supported. err=highest supported version reported by driver is 0.3.0, must be v1.x`,
    );
    expect(() => highestSupportedVersion(NAME, ['2.0.0'])).toThrow(/\(\[2\.0\.0\]\) reported by this driver: <nil>$/);
  });
});

describe('compareVersions', () => {
  it('compares numbers, not text', () => {
    expect(compareVersions([1, 10], [1, 9])).toBeGreaterThan(0);
    expect(compareVersions([1, 0], [1, 0, 0])).toBe(0);
    expect(compareVersions([1, 0], [1, 0, 1])).toBeLessThan(0);
  });
});
