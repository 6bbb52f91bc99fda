import { ServiceError, StatusCode } from '@rxlet/cri-api';
import { type Image, imageInRegistry, withReferencesOf } from './image.ts';
import { formatTag, type ImageReference, parseImageReference } from './image-reference.ts';
import type { FakeImage } from './options.ts';

/** The images that are present, and the registry that others are pulled from. */
export interface ImageStore {
  /** Pulls `reference` from the registry. Throws NotFound when the registry has no such image, InvalidArgument for a malformed reference. */
  pull(reference: string): Image;
  /** The present image with this id, tag or digest; ids may be abbreviated. `undefined` when there is none, or `reference` is malformed. */
  find(reference: string): Image | undefined;
  /** Removes the image with all its tags, as the CRI demands; does nothing when it is not present. */
  remove(reference: string): void;
  /** The present images, the one pulled first first. */
  values(): Iterable<Image>;
}

/** Creates an {@link ImageStore}; `images` are those with special properties, `missingImages` what no registry knows. */
export function createImageStore(images: readonly FakeImage[], missingImages: readonly string[]): ImageStore {
  const described = new Map(images.flatMap((image) => image.tags.map((tag) => [normalise(tag), image] as const)));
  const missing = new Set(missingImages.map(normalise));
  const byId = new Map<string, Image>();
  /** Tags and digests in full → id. */
  const idByReference = new Map<string, string>();

  const add = (image: Image): Image => {
    const known = byId.get(image.id);
    const merged = known === undefined ? image : withReferencesOf(known, image);
    byId.set(merged.id, merged);
    for (const reference of [...merged.message.repoTags, ...merged.message.repoDigests])
      idByReference.set(reference, merged.id);
    return merged;
  };

  const find = (reference: string): Image | undefined => {
    const parsed = tryParse(reference);
    const id = parsed && idByReference.get(format(parsed));
    return byId.get(id ?? reference) ?? findById(byId, reference);
  };

  for (const image of images) {
    if (image.present) for (const tag of image.tags) add(imageInRegistry(parseImageReference(tag), image));
  }

  return {
    pull(reference) {
      const parsed = parseImageReference(reference);
      if (missing.has(format(parsed))) {
        throw new ServiceError(
          StatusCode.NotFound,
          `failed to pull and unpack image "${format(parsed)}": failed to resolve reference "${format(parsed)}": not found`,
        );
      }
      return add(imageInRegistry(parsed, described.get(format(parsed))));
    },
    find,
    remove(reference) {
      const image = find(reference);
      if (image === undefined) return;
      byId.delete(image.id);
      for (const name of [...image.message.repoTags, ...image.message.repoDigests]) idByReference.delete(name);
    },
    values: () => byId.values(),
  };
}

/** The key by which a reference is looked up: its digest decides if it has one, otherwise its tag. */
function format(reference: ImageReference): string {
  return reference.digest === undefined ? formatTag(reference)! : `${reference.repository}@${reference.digest}`;
}

function normalise(reference: string): string {
  return format(parseImageReference(reference));
}

function tryParse(reference: string): ImageReference | undefined {
  try {
    return parseImageReference(reference);
  } catch {
    return undefined;
  }
}

/** The only image whose id begins with `prefix`, given with or without `sha256:`. */
function findById(byId: ReadonlyMap<string, Image>, prefix: string): Image | undefined {
  const digits = prefix.replace(/^sha256:/, '');
  if (!/^[0-9a-f]{6,64}$/.test(digits)) return undefined;
  const found = [...byId.values()].filter((image) => image.id.startsWith(`sha256:${digits}`));
  return found.length === 1 ? found[0] : undefined;
}
