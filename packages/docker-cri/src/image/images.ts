import { create } from '@bufbuild/protobuf';
import { createLruMap } from '@rxlet/component-base';
import { type Image, ImageSchema, ServiceError, StatusCode } from '@rxlet/cri-api';
import type { DockerEngine } from '../engine/docker-engine.ts';
import { isConflict, isMissing } from '../engine/docker-error.ts';
import type { DockerImage } from '../engine/docker-types.ts';
import { fullName, isImageId, parseImageReference } from './image-reference.ts';

/** Docker's images. */
export interface Images {
  /** Returns an image by its reference or id; `undefined` when it is absent. Throws InvalidArgument for a malformed reference. */
  find(reference: string, signal?: AbortSignal): Promise<DockerImage | undefined>;
  list(signal?: AbortSignal): Promise<readonly DockerImage[]>;
  /** Removes an image with all of its names. Does nothing when it is absent. */
  remove(reference: string, signal?: AbortSignal): Promise<void>;
  /** Returns the reference by which statuses of containers name an image: a digest of a registry if there is one, or its id. */
  refOf(imageId: string, signal?: AbortSignal): Promise<string>;
}

const MAX_REFS = 1000;

/** Creates {@link Images}. */
export function createImages(engine: DockerEngine): Images {
  const refs = createLruMap<string>(MAX_REFS);
  const find: Images['find'] = async (reference, signal) => {
    const name = dockerName(reference);
    let image: DockerImage;
    try {
      image = await engine.json<DockerImage>('GET', `/images/${name}/json`, { signal });
    } catch (error) {
      if (isMissing(error)) return undefined;
      throw error;
    }
    // Docker also takes the beginning of an id for a name.
    return isNamed(image, name) ? image : undefined;
  };
  return {
    find,
    list: (signal) => engine.json<readonly DockerImage[]>('GET', '/images/json', { signal }),
    async remove(reference, signal) {
      const image = await find(reference, signal);
      if (image === undefined) return;
      const names = namesOf(image);
      for (const name of names.length > 0 ? names : [image.Id]) {
        try {
          await engine.json('DELETE', `/images/${name}`, { signal });
        } catch (error) {
          if (isConflict(error)) throw new ServiceError(StatusCode.FailedPrecondition, error.message, { cause: error });
          if (!isMissing(error)) throw error;
        }
      }
      refs.delete(image.Id);
    },
    async refOf(imageId, signal) {
      const known = refs.get(imageId);
      if (known !== undefined) return known;
      const image = await find(imageId, signal);
      const ref = digestsOf(image)[0] ?? imageId;
      if (image !== undefined) refs.set(imageId, ref);
      return ref;
    },
  };
}

/** Reports whether a reference, if it is well-formed, names an image. */
export function isReferenceTo(image: DockerImage, reference: string): boolean {
  try {
    return isNamed(image, dockerName(reference));
  } catch {
    return false;
  }
}

/** Returns an image as the CRI reports it. */
export function criImage(image: DockerImage, isPinned: boolean): Image {
  const user = image.Config?.User?.split(':', 1)[0] ?? '';
  const isNumber = /^\d+$/.test(user);
  return create(ImageSchema, {
    id: image.Id,
    repoTags: tagsOf(image),
    repoDigests: digestsOf(image),
    size: BigInt(image.Size),
    ...(isNumber ? { uid: { value: BigInt(user) } } : user === '' ? {} : { username: user }),
    spec: { image: image.Id },
    pinned: isPinned,
  });
}

/** Checks a reference and returns the name or id by which Docker knows its image. */
function dockerName(reference: string): string {
  return isImageId(reference) ? reference : fullName(parseReferenceText(reference))!;
}

function isNamed(image: DockerImage, name: string): boolean {
  return image.Id.endsWith(name) || namesOf(image).includes(name);
}

/** Checks a reference and returns it without a tag besides its digest, a combination that Docker does not store. */
function parseReferenceText(reference: string): string {
  const { repository, tag, digest } = parseImageReference(reference);
  return digest === undefined ? `${repository}:${tag!}` : `${repository}@${digest}`;
}

function namesOf(image: DockerImage): readonly string[] {
  return [...tagsOf(image), ...digestsOf(image)];
}

function tagsOf({ RepoTags }: DockerImage): string[] {
  return (RepoTags ?? []).flatMap((tag) => fullName(tag) ?? []);
}

function digestsOf(image: DockerImage | undefined): string[] {
  return (image?.RepoDigests ?? []).flatMap((digest) => fullName(digest) ?? []);
}
