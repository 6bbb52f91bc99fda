import { ServiceError, StatusCode } from '@rxlet/cri-api';

/** A normalised image reference. */
export interface ImageReference {
  /** Registry and path, e.g. `docker.io/library/busybox`. */
  readonly repository: string;
  /** Tag, unless only a digest was given. */
  readonly tag?: string;
  /** `sha256:` and 64 hex digits. */
  readonly digest?: string;
}

const PATH_COMPONENT = '[a-z0-9]+(?:(?:\\.|_{1,2}|-+)[a-z0-9]+)*';
const REFERENCE = new RegExp(
  `^((?:[a-zA-Z0-9.-]+(?::\\d+)?/)?${PATH_COMPONENT}(?:/${PATH_COMPONENT})*)(?::([\\w][\\w.-]{0,127}))?(?:@(sha256:[0-9a-f]{64}))?$`,
);

/**
 * Completes a reference as every CRI runtime does: the default registry is docker.io, the default path `library/`, the default tag `latest`. Throws
 * InvalidArgument for a malformed reference.
 */
export function parseImageReference(reference: string): ImageReference {
  const [, name, tag, digest] = (typeof reference === 'string' && REFERENCE.exec(reference)) || [];
  if (name === undefined) {
    throw new ServiceError(
      StatusCode.InvalidArgument,
      `failed to parse image reference "${String(reference)}": invalid reference format`,
    );
  }
  const repository = withRegistry(name);
  if (digest !== undefined) return tag === undefined ? { repository, digest } : { repository, tag, digest };
  return { repository, tag: tag ?? 'latest' };
}

/** Returns `repository:tag` in full. */
export function formatTag(reference: ImageReference): string | undefined {
  return reference.tag === undefined ? undefined : `${reference.repository}:${reference.tag}`;
}

/** Returns the key by which a reference is looked up: with its digest if it has one, otherwise with its tag. */
export function formatReference(reference: ImageReference): string {
  return reference.digest === undefined ? formatTag(reference)! : `${reference.repository}@${reference.digest}`;
}

/** Returns the registry's host, with its port if it has one. */
export function registryHost({ repository }: ImageReference): string {
  return repository.slice(0, repository.indexOf('/'));
}

function withRegistry(name: string): string {
  const slash = name.indexOf('/');
  const first = slash < 0 ? '' : name.slice(0, slash);
  const hasRegistry = first === 'localhost' || /[.:]/.test(first);
  if (hasRegistry) return name;
  return slash < 0 ? `docker.io/library/${name}` : `docker.io/${name}`;
}
