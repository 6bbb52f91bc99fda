/** Rules of image removal, named and defaulted as in KubeletConfiguration; durations in milliseconds. */
export interface ImageGcPolicy {
  /** Disk usage in percent from which images are removed. Default: 85. With 100 and no maximum age nothing is removed automatically. */
  readonly imageGcHighThresholdPercent: number;
  /** Disk usage in percent down to which images are removed. Default: 80. */
  readonly imageGcLowThresholdPercent: number;
  /** KubeletConfiguration `imageMinimumGCAge`: an image that was discovered within this time is kept. Default: 2 min. */
  readonly imageMinimumGcAgeMs: number;
  /** KubeletConfiguration `imageMaximumGCAge`: an image that was unused for longer is removed even with enough space. Default: 0, which means never. */
  readonly imageMaximumGcAgeMs: number;
}

/** Fills in the defaults. @throws RangeError when the policy contradicts itself. */
export function resolveImageGcPolicy(policy: Partial<ImageGcPolicy> = {}): ImageGcPolicy {
  const {
    imageGcHighThresholdPercent: high = 85,
    imageGcLowThresholdPercent: low = 80,
    imageMinimumGcAgeMs = 120_000,
    imageMaximumGcAgeMs = 0,
  } = policy;
  checkPercentage('imageGCHighThresholdPercent', high);
  checkPercentage('imageGCLowThresholdPercent', low);
  if (low > high) {
    throw new RangeError(
      `imageGCLowThresholdPercent ${String(low)} must not be higher than imageGCHighThresholdPercent ${String(high)}`,
    );
  }
  if (!(imageMinimumGcAgeMs >= 0)) throw new RangeError('imageMinimumGCAge must not be negative');
  if (!(imageMaximumGcAgeMs >= 0)) throw new RangeError('imageMaximumGCAge must not be negative');
  return {
    imageGcHighThresholdPercent: high,
    imageGcLowThresholdPercent: low,
    imageMinimumGcAgeMs,
    imageMaximumGcAgeMs,
  };
}

function checkPercentage(name: string, value: number): void {
  if (value >= 0 && value <= 100) return;
  throw new RangeError(`${name} is ${String(value)}; it must be between 0 and 100`);
}
