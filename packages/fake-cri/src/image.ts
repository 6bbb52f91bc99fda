import { createHash } from 'node:crypto';
import { create } from '@bufbuild/protobuf';
import { type Image as ImageMessage, ImageSchema } from '@rxlet/cri-api';
import { formatTag, type ImageReference, parseImageReference } from './image-reference.ts';
import type { FakeImage } from './images/fake-image.ts';
import { webServerCommand } from './scripts/web-server-images.ts';

/**
 * An image of a registry. Pulling copies it into the runtime's store:
 *
 *                  PullImage                         RemoveImage
 *     (absent) ───────────────▶ present (tags, digests) ──────────▶ (absent)
 *                                   │      ▲
 *                                   └──────┘ PullImage of another tag or digest of the same image adds that to it;
 *                                            of a tag that leads to another image by now, takes it away
 */
export interface Image {
  /** `sha256:` and 64 hex digits; the reference of containers. */
  readonly id: string;
  /** Message in lists and statuses; replaced, never changed. */
  readonly message: ImageMessage;
  /** Command of containers without their own. */
  readonly entrypoint: readonly string[];
  readonly cmd: readonly string[];
  /** `NAME=value` each. */
  readonly env: readonly string[];
  /** User and group of containers without their own: `user`, `user:group`, or empty for root. */
  readonly user: string;
  /** Text of its files by absolute path. */
  readonly files: Readonly<Record<string, string>>;
}

/** Returns the image that a registry has under `reference`. `described` are the properties that the fake's owner set. */
export function imageInRegistry(reference: ImageReference, described: FakeImage | undefined): Image {
  // All tags of a described image lead to the same content, so the first of them stands for it. The content of any other image follows from its name: pulling
  // it twice, or by its digest after its tag, results in the same image.
  const digest = digestOf(described === undefined ? reference : parseImageReference(described.tags[0]), described);
  const id = described?.id ?? sha256(`config ${digest}`);
  const tag = formatTag(reference);
  return {
    id,
    entrypoint: described?.entrypoint ?? webServerCommand(reference.repository) ?? ['/entrypoint'],
    cmd: described?.cmd ?? [],
    env: described?.env ?? [],
    user: described?.user ?? '',
    files: described?.files ?? {},
    message: create(ImageSchema, {
      id,
      repoTags: tag === undefined ? [] : [tag],
      repoDigests: [`${reference.repository}@${digest}`],
      pinned: described?.pinned ?? false,
      size: BigInt(described?.sizeBytes ?? madeUpSizeBytes(id)),
      ...userFields(described?.user),
    }),
  };
}

/** Returns the digest of the image whose first reference is `content`. */
export function digestOf(content: ImageReference, described: FakeImage | undefined): string {
  return described?.digest ?? content.digest ?? sha256(`manifest ${content.repository}:${content.tag ?? ''}`);
}

/** Returns `image` without some of its tags. */
export function withoutTags(image: Image, tags: readonly string[]): Image {
  const repoTags = image.message.repoTags.filter((tag) => !tags.includes(tag));
  return { ...image, message: { ...image.message, repoTags } };
}

/** Returns `image` with the tags and digests of `other`, which has the same content. */
export function withReferencesOf(image: Image, other: Image): Image {
  return {
    ...image,
    message: {
      ...image.message,
      repoTags: union(image.message.repoTags, other.message.repoTags),
      repoDigests: union(image.message.repoDigests, other.message.repoDigests),
    },
  };
}

function sha256(text: string): string {
  return `sha256:${createHash('sha256').update(text).digest('hex')}`;
}

/** Returns a size between 1 and 64 MiB, always the same for an image. */
function madeUpSizeBytes(id: string): number {
  const fraction = Number.parseInt(id.slice('sha256:'.length, 'sha256:'.length + 8), 16) / 2 ** 32;
  return Math.round((1 + 63 * fraction) * 2 ** 20);
}

/** The CRI reports a numeric user as `uid` and any other as `username`; a group after a colon is left out. */
function userFields(user: string | undefined): { uid?: { value: bigint }; username?: string } {
  const name = (user ?? '').split(':')[0]!;
  if (name === '') return {};
  return /^\d+$/.test(name) ? { uid: { value: BigInt(name) } } : { username: name };
}

function union(some: readonly string[], others: readonly string[]): string[] {
  return [...new Set([...some, ...others])];
}
