/** An image as the runtime lists it. */
export interface ListedImage {
  readonly id: string;
  /** Its id, tags and digests: the names that containers and pods may use. */
  readonly names: readonly string[];
  readonly sizeBytes: number;
  /** Whether the runtime itself needs it, as the image of sandboxes. */
  readonly pinned: boolean;
}

/** An image on the node. Times are those of the monotonic clock, in milliseconds. */
export interface ImageRecord extends ListedImage {
  /** Time of its detection; `-Infinity` if the first update found it. */
  readonly firstDetectedMs: number;
  /** Time at which a container was last seen to use it; `-Infinity` for never. */
  readonly lastUsedMs: number;
}

/** All images of the node, by id. */
export type ImageInventory = ReadonlyMap<string, ImageRecord>;

/**
 * Updates an inventory: adds new images as detected now, marks those in use as used now, drops removed ones.
 *
 * @param known `undefined` at the first update, when the age of images is unknown
 * @param inUse names by which containers refer to their images
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

/** Reports whether a container uses the image under any of its names. */
export function isUsed(image: ListedImage, inUse: ReadonlySet<string>): boolean {
  return image.names.some((name) => inUse.has(name));
}
