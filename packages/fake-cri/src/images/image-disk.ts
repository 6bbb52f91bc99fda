/** Reserved disk space of a pull. Disposing it releases the space, unless the image was added. */
export interface ReservedRoom extends Disposable {
  /** Reserved size: the requested one, or all that was left. */
  readonly bytes: number;
}

/** The disk of the images. It tracks the reservations of pending pulls; the usage of present images is an input. */
export interface ImageDisk {
  /** Reserves space for an image. Concurrent pulls of one image share a reservation, as they share its content. */
  reserve(id: string, sizeBytes: number): ReservedRoom;
}

/** Images that are on the disk already. */
export interface PresentImages {
  usedBytes(): number;
  isPresent(id: string): boolean;
}

/** Creates an {@link ImageDisk}. */
export function createImageDisk(capacityBytes: number, present: PresentImages): ImageDisk {
  const pendingPulls = new Map<string, { readonly bytes: number; pulls: number }>();
  const freeBytes = (): number => {
    let free = capacityBytes - present.usedBytes();
    // The first of several pulls of one image added it; the others need no more space.
    for (const [id, { bytes }] of pendingPulls) if (!present.isPresent(id)) free -= bytes;
    return Math.max(0, free);
  };
  return {
    reserve(id, sizeBytes) {
      const shared = pendingPulls.get(id) ?? { bytes: Math.min(sizeBytes, freeBytes()), pulls: 0 };
      shared.pulls += 1;
      pendingPulls.set(id, shared);
      return {
        bytes: shared.bytes,
        [Symbol.dispose]() {
          shared.pulls -= 1;
          if (shared.pulls === 0) pendingPulls.delete(id);
        },
      };
    },
  };
}
