/** An image as the runtime lists it. */
export interface ListedImage {
  readonly id: string;
  /** Its id, tags and digests: all that containers and pods may call it. */
  readonly names: readonly string[];
  readonly sizeBytes: number;
  /** The runtime needs it itself, as the image of sandboxes. */
  readonly pinned: boolean;
}

/** What is known of an image that is there. Times are those of the monotonic clock, in milliseconds. */
export interface ImageRecord extends ListedImage {
  /** When it was first seen; `-Infinity` when it was there at the first look. */
  readonly firstDetectedMs: number;
  /** When a container was last seen that uses it; `-Infinity` when none ever was. */
  readonly lastUsedMs: number;
}

/** All images that are there, by id. */
export type ImageInventory = ReadonlyMap<string, ImageRecord>;

/**
 * Brings an inventory up to date: new images are discovered now, those in use are used now, those that are gone are forgotten.
 *
 * @param known `undefined` at the first look, when it cannot be told how long images have been there
 * @param inUse what containers call their images
 */
export function updateInventory(
  known: ImageInventory | undefined,
  images: readonly ListedImage[],
  inUse: ReadonlySet<string>,
  nowMs: number,
): ImageInventory {
  const newcomerMs = known === undefined ? -Infinity : nowMs;
  return new Map(
    images.map((image) => {
      const earlier = known?.get(image.id);
      const record: ImageRecord = {
        ...image,
        firstDetectedMs: earlier?.firstDetectedMs ?? newcomerMs,
        lastUsedMs: isUsed(image, inUse) ? nowMs : (earlier?.lastUsedMs ?? -Infinity),
      };
      return [image.id, record];
    }),
  );
}

/** Whether a container uses the image under any of its names. */
export function isUsed(image: ListedImage, inUse: ReadonlySet<string>): boolean {
  return image.names.some((name) => inUse.has(name));
}
