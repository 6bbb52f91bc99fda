import type { PullProgress } from '@rxlet/cri-api/pull-progress';

/** Content of an image that a runtime downloads: its configuration and its layers, with their sizes in bytes by digest. */
export type ImageContent = ReadonlyMap<string, number>;

/** The label by which containerd records the repositories of content, and the repository of an image. */
export interface ContentSource {
  readonly label: string;
  readonly repository: string;
}

const DIGEST = /^[a-z0-9]+(?:[.+_-][a-z0-9]+)*:[0-9a-f]{32,}$/;

/** Returns how content of an image is labelled; `undefined` for a reference that is not one of a registry. */
export function contentSourceOf(image: string): ContentSource | undefined {
  const name = image.replace(/@.*$/s, '').replace(/:[^/:]*$/, '');
  const [first = '', ...rest] = name.split('/');
  const hasHost = rest.length > 0 && (/[.:]/.test(first) || first === 'localhost');
  const path = hasHost ? rest.join('/') : name;
  const host = hasHost ? first : 'docker.io';
  const repository = path.includes('/') || host !== 'docker.io' ? path : `library/${path}`;
  if (!/^[a-z0-9._/-]+$/.test(repository) || !/^[A-Za-z0-9.:[\]-]+$/.test(host)) return undefined;
  // containerd drops the port, and the brackets of an IPv6 address.
  const label = host.replace(/:\d+$/, '').replace(/^\[(.*)\]$/, '$1');
  return { label: `containerd.io/distribution.source.${label}`, repository };
}

/**
 * Returns the content that an image's manifest lists.
 * @throws Error when it is no manifest of an image
 */
export function contentOfManifest(bytes: Uint8Array): ImageContent {
  const manifest = JSON.parse(Buffer.from(bytes).toString('utf8')) as { config?: unknown; layers?: unknown };
  const { config, layers } = manifest;
  if (!Array.isArray(layers)) throw new Error('the manifest has no layers');
  return new Map([config, ...(layers as unknown[])].map(descriptor));
}

function descriptor(value: unknown): [digest: string, size: number] {
  const { digest, size } = (value ?? {}) as { digest?: unknown; size?: unknown };
  if (typeof digest !== 'string' || !DIGEST.test(digest) || !Number.isSafeInteger(size) || (size as number) < 0)
    throw new Error('the manifest has a malformed descriptor');
  return [digest, size as number];
}

/**
 * Returns the progress of a pull.
 *
 * @param present digests of content that is complete
 * @param written bytes by digest of content that is being written
 */
export function progressOf(
  content: ImageContent,
  present: ReadonlySet<string>,
  written: ReadonlyMap<string, number>,
): PullProgress {
  let currentBytes = 0;
  let totalBytes = 0;
  let isComplete = true;
  for (const [digest, size] of content) {
    totalBytes += size;
    if (present.has(digest)) {
      currentBytes += size;
      continue;
    }
    isComplete = false;
    currentBytes += Math.min(written.get(digest) ?? 0, size);
  }
  return { step: isComplete ? 'unpacking' : 'downloading', currentBytes, totalBytes };
}
