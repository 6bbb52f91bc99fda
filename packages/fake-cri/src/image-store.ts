import type { Clock } from '@rxlet/component-base';
import type { AuthConfig } from '@rxlet/cri-api';
import { type Image, imageInRegistry, withoutTags, withReferencesOf } from './image.ts';
import { formatReference, type ImageReference, parseImageReference } from './image-reference.ts';
import { createImageDisk } from './images/image-disk.ts';
import { createImageRegistry, type ImageRegistry } from './images/image-registry.ts';
import { type PullCall, pullImage } from './images/pull.ts';
import { createPullTracker, type PullTracker } from './images/pull-progress.ts';
import type { ResolvedOptions } from './options.ts';

/** Usage of the present images. */
export interface ImageUsage {
  readonly bytes: bigint;
  readonly inodes: bigint;
}

/** The present images, and the registry of the others. */
export interface ImageStore {
  readonly registry: ImageRegistry;
  /** Reads the progress of pulls. */
  readonly readProgress: PullTracker['read'];
  /** Pulls `reference` from the registry, on the clock; see {@link pullImage} for its errors. */
  pull(reference: string, auth: AuthConfig | undefined, call: PullCall): Promise<Image>;
  /** Restores an image that was present before, without a pull. */
  restore(image: Image): void;
  /** Returns the present image with this id, tag or digest; ids may be abbreviated. `undefined` when there is none, or `reference` is malformed. */
  find(reference: string): Image | undefined;
  /**
   * Removes the image with all its tags, as the CRI demands, whether or not it is pinned or in use: its containers keep running, as in containerd. Does nothing
   * when it is not present.
   */
  remove(reference: string): void;
  /** Returns the present images, in order of their pulls. */
  values(): Iterable<Image>;
  usage(): ImageUsage;
}

/** Bytes of an image per file in the reported usage. */
const BYTES_PER_INODE = 32_768n;

/** Creates an {@link ImageStore} with the initially present images. */
export function createImageStore(
  clock: Clock,
  options: Pick<ResolvedOptions, 'images' | 'missingImages' | 'imageDiskBytes'>,
): ImageStore {
  const registry = createImageRegistry(options.images, options.missingImages);
  const byId = new Map<string, Image>();
  /** Tags and digests in full → id. */
  const idByReference = new Map<string, string>();
  let usedBytes = 0n;
  let usedInodes = 0n;
  const isPresent = (id: string): boolean => byId.has(id);
  const disk = createImageDisk(options.imageDiskBytes, { usedBytes: () => Number(usedBytes), isPresent });

  const occupy = ({ message: { size } }: Image, sign: 1n | -1n): void => {
    usedBytes += sign * size;
    usedInodes += sign * (size / BYTES_PER_INODE + 1n);
  };
  const add = (image: Image): Image => {
    // A tag that led to other content belongs to this image now. The other image stays, under its digest and id.
    for (const tag of image.message.repoTags) {
      const previous = byId.get(idByReference.get(tag) ?? '');
      if (previous !== undefined && previous.id !== image.id) byId.set(previous.id, withoutTags(previous, [tag]));
    }
    const known = byId.get(image.id);
    if (known === undefined) occupy(image, 1n);
    const merged = known === undefined ? image : withReferencesOf(known, image);
    byId.set(merged.id, merged);
    for (const reference of [...image.message.repoTags, ...image.message.repoDigests])
      idByReference.set(reference, merged.id);
    return merged;
  };

  const find = (reference: string): Image | undefined => {
    const parsed = tryParse(reference);
    const id = parsed && idByReference.get(formatReference(parsed));
    return byId.get(id ?? reference) ?? findById(byId, reference);
  };

  for (const image of options.images) {
    if (image.present) for (const tag of image.tags) add(imageInRegistry(parseImageReference(tag), image));
  }

  const tracker = createPullTracker(clock);
  const pullPorts = { clock, registry, disk, tracker, isPresent };
  return {
    registry,
    readProgress: tracker.read,
    pull: (reference, auth, call) => pullImage(pullPorts, reference, auth, call, add),
    restore: (image) => void add(image),
    find,
    remove(reference) {
      const image = find(reference);
      if (image === undefined) return;
      byId.delete(image.id);
      occupy(image, -1n);
      for (const name of [...image.message.repoTags, ...image.message.repoDigests]) idByReference.delete(name);
    },
    values: () => byId.values(),
    usage: () => ({ bytes: usedBytes, inodes: usedInodes }),
  };
}

function tryParse(reference: string): ImageReference | undefined {
  try {
    return parseImageReference(reference);
  } catch {
    return undefined;
  }
}

/** Returns the only image whose id begins with `prefix`, with or without `sha256:`. */
function findById(byId: ReadonlyMap<string, Image>, prefix: string): Image | undefined {
  const digits = prefix.replace(/^sha256:/, '');
  if (!/^[0-9a-f]{6,64}$/.test(digits)) return undefined;
  const found = [...byId.values()].filter((image) => image.id.startsWith(`sha256:${digits}`));
  return found.length === 1 ? found[0] : undefined;
}
