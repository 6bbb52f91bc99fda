/** Room on the disk that a pull writes to. Disposing it gives the room back: to nobody, or to the image that has been added meanwhile. */
export interface ReservedRoom extends Disposable {
  /** What it got: the size it asked for, or all that was left. */
  readonly bytes: number;
}

/** The disk that images are on. It knows what pulls under way have reserved; what images occupy it is told. */
export interface ImageDisk {
  /** Reserves room for an image. Several pulls of one image at a time share theirs, as they share its content. */
  reserve(id: string, sizeBytes: number): ReservedRoom;
}

/** The images that are on the disk already. */
export interface PresentImages {
  usedBytes(): number;
  isPresent(id: string): boolean;
}

/** Creates an {@link ImageDisk}. */
export function createImageDisk(capacityBytes: number, present: PresentImages): ImageDisk {
  const underWay = new Map<string, { readonly bytes: number; pulls: number }>();
  const freeBytes = (): number => {
    let free = capacityBytes - present.usedBytes();
    // Of several pulls of one image the first to end has added it; the others no longer need room.
    for (const [id, { bytes }] of underWay) if (!present.isPresent(id)) free -= bytes;
    return Math.max(0, free);
  };
  return {
    reserve(id, sizeBytes) {
      const shared = underWay.get(id) ?? { bytes: Math.min(sizeBytes, freeBytes()), pulls: 0 };
      shared.pulls += 1;
      underWay.set(id, shared);
      return {
        bytes: shared.bytes,
        [Symbol.dispose]() {
          shared.pulls -= 1;
          if (shared.pulls === 0) underWay.delete(id);
        },
      };
    },
  };
}
