import { type ImageInventory, type ImageRecord, isUsed } from './image-inventory.ts';
import type { ImageGcPolicy } from './image-gc-policy.ts';

/** Returns the images that are neither used nor pinned, the least recently used first and, of those, the one detected first. */
export function removableImages(inventory: ImageInventory, inUse: ReadonlySet<string>): readonly ImageRecord[] {
  return [...inventory.values()]
    .filter((image) => !image.pinned && !isUsed(image, inUse))
    .sort(
      (one, other) => compare(one.lastUsedMs, other.lastUsedMs) || compare(one.firstDetectedMs, other.firstDetectedMs),
    );
}

/**
 * Returns the removable images that are unused for longer than the maximum age; none until the agent has run for that long, because earlier uses are unknown.
 * An image that was never used counts from its detection. A kubelet treats it as infinitely old, and removes images that were pulled just now.
 */
export function selectOldImages(
  removable: readonly ImageRecord[],
  { imageMaximumGcAgeMs, imageMinimumGcAgeMs }: ImageGcPolicy,
  nowMs: number,
  startedMs: number,
): readonly ImageRecord[] {
  if (imageMaximumGcAgeMs === 0 || nowMs - startedMs <= imageMaximumGcAgeMs) return [];
  const unusedSinceMs = (image: ImageRecord): number => Math.max(image.lastUsedMs, image.firstDetectedMs);
  const minAgeMs = Math.max(imageMaximumGcAgeMs, imageMinimumGcAgeMs);
  return removable.filter((image) => nowMs - unusedSinceMs(image) > minAgeMs);
}

/**
 * Returns the removable images that may be removed when space is short, in order. Images below the minimum age stay, because a container may be about to use
 * them.
 */
export function selectForSpace(
  removable: readonly ImageRecord[],
  { imageMinimumGcAgeMs }: ImageGcPolicy,
  nowMs: number,
): readonly ImageRecord[] {
  return removable.filter((image) => nowMs - image.firstDetectedMs >= imageMinimumGcAgeMs);
}

/** Usage of a disk, and the number of bytes to free. */
export interface SpaceNeed {
  /** In whole percent. */
  readonly usagePercent: number;
  /** `0` while usage is below the high threshold. */
  readonly bytesToFree: number;
}

/** Compares the usage of a disk of at least one byte with the thresholds. */
export function spaceNeed(capacityBytes: number, availableBytes: number, policy: ImageGcPolicy): SpaceNeed {
  const { imageGcHighThresholdPercent: high, imageGcLowThresholdPercent: low } = policy;
  const available = Math.min(availableBytes, capacityBytes);
  const usagePercent = 100 - Math.trunc((available * 100) / capacityBytes);
  const isOver = usagePercent >= high;
  return { usagePercent, bytesToFree: isOver ? Math.trunc((capacityBytes * (100 - low)) / 100) - available : 0 };
}

/** Infinite values of equal sign are equal. */
function compare(one: number, other: number): number {
  return one === other ? 0 : one - other;
}
